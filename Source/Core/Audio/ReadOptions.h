// Which audio of a recording is analysed, at which level and speed. Results depend on all of it. Pure
// functions: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace earshot::audio {

struct ReadOptions {
    static constexpr int mix = 0;          // of all channels, or W alone of ambisonics (ChannelLayout.h)
    static constexpr int eachChannel = -1; // one after the other
    static constexpr int maxChannel = 1024;
    static constexpr double maxGain = 150.0; // dB, up or down
    static constexpr double minSpeed = 0.001, maxSpeed = 1000.0;

    int channel = mix; // counted from 1
    // How many times faster than its file says a recording is read, so that rate, times and pitch are those
    // of the sound; null: as its GUANO metadata say (Guano.h).
    std::optional<double> speed = {};
    double gain = 0.0; // dB
    // In place of `gain`: brings the loudest second of a recording to autoLevel (LevelMeter.h).
    bool autoGain = false;

    bool operator==(const ReadOptions&) const = default;
};

// "mix", "each" or a number from 1. Returns null for anything else.
std::optional<int> parseChannel(std::string_view text);
std::string channelText(int channel);

// As a batch's settings name them: "mix", "auto" and so on.
std::string gainText(const ReadOptions& options);
std::string speedText(const ReadOptions& options);

} // namespace earshot::audio
