#include "Plugin/EarshotProcessor.h"

#include "Plugin/DownMix.h"
#include "Plugin/EarshotEditor.h"
#include "Ui/Guarded.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace earshot::plugin {

using ui::guarded;

namespace {

constexpr double notPlaying = std::numeric_limits<double>::quiet_NaN();

} // namespace

EarshotProcessor::EarshotProcessor()
    : juce::AudioProcessor(BusesProperties()
                               .withInput("Input", juce::AudioChannelSet::stereo(), true)
                               .withOutput("Output", juce::AudioChannelSet::stereo(), true))
    , parameters_(*this)
    , outputs_(parameters_, midi_) {
    if (isApp()) player_ = std::make_unique<streaming::FilePlayer>();
    keepAudio(isApp());
    session_.setListener([this](const streaming::Published& published) { outputs_.heard(published); });
    view_.addChangeListener(this);
    view_.onSet = [this] { parameters_.setClassThresholds(view_.get().classThresholds); };
}

EarshotProcessor::~EarshotProcessor() {
    stopTimer();
    cancelPendingUpdate();
    view_.removeChangeListener(this);
    guarded([this] {
        const std::scoped_lock lock(lifecycle_);
        hashJob_.stop();
        if (running() && !bouncing()) { // some hosts remove a plugin right after the last block of a render
            gate_.close();
            running_->leave();
        }
        stopSession();
    });
    hashJob_.cancel();
}

bool EarshotProcessor::isBusesLayoutSupported(const BusesLayout& layout) const {
    return layout.inputBuses.size() <= 1 && layout.outputBuses.size() <= 1 &&
           layout.getMainInputChannelSet() == layout.getMainOutputChannelSet();
}

// Errors do not reach the host. The session's status shows them.
void EarshotProcessor::prepareToPlay(double sampleRate, int) {
    guarded([&] {
        nameModel();
        const std::scoped_lock lock(lifecycle_);
        stopSession();
        sampleRate_ = sampleRate;
        leftOutOfMix_ = leftOutOfMix(getChannelLayoutOfBus(true, 0));
        if (player_ != nullptr && sampleRate > 0.0) player_->prepare(sampleRate);
        startSession(isNonRealtime());
    });
    guarded([this] { startTimerHz(watchHertz); });
}

// Does not stop the timer: followParameters() stops it on the message thread.
void EarshotProcessor::releaseResources() {
    guarded([this] {
        const std::scoped_lock lock(lifecycle_);
        stopSession();
    });
}

streaming::SessionSettings EarshotProcessor::sessionSettings() const {
    streaming::SessionSettings settings = parameters_.sessionSettings();
    const std::scoped_lock lock(stateMutex_);
    settings.historyBytes = std::int64_t{viewSettings_.historyMegabytes} << 20;
    return settings;
}

void EarshotProcessor::startSession(bool offline) {
    streaming::Session& session = offline ? beginBounce() : session_;
    settings_ = sessionSettings();
    session.setSettings(settings_);
    session.prepare(sampleRate_, offline);
    teacher_.setPaused(offline);
    running_ = &session;
    gate_.open();
}

// A bounce has a session and a network of its own. What stays of it is its history.
streaming::Session& EarshotProcessor::beginBounce() {
    auto session = std::make_unique<streaming::Session>();
    session->setListener([this](const streaming::Published& published) { outputs_.heard(published); });
    session->setKeepsAudio(keepsAudio_);
    {
        const std::scoped_lock lock(stateMutex_);
        bounce_ = session->history();
        bounceSession_ = std::move(session);
        bounceSession_->setModel(loader_);
    }
    return *bounceSession_;
}

void EarshotProcessor::stopSession() {
    if (!running()) return;
    streaming::Session& session = *running_;
    teacher_.setPaused(false);
    gate_.close();
    running_ = nullptr;
    std::unique_ptr<streaming::Session> bounce;
    {
        const std::scoped_lock lock(stateMutex_); // no other model comes from here on
        bounce = std::move(bounceSession_);
    }
    session.release();
    midi_.stop();
    outputs_.released(session.status());
}

