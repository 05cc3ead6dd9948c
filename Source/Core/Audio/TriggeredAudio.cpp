#include "Core/Audio/TriggeredAudio.h"

#include "Core/Audio/Containers.h"
#include "Core/Base/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::audio {

namespace {

constexpr int countSamples = 32;
constexpr int zeroSamples = 224;
constexpr std::int64_t sampleBytes = 2;
constexpr std::int64_t leftOutBytes = 512;    // that a block counts as one
constexpr std::int64_t maxHours = 48;         // of a recording; AudioMoth begins another one each day
constexpr std::size_t maxLeftOut = 1 << 20;   // stretches; a trigger lasts a second or more
constexpr std::size_t maxHeadBytes = 1 << 16; // before the audio
constexpr std::int64_t max32 = 0xffffffff;    // what a WAV can count
constexpr std::string_view makersTool =
    "use the maker's program (AudioMoth Configuration App, Tools > Expand "
    "AudioMoth T.WAV Files) and analyze what it writes";

std::string bytesOf(std::int64_t value, int count) {
    std::string text;
    for (int i = 0; i < count; ++i, value >>= 8) text.push_back(static_cast<char>(value & 0xff));
    return text;
}

std::int64_t numberAt(std::string_view bytes, std::size_t at, std::size_t count) {
    std::int64_t value = 0;
    for (std::size_t i = count; i > 0; --i)
        value = (value << 8) | static_cast<unsigned char>(bytes[at + i - 1]);
    return value;
}

// A WAV of one channel in 16 bits.
struct MonoWav {
    std::string head;       // up to the audio
    std::int64_t rate = 0;  // Hz
    std::int64_t begin = 0; // of the audio, in bytes
    std::int64_t end = 0;
};

std::optional<MonoWav> readMonoWav(InputFile& input) {
    const auto format = findWavChunk(input, "fmt ");
    const auto audio = findWavChunk(input, "data");
    if (!format || !audio || audio->begin > static_cast<std::int64_t>(maxHeadBytes)) return std::nullopt;
    const std::string fields = bytesAt(input, format->begin, 16);
    if (fields.size() < 16 || numberAt(fields, 0, 2) != 1 || numberAt(fields, 2, 2) != 1 ||
        numberAt(fields, 14, 2) != 16)
        return std::nullopt;
    MonoWav wav{.head = bytesAt(input, 0, static_cast<std::size_t>(audio->begin)),
                .rate = std::max<std::int64_t>(1, numberAt(fields, 4, 4)),
                .begin = audio->begin,
                // A recorder that lost power has not counted its audio.
                .end = audio->bytes > 0 ? audio->begin + audio->bytes : input.size()};
    if (!wav.head.starts_with("RIFF")) return std::nullopt;
    return wav;
}

struct LeftOut {
    std::int64_t at = 0;    // where its block is in the file
    std::int64_t bytes = 0; // that were left out
};

std::vector<LeftOut> findLeftOut(InputFile& input, const MonoWav& wav) {
    std::vector<LeftOut> all;
    LeftOutFinder finder;
    std::array<std::int16_t, 1 << 15> samples{};
    input.seek(wav.begin, SEEK_SET);
    for (std::int64_t at = wav.begin; at < wav.end && all.size() < maxLeftOut;) {
        const auto wanted = std::min<std::int64_t>(wav.end - at, sizeof(samples));
        const auto count = input.read(samples.data(), static_cast<std::size_t>(wanted));
        if (count < static_cast<std::size_t>(sampleBytes)) break;
        at += static_cast<std::int64_t>(count);
        finder.push(std::span(samples).first(count / static_cast<std::size_t>(sampleBytes)),
                    [&](std::int64_t first, std::int64_t blocks) {
                        all.push_back({wav.begin + first * sampleBytes, blocks * leftOutBytes});
                    });
    }
    input.seek(0, SEEK_SET);
    return all;
}

// The header for that many bytes of audio more: that of an RF64 where a WAV cannot count them.
std::string headFor(const MonoWav& wav, std::int64_t added, std::int64_t fileBytes) {
    constexpr std::int64_t wideBytes = 36; // of a chunk "ds64"
    const std::int64_t audio = wav.end - wav.begin + added;
    const std::int64_t riff = fileBytes + added - 8;
    std::string head = wav.head;
    const std::size_t size = head.size() - 4;
    if (riff <= max32 && audio <= max32)
        return head.replace(size, 4, bytesOf(audio, 4)).replace(4, 4, bytesOf(riff, 4));
    head.replace(size, 4, bytesOf(max32, 4));
    return "RF64" + bytesOf(max32, 4) + "WAVEds64" + bytesOf(wideBytes - 8, 4) +
           bytesOf(riff + wideBytes, 8) + bytesOf(audio, 8) + bytesOf(audio / sampleBytes, 8) +
           bytesOf(0, 4) + head.substr(12);
}

std::string lowerCase(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// "20260515_033000T", and "5E6F7A1BT" of the first versions
bool isTriggeredName(std::string_view name) {
    constexpr std::size_t minDigits = 6;
    const std::string stem = lowerCase(std::string(name.substr(0, name.rfind('.'))));
    if (stem.size() <= minDigits || !stem.ends_with('t')) return false;
    return std::ranges::all_of(std::string_view(stem).substr(stem.size() - 1 - minDigits, minDigits),
                               [](unsigned char c) { return std::isxdigit(c) != 0; });
}

} // namespace

void LeftOutFinder::push(std::span<const std::int16_t> samples, const Found& found) {
    for (const std::int16_t sample : samples) {
        ++samples_;
        if (sample == 0) {
            if (signs_ < countSamples)
                signs_ = 0;
            else if (++zeros_ == zeroSamples && bits_ != 0)
                end(found);
            continue;
        }
        const bool sign = sample == 1 || sample == -1;
        signs_ = !sign ? 0 : zeros_ > 0 ? 1 : std::min(signs_ + 1, countSamples);
        zeros_ = 0;
        bits_ = (bits_ >> 1) | (sample == 1 ? 0x80000000u : 0u);
    }
}

void LeftOutFinder::end(const Found& found) {
    found_ = true;
    if (found) found(samples_ - blockSamples, bits_);
}

bool namesTriggeredAudio(InputFile& input) {
    if (isTriggeredName(input.name())) return true;
    const auto list = findWavChunk(input, "LIST");
    if (!list) return false;
    constexpr std::int64_t maxCommentLength = 4096;
    const auto bytes = static_cast<std::size_t>(std::min(list->bytes, maxCommentLength));
    const std::string text = lowerCase(bytesAt(input, list->begin, bytes));
    return text.find("audiomoth") != std::string::npos &&
           (text.find("trigger") != std::string::npos || text.find("threshold") != std::string::npos);
}

std::string leftOutMessage(const std::string& name) {
    return name +
           ": is an AudioMoth recording without its quiet stretches, which another program has converted, so "
           "that its times would be wrong; " +
           std::string(makersTool);
}

bool putSilenceBack(InputFile& input) {
    const auto wav = readMonoWav(input);
    if (!wav) return false;
    const auto leftOut = findLeftOut(input, *wav);
    if (leftOut.empty()) return true;
    using Stretch = InputFile::Stretch;
    std::int64_t added = 0;
    for (const LeftOut& each : leftOut) added += each.bytes - leftOutBytes;
    const double hours = static_cast<double>(added) / static_cast<double>(wav->rate * sampleBytes) / 3600.0;
    if (hours > static_cast<double>(maxHours) || leftOut.size() >= maxLeftOut)
        throw Error(
            fmt::format("{}: leaves out {} quiet stretches of {:.0f} hours in all, where a recording has "
                        "at most {} hours; it is damaged: {}",
                        input.name(), leftOut.size(), hours, maxHours, makersTool));
    std::string head = headFor(*wav, added, input.size());
    auto at = static_cast<std::int64_t>(head.size());
    std::vector<Stretch> stretches = {{.begin = at, .from = wav->begin}};
    std::int64_t from = wav->begin;
    for (const LeftOut& each : leftOut) {
        at += each.at - from;
        from = each.at + leftOutBytes;
        if (stretches.back().begin == at) stretches.pop_back();
        stretches.push_back({.begin = at, .from = Stretch::zeros});
        at += each.bytes;
        stretches.push_back({.begin = at, .from = from});
    }
    const std::int64_t size = at + input.size() - from;
    input.rearrange(std::move(head), std::move(stretches), size);
    return true;
}

} // namespace earshot::audio
