// What a new model hears before a live stream goes on with it: the audio that is kept of the stream, and then
// what came meanwhile. Audio is mono, at the model's rate. The worker's thread.
#pragma once

#include "Core/Streaming/KeptAudio.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace earshot::streaming {

class CatchUp {
  public:
    static constexpr double hop = 1.28;        // seconds between windows meanwhile
    static constexpr double maxBehind = 120.0; // seconds that may come meanwhile

    void begin(KeptAudio::Stretch past) {
        stop();
        past_ = std::move(past);
        state_ = State::keptAudio;
    }
    void stop() { *this = {}; }
    bool running() const { return state_ != State::done; }
    void add(std::span<const float> samples) { // which came meanwhile
        since_.insert(since_.end(), samples.begin(), samples.end());
    }
    // More came than the machine catches up with.
    bool tooSlow() const { return static_cast<double>(since_.size()) > maxBehind * past_.rate(); }

    // The next samples to hear: a second of what is kept, and at last what came meanwhile. Empty: it is done.
    std::vector<float> next() {
        if (state_ == State::keptAudio) {
            const std::int64_t left = past_.size() - heard_;
            std::vector<float> part(static_cast<std::size_t>(std::min<std::int64_t>(left, past_.rate())));
            past_.copy(heard_, part);
            heard_ += static_cast<std::int64_t>(part.size());
            if (!part.empty()) return part;
            state_ = State::newAudio;
        }
        auto part = std::exchange(since_, {});
        if (part.empty()) stop();
        return part;
    }

  private:
    enum class State { done, keptAudio, newAudio };

    State state_ = State::done;
    KeptAudio::Stretch past_;
    std::int64_t heard_ = 0; // samples of past_
    std::vector<float> since_;
};

} // namespace earshot::streaming