// Hosts also call this between two blocks, without preparing anew, and possibly on the audio thread. JUCE's
// wrappers call it with every block, and it returns at once unless a bounce begins. Then it may wait for the
// session to end, also where that is still the bounce before: each has a history of its own. The
// return to live is left to followParameters() on the message thread, so that the audio thread does not wait.
void EarshotProcessor::setNonRealtime(bool offline) noexcept {
    const bool begins = offline && !isNonRealtime();
    juce::AudioProcessor::setNonRealtime(offline);
    if (!begins) return;
    guarded([this] {
        const std::scoped_lock lock(lifecycle_);
        if (!running()) return;
        stopSession();
        startSession(true);
    });
}

void EarshotProcessor::followParameters() {
    guarded([this] {
        const std::unique_lock lock(lifecycle_, std::try_to_lock);
        if (!lock) return;
        parameters_.followColumns();
        if (running()) watcher_.watch();
        if (bouncing() && !isNonRealtime()) {
            stopSession();
            startSession(false);
        }
        if (const auto settings = sessionSettings(); running() && settings_ != settings) {
            settings_ = settings;
            running_->setSettings(settings_);
        }
        if (!running() && recording_ == nullptr && !teacher_.view().learning) stopTimer();
    });
    guarded([this] { followBounce(); });
    takeLesson();
    guarded([this] {
        teacher_.follow(model_->inUse());
        if (model_->takeNews()) projectChanged();
    });
    followRecording();
}

// The open recording is analyzed again with another mode or channel.
void EarshotProcessor::followRecording() {
    if (recording_ == nullptr || recordingSettings_ == recordingSettings()) return;
    const int before = recordingSettings_.channel;
    startRecording();
    if (recordingSettings_.channel != before) openPlayer();
}

void EarshotProcessor::processBlock(juce::AudioBuffer<float>& buffer, juce::MidiBuffer& midi) {
    followEnabled(true);
    process(buffer, midi, !parameters_.bypassed());
}

void EarshotProcessor::processBlock(juce::AudioBuffer<double>& buffer, juce::MidiBuffer& midi) {
    followEnabled(true);
    process(buffer, midi, !parameters_.bypassed());
}

void EarshotProcessor::processBlockBypassed(juce::AudioBuffer<float>& buffer, juce::MidiBuffer& midi) {
    followEnabled(false);
    process(buffer, midi, false);
}

void EarshotProcessor::processBlockBypassed(juce::AudioBuffer<double>& buffer, juce::MidiBuffer& midi) {
    followEnabled(false);
    process(buffer, midi, false);
}

// The LV2's port `enabled` and the parameter Bypass are one state: whichever changed last decides, and a
// plugin that is not enabled is bypassed. JUCE's instance tells the host of a parameter that changes, and
// calls processBlockBypassed() while the port says that it is not enabled.
void EarshotProcessor::followEnabled(bool enabled) noexcept {
    if (wrapperType != wrapperType_LV2) return;
    const bool turned = std::exchange(enabled_, enabled) != enabled;
    if (parameters_.bypassed() == enabled && (turned || !enabled))
        parameters_.bypass().setValueNotifyingHost(enabled ? 0.0f : 1.0f);
}

template <typename Sample>
void EarshotProcessor::process(juce::AudioBuffer<Sample>& buffer, juce::MidiBuffer& midi,
                               bool listen) noexcept {
    midi.clear();
    if (gate_.enter()) {
        if (listen) listenTo(buffer);
        // Some hosts name rates that are negative, infinite or no number.
        const double hold = parameters_.holdSeconds() * sampleRate_;
        midi_.render(midi, buffer.getNumSamples(), listen && parameters_.midiOut(),
                     hold > 0.0 && hold < 1e12 ? std::llround(hold) : 0);
        gate_.leave();
    }
    if (isApp()) replaceOutput(buffer);
}

