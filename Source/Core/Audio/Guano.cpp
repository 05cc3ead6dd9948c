#include "Core/Audio/Guano.h"

#include "Core/Audio/Containers.h"
#include "Core/Base/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace earshot::audio {

namespace {

constexpr std::size_t maxGuanoBytes = 1 << 16;
constexpr std::size_t maxGuanoFields = 1000;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks(" \t\r\0", 4);
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<double> numberIn(const Guano& fields, std::string_view name) {
    const auto field = fields.find(name);
    if (field == fields.end()) return std::nullopt;
    return parseNumber(field->second);
}

bool areClose(double a, double b) { return std::abs(a - b) <= 0.01 * b; }

} // namespace

Guano parseGuano(std::string_view text) {
    Guano fields;
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    if (!text.starts_with("GUANO|")) return fields;
    while (!text.empty() && fields.size() < maxGuanoFields) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        fields.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return fields;
}

Guano readGuano(InputFile& input) {
    const auto chunk = findWavChunk(input, "guan");
    if (!chunk) return {};
    const auto bytes = std::min<std::int64_t>(chunk->bytes, std::int64_t{maxGuanoBytes});
    return parseGuano(bytesAt(input, chunk->begin, static_cast<std::size_t>(bytes)));
}

TimeExpansion timeExpansion(const Guano& fields, int sampleRate) {
    constexpr double maxFactor = 1000.0;
    const auto factor = numberIn(fields, "TE");
    if (!factor || *factor <= 0.0 || *factor == 1.0 || *factor > maxFactor) return {};
    const auto recorded = numberIn(fields, "Samplerate");
    if (!recorded || areClose(*recorded, *factor * sampleRate)) return {.factor = *factor, .problem = {}};
    return {.factor = 1.0,
            .problem =
                fmt::format("its GUANO metadata contradict themselves: TE is {}, but Samplerate is {} Hz "
                            "and the file's rate {} Hz; if it is slowed down, say so (--speed {})",
                            *factor, *recorded, sampleRate, *factor)};
}

} // namespace earshot::audio
