#include "Plugin/Playback/Playback.h"

#include "Core/Tensor/Threads.h"
#include "Plugin/Live/DownMix.h"
#include "Ui/CatchAll.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"

#include <algorithm>
#include <array>
#include <utility>

namespace earshot::plugin {

using ui::catchAll;

Playback::Playback(const Parameters& parameters, const ModelSlot& model, LiveStreams& live, bool app)
    : parameters_(parameters)
    , model_(model)
    , live_(live)
    , app_(app)
    , player_(app ? std::make_unique<streaming::FilePlayer>() : nullptr) {}

streaming::HistoryProvider& Playback::source() {
    if (recording_ != nullptr) return *recording_;
    if (showsBounce_) return *bounce_;
    return live_.session();
}

std::shared_ptr<streaming::LiveHistory> Playback::history() const {
    return showsBounce_ ? bounce_ : live_.session().history();
}

void Playback::open(const juce::File& file) {
    followOpening();
    if (!before_) before_ = Before{file_, std::move(recording_), showsBounce_};
    file_ = file;
    start();
    if (onOpen) onOpen(); // makes the mode follow its parameter even while no stream runs
    openPlayer();
}

void Playback::cancel() {
    if (recording_ != nullptr) recording_->cancel();
}

void Playback::close() {
    if (player_ != nullptr) catchAll([this] { player_->close(); });
    file_ = juce::File();
    forgetBefore();
    if (!showsRecording()) return;
    ++sourceId_;
    showsBounce_ = false;
    leaveRecording();
}

void Playback::showBounce() {
    close();
    showsBounce_ = hasBounce();
    ++sourceId_;
}

void Playback::follow() {
    catchAll([this] { followBounce(); });
    catchAll([this] { followOpening(); });
    std::erase_if(former_, [](const auto& recording) { return !recording->running(); });
    if (recording_ == nullptr || settings_ == settingsNow()) return;
    const int before = settings_.channel;
    start();
    if (settings_.channel != before) openPlayer();
}

// The views turn to a new bounce once it has heard something, unless a recording is open.
void Playback::followBounce() {
    auto next = live_.bounce();
    if (next == bounce_ || next->status().heard == 0.0) return;
    if (recording_ == nullptr) {
        ++sourceId_; // as in start()
        showsBounce_ = true;
    }
    bounce_ = std::move(next);
}

void Playback::restart() {
    forgetBefore();
    if (recording_ != nullptr) start();
}

// A recording that cannot be opened leaves alone what was shown before.
void Playback::followOpening() {
    if (!before_ || recording_ == nullptr) return;
    const auto status = recording_->status();
    if (recording_->opened()) return forgetBefore();
    if (status.state != streaming::State::failed) return; // it is still being opened
    const auto name = file_.getFileName();
    refusal_ = name + ": " + ui::toText(ui::withoutPath(status.message, name.toStdString()));
    auto before = *std::exchange(before_, std::nullopt);
    ++sourceId_;
    leaveRecording();
    file_ = before.file;
    recording_ = std::move(before.recording);
    showsBounce_ = before.showsBounce;
    openPlayer();
}

void Playback::forgetBefore() {
    if (before_ && before_->recording != nullptr) {
        before_->recording->cancel();
        former_.push_back(std::move(before_->recording));
    }
    before_.reset();
}

void Playback::rescore() {
    if (recording_ != nullptr) recording_->setWords(model_.wordsLoader());
}

// If this fails, the recording's own status shows the reason.
void Playback::openPlayer() {
    if (player_ == nullptr || recording_ == nullptr) return;
    if (!catchAll([this] { player_->open(recording_->recording(), std::max(0, settings_.channel)); }))
        catchAll([this] { player_->close(); });
}

// The hop is the recordings' usual one, as on the command line; the hop parameter is for live streams.
streaming::SessionSettings Playback::settingsNow() const {
    constexpr int maxThreads = 4;
    return {.mode = parameters_.sessionSettings().mode,
            .hopSeconds = 0.0,
            .threads = app_ ? std::min(maxThreads, tensor::availableCores()) : 1,
            .channel = parameters_.channel()};
}

void Playback::start() {
    const bool begun = catchAll([this] {
        settings_ = settingsNow();
        auto recording = std::make_unique<streaming::FileSession>(file_.getFullPathName().toStdString(),
                                                                  model_.loader(), settings_);
        ++sourceId_; // changes before the old recording is destroyed, so that no view reads it again
        leaveRecording();
        recording_ = std::move(recording);
        showsBounce_ = false;
    });
    if (!begun) close();
}

// The message thread does not wait for the pass that runs.
void Playback::leaveRecording() {
    if (recording_ == nullptr) return;
    recording_->cancel();
    former_.push_back(std::move(recording_));
}

void Playback::prepare(double sampleRate) {
    if (player_ != nullptr && sampleRate > 0.0) player_->prepare(sampleRate);
}

// The input is not monitored by default, because it would feed back through loudspeakers.
template <typename Sample>
void Playback::replaceOutput(juce::AudioBuffer<Sample>& buffer) noexcept {
    if (!app_) return;
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

template void Playback::replaceOutput(juce::AudioBuffer<float>&) noexcept;
template void Playback::replaceOutput(juce::AudioBuffer<double>&) noexcept;

} // namespace earshot::plugin