template <typename Sample>
void EarshotProcessor::listenTo(const juce::AudioBuffer<Sample>& buffer) noexcept {
    const bool waits = isNonRealtime();
    if (waits != bouncing()) return; // the other session is about to begin
    const bool lockstep = waits && outputs_.sends();
    if (lockstep && !lockstep_) {
        running_->pushAndWait({}, {}, true);
        midi_.stop(); // what is heard only now was to have no notes
    }
    lockstep_ = lockstep;
    if (buffer.getNumSamples() == 0) return;
    streaming::HostTime host = movingHostTime();
    const MixedChannels mixed{.chosen = parameters_.channel(),
                              .leftOut = leftOutOfMix_.load(std::memory_order_relaxed)};
    std::array<float, downMixChunk> mono;
    for (int done = 0; done < buffer.getNumSamples();) {
        const int count = std::min(downMixChunk, buffer.getNumSamples() - done);
        const std::span<float> chunk(mono.data(), static_cast<std::size_t>(count));
        mixToMono(buffer, done, chunk, mixed);
        if (waits) {
            running_->pushAndWait(chunk, host, lockstep);
        } else {
            running_->push(chunk, host);
        }
        done += count;
        host.goesOn = true;
    }
}

streaming::HostTime EarshotProcessor::hostTime() const noexcept {
    streaming::HostTime host;
    juce::AudioPlayHead* head = getPlayHead();
    if (head == nullptr) return host;
    const auto position = head->getPosition();
    if (!position || !position->getIsPlaying()) return host;
    if (const auto seconds = position->getTimeInSeconds()) {
        host.seconds = *seconds;
    } else if (const auto samples = position->getTimeInSamples()) {
        host.seconds = static_cast<double>(*samples) / sampleRate_;
    } else {
        return host;
    }
    host.playing = std::isfinite(host.seconds);
    if (!host.playing) host.seconds = 0.0;
    return host;
}

// A host that says that it plays and stays where it is knows no position: Audacity 3.2 applies effects so.
streaming::HostTime EarshotProcessor::movingHostTime() noexcept {
    const streaming::HostTime host = hostTime();
    const double before = std::exchange(hostSeconds_, host.playing ? host.seconds : notPlaying);
    return host.playing && host.seconds == before ? streaming::HostTime{} : host;
}

// Sets the app's output: the playing recording, else the input if the user monitors it, else silence. The
// input is not monitored by default, because it would feed back through loudspeakers.
template <typename Sample>
void EarshotProcessor::replaceOutput(juce::AudioBuffer<Sample>& buffer) noexcept {
    std::array<float, downMixChunk> left;
    std::array<float, downMixChunk> right;
    for (int done = 0; done < buffer.getNumSamples();) {
        const int count = std::min(downMixChunk, buffer.getNumSamples() - done);
        const auto samples = static_cast<std::size_t>(count);
        const bool plays = player_->read({left.data(), samples}, {right.data(), samples});
        for (int channel = 0; channel < buffer.getNumChannels(); ++channel) {
            Sample* out = buffer.getWritePointer(channel, done);
            if (plays && channel < 2) {
                const auto& side = channel == 0 ? left : right;
                for (std::size_t i = 0; i < samples; ++i)
                    out[i] = static_cast<Sample>(buffer.getNumChannels() == 1 ? 0.5f * (left[i] + right[i])
                                                                              : side[i]);
            } else if (plays || !monitorsInput_.load(std::memory_order_relaxed)) {
                std::fill_n(out, count, Sample{0});
            }
        }
        done += count;
    }
}

void EarshotProcessor::endNotes(juce::MidiBuffer& midi) {
    const juce::ScopedLock lock(getCallbackLock()); // which a juce::AudioProcessorPlayer holds for each block
    midi_.endAll(midi);
}

juce::AudioProcessorEditor* EarshotProcessor::createEditor() {
    guarded([this] { nameModel(); });
    guarded([this] { teacher_.look(model_->inUse()); });
    juce::AudioProcessorEditor* editor = nullptr;
    guarded([&] { editor = new EarshotEditor(*this); });
    return editor;
}

} // namespace earshot::plugin
