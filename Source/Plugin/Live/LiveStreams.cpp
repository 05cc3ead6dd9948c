#include "Plugin/Live/LiveStreams.h"

#include "Plugin/Live/DownMix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace earshot::plugin {

LiveStreams::LiveStreams(const Parameters& parameters, EventOutputs& outputs, MidiOut& midi)
    : parameters_(parameters)
    , outputs_(outputs)
    , midi_(midi) {
    session_.setListener([this](const streaming::Published& published) { outputs_.heard(published); });
}

void LiveStreams::prepare(double sampleRate, bool offline, std::uint64_t leftOut) {
    const std::scoped_lock lock(lifecycle_);
    stop();
    sampleRate_ = sampleRate;
    leftOut_ = leftOut;
    start(offline);
}

void LiveStreams::release() {
    const std::scoped_lock lock(lifecycle_);
    stop();
}

// The former stream may be a bounce as well: each has a history of its own.
void LiveStreams::beginBounce() {
    const std::scoped_lock lock(lifecycle_);
    if (running_ == nullptr) return;
    stop();
    start(true);
}

void LiveStreams::leave() {
    const std::scoped_lock lock(lifecycle_);
    if (running_ == &session_) { // some hosts remove a plugin right after the last block of a render
        barrier_.close();
        session_.leave();
    }
    stop();
}

std::optional<bool> LiveStreams::follow(bool offline) {
    const std::unique_lock lock(lifecycle_, std::try_to_lock);
    if (!lock) return std::nullopt;
    if (bounceSession_ != nullptr && !offline) {
        stop();
        start(false);
    }
    if (const auto settings = settingsNow(); running_ != nullptr && settings_ != settings) {
        settings_ = settings;
        running_->setSettings(settings_);
    }
    return running_ != nullptr;
}

streaming::SessionSettings LiveStreams::settingsNow() const {
    auto settings = parameters_.sessionSettings();
    settings.historyBytes = historyBytes_;
    return settings;
}

void LiveStreams::start(bool offline) {
    streaming::Session& session = offline ? makeBounce() : session_;
    settings_ = settingsNow();
    session.setSettings(settings_);
    session.prepare(sampleRate_, offline);
    if (onBounce) onBounce(offline);
    running_ = &session;
    barrier_.open();
}

// A bounce has a session and a network of its own. What stays of it is its history.
streaming::Session& LiveStreams::makeBounce() {
    auto session = std::make_unique<streaming::Session>();
    session->setListener([this](const streaming::Published& published) { outputs_.heard(published); });
    session->setKeepsAudio(keepsAudio_);
    const std::scoped_lock lock(mutex_);
    bounce_ = session->history();
    bounceSession_ = std::move(session);
    bounceSession_->setModel(loader_);
    return *bounceSession_;
}

void LiveStreams::stop() {
    if (running_ == nullptr) return;
    streaming::Session& session = *running_;
    if (onBounce) onBounce(false);
    barrier_.close();
    running_ = nullptr;
    std::unique_ptr<streaming::Session> bounce;
    {
        const std::scoped_lock lock(mutex_); // no other model comes from here on
        bounce = std::move(bounceSession_);
    }
    session.release();
    midi_.stop();
    outputs_.released(session.status());
}

template <typename Sample>
void LiveStreams::process(const juce::AudioBuffer<Sample>& audio, juce::MidiBuffer& midi,
                          const Block& block) noexcept {
    if (!barrier_.enter()) return;
    if (block.listen) listen(audio, block);
    // Some hosts name rates that are negative, infinite or no number.
    const double hold = parameters_.holdSeconds() * sampleRate_;
    midi_.render(midi, audio.getNumSamples(), block.listen && parameters_.midiOut(),
                 hold > 0.0 && hold < 1e12 ? std::llround(hold) : 0);
    barrier_.leave();
}

template <typename Sample>
void LiveStreams::listen(const juce::AudioBuffer<Sample>& audio, const Block& block) noexcept {
    if (block.offline != (bounceSession_ != nullptr)) return; // the other session is about to begin
    const bool lockstep = block.offline && outputs_.sends();
    if (lockstep && !lockstep_) {
        running_->pushAndWait({}, {}, true);
        midi_.stop(); // audio that is analysed only now was to have no notes
    }
    lockstep_ = lockstep;
    if (audio.getNumSamples() == 0) return;
    streaming::HostTime host = transport_.next(block.head, sampleRate_);
    const MixedChannels mixed{.chosen = parameters_.channel(),
                              .leftOut = leftOut_.load(std::memory_order_relaxed)};
    std::array<float, downMixChunk> mono;
    for (int done = 0; done < audio.getNumSamples();) {
        const int count = std::min(downMixChunk, audio.getNumSamples() - done);
        const std::span<float> chunk(mono.data(), static_cast<std::size_t>(count));
        mixToMono(audio, done, chunk, mixed);
        if (block.offline) {
            running_->pushAndWait(chunk, host, lockstep);
        } else {
            running_->push(chunk, host);
        }
        done += count;
        host.goesOn = true;
    }
}

template void LiveStreams::process(const juce::AudioBuffer<float>&, juce::MidiBuffer&, const Block&) noexcept;
template void LiveStreams::process(const juce::AudioBuffer<double>&, juce::MidiBuffer&,
                                   const Block&) noexcept;

void LiveStreams::setModel(const streaming::ModelLoader& model) {
    session_.setModel(model);
    const std::scoped_lock lock(mutex_);
    loader_ = model;
    if (bounceSession_ != nullptr) bounceSession_->setModel(model);
}

void LiveStreams::setWords(const streaming::WordsLoader& words, const streaming::ModelLoader& model) {
    session_.setWords(words, model);
    const std::scoped_lock lock(mutex_);
    loader_ = model;
    if (bounceSession_ != nullptr) bounceSession_->setWords(words, model);
}

void LiveStreams::setKeepsAudio(bool keeps) {
    keepsAudio_ = keeps;
    session_.setKeepsAudio(keeps);
    if (const auto history = bounce()) history->keepAudio(keeps);
}

std::shared_ptr<streaming::LiveHistory> LiveStreams::bounce() const {
    const std::scoped_lock lock(mutex_);
    return bounce_;
}

} // namespace earshot::plugin
