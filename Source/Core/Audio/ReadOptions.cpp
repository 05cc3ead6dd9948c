#include "Core/Audio/ReadOptions.h"

#include "Core/Base/Numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace earshot::audio {

std::optional<int> parseChannel(std::string_view text) {
    if (text == "mix") return ReadOptions::mix;
    if (text == "each") return ReadOptions::eachChannel;
    const auto number = parseNumber(text);
    if (!number || *number < 1.0 || *number > ReadOptions::maxChannel || *number != std::floor(*number))
        return std::nullopt;
    return static_cast<int>(*number);
}

std::string channelText(int channel) {
    if (channel == ReadOptions::mix) return "mix";
    if (channel == ReadOptions::eachChannel) return "each";
    return fmt::format("{}", channel);
}

std::string gainText(const ReadOptions& options) {
    return options.autoGain ? "auto" : fmt::format("{} dB", options.gain);
}

std::string speedText(const ReadOptions& options) {
    return options.speed ? fmt::format("{}", *options.speed) : "as recorded";
}

} // namespace earshot::audio
