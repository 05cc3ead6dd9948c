#include "Core/Audio/Containers.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace earshot::audio {

std::string bytesAt(InputFile& input, std::int64_t from, std::size_t count) {
    const std::int64_t position = input.position();
    std::string bytes(count, '\0');
    input.seek(from, SEEK_SET);
    bytes.resize(input.read(bytes.data(), count));
    input.seek(position, SEEK_SET);
    return bytes;
}

namespace {

unsigned byteAt(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// An Ogg page (RFC 3533, section 6).
constexpr std::string_view oggPattern{"OggS\0", 5};
constexpr std::size_t oggFlags = 5; // where the header has them
constexpr unsigned oggFirst = 2;    // the flag of the first page of a stream
constexpr unsigned oggLast = 4;     // the flag of the last page of a stream
constexpr std::size_t oggHeaderBytes = 27;
constexpr std::size_t mostOggPageBytes = oggHeaderBytes + 255 + 255 * 255;

// The number that digits make, the most significant first.
std::int64_t number(std::string_view bytes, std::initializer_list<std::size_t> digits,
                    unsigned bitsPerDigit) {
    std::int64_t value = 0;
    for (const std::size_t digit : digits) value = (value << bitsPerDigit) + byteAt(bytes, digit);
    return value;
}

constexpr std::size_t tagHeaderBytes = 32; // those of an APE tag, the longest

// The length of the tag that begins there, ID3 or APE. Returns 0 if none does, or too little is there.
std::int64_t tagBytes(std::string_view bytes) {
    if (bytes.size() < tagHeaderBytes) return 0;
    if (bytes.starts_with("ID3")) return 10 + number(bytes, {6, 7, 8, 9}, 7);
    if (bytes.starts_with("TAG")) return 128;
    if (bytes.starts_with("APETAGEX")) return 32 + number(bytes, {15, 14, 13, 12}, 8);
    return 0;
}

} // namespace

bool oggStreamEnds(InputFile& input) {
    const auto from = std::max<std::int64_t>(input.size() - std::int64_t{mostOggPageBytes}, 0);
    const std::string tail = bytesAt(input, from, mostOggPageBytes);
    const std::size_t begin = tail.rfind(oggPattern);
    if (begin == std::string::npos) return false;
    const std::string_view page = std::string_view(tail).substr(begin);
    if (page.size() < oggHeaderBytes) return false;
    const std::size_t segments = byteAt(page, oggHeaderBytes - 1);
    if (page.size() < oggHeaderBytes + segments) return false;
    std::size_t bytes = oggHeaderBytes + segments;
    for (std::size_t i = 0; i < segments; ++i) bytes += byteAt(page, oggHeaderBytes + i);
    return page.size() >= bytes && (byteAt(page, oggFlags) & oggLast) != 0;
}

bool oggStreamFollows(InputFile& input) {
    constexpr std::int64_t readAhead = 8192;
    const auto from =
        std::max<std::int64_t>(input.position() - readAhead, 1); // behind the first page's begin
    const std::string bytes = bytesAt(input, from, mostOggPageBytes);
    for (std::size_t at = 0; (at = bytes.find(oggPattern, at)) != std::string::npos; ++at)
        if (bytes.size() - at > oggFlags && (byteAt(bytes, at + oggFlags) & oggFirst) != 0) return true;
    return false;
}

bool mpegFramesFollow(InputFile& input) {
    constexpr std::int64_t padding = 4 * 1441; // bytes; an encoder's last frames may hold nothing
    constexpr int mostTags = 8;
    std::int64_t at = input.position();
    for (int tags = 0; tags <= mostTags && input.size() - at > padding; ++tags) {
        const std::string header = bytesAt(input, at, tagHeaderBytes);
        if (header.size() < tagHeaderBytes) return false;
        if (const std::int64_t tag = tagBytes(header); tag > 0) {
            at += tag;
        } else { // a frame's header: a pattern, then a layer, a bit rate and a sample rate that exist
            const unsigned second = byteAt(header, 1), third = byteAt(header, 2);
            return byteAt(header, 0) == 0xff && (second & 0xe0) == 0xe0 && (second & 0x06) != 0 &&
                   (third & 0xf0) != 0xf0 && (third & 0x0c) != 0x0c;
        }
    }
    return false;
}

namespace {

constexpr std::int64_t mostBytes = std::int64_t{1} << 60; // no file is so long

// The eight bytes of a number in a WAV.
std::string littleEndian(std::int64_t value) {
    std::string text;
    for (; text.size() < 8; value >>= 8) text.push_back(static_cast<char>(value & 0xff));
    return text;
}

// Walks over chunks from that offset to the first one of that name. sizeOf: of a chunk's header, the bytes
// that follow it.
template <typename SizeOf>
std::optional<CountedAudio> findChunk(InputFile& input, std::int64_t at, std::string_view name,
                                      std::size_t headerBytes, std::int64_t alignment, SizeOf sizeOf) {
    constexpr int mostChunks = 1000;
    for (int chunks = 0; chunks < mostChunks; ++chunks) {
        const std::string header = bytesAt(input, at, headerBytes);
        if (header.size() < headerBytes) return std::nullopt;
        const std::int64_t body = at + static_cast<std::int64_t>(headerBytes);
        const std::int64_t bytes = sizeOf(header);
        if (bytes < 0 || bytes > mostBytes) return std::nullopt;
        if (header.starts_with(name)) return CountedAudio{body, bytes};
        at = (body + bytes + alignment - 1) / alignment * alignment;
    }
    return std::nullopt;
}

// Walks over the chunks of a WAV, RF64 or BW64 file and what follows them.
std::optional<CountedAudio> findWavAudio(InputFile& input) {
    constexpr int mostViews = 1000;
    constexpr std::size_t nameBytes = 4;
    constexpr std::size_t headerBytes = 8;
    constexpr std::size_t viewBytes = 1 << 16;
    constexpr std::int64_t firstChunk = 12;
    constexpr std::string_view filler("\0\xff", 2);
    const std::string riff = bytesAt(input, 0, firstChunk);
    const bool bw64 = riff.starts_with("BW64");
    const bool wide = bw64 || riff.starts_with("RF64");
    if (!(wide || riff.starts_with("RIFF")) || !riff.ends_with("WAVE")) return std::nullopt;
    std::optional<CountedAudio> audio;
    std::int64_t wideSizeAt = 0; // where a chunk "ds64" has the size of the audio, 0 without one
    std::int64_t wideSize = 0;
    std::int64_t at = firstChunk;
    for (int views = 0; views < mostViews; ++views) {
        const std::string view = bytesAt(input, at, viewBytes);
        const std::size_t filled = std::min(view.find_first_not_of(filler), view.size());
        if (view.size() - filled < headerBytes) {
            if (view.size() < viewBytes) return audio;
            at += static_cast<std::int64_t>(filled);
            continue;
        }
        const std::string_view header = std::string_view(view).substr(filled);
        at += static_cast<std::int64_t>(filled);
        std::int64_t bytes = number(header, {7, 6, 5, 4}, 8);
        const std::int64_t body = at + std::int64_t{headerBytes};
        const bool named =
            std::ranges::all_of(header.substr(0, nameBytes), [](char c) { return c >= ' ' && c <= '~'; });
        if (audio && !(named && bytes <= input.size() - body)) {
            if (const std::int64_t tag = tagBytes(header); tag > 0) {
                at += tag;
                continue;
            }
            audio->unexplained = input.size() - at;
            if (audio->bytes == 0 && wideSizeAt > 0)
                audio->corrections.push_back({wideSizeAt, littleEndian(input.size() - audio->begin)});
            else if (audio->bytes == 0)
                audio->corrections.push_back({audio->begin - 4, std::string(4, '\xff')});
            return audio;
        }
        if (!audio && wide && header.starts_with("ds64") && header.size() >= headerBytes + 16) {
            wideSizeAt = body + 8;
            wideSize =
                std::clamp<std::int64_t>(number(header, {23, 22, 21, 20, 19, 18, 17, 16}, 8), 0, mostBytes);
        }
        if (!audio && header.starts_with("data")) {
            if (wideSizeAt > 0) bytes = wideSize;
            audio = CountedAudio{body, bytes};
            if (bw64) audio->corrections.push_back({0, "RF64\xff\xff\xff\xff"});
        }
        at = body + bytes;
    }
    return audio;
}

} // namespace

std::optional<CountedAudio> findCountedAudio(InputFile& input) {
    const std::string head = bytesAt(input, 0, 12);
    if (head.starts_with("riff")) // W64, whose sizes count the header of the chunk
        return findChunk(input, 40, "data", 24, 8, [](std::string_view header) {
            return std::max<std::int64_t>(number(header, {23, 22, 21, 20, 19, 18, 17, 16}, 8), 0) - 24;
        });
    if (head.starts_with("FORM"))
        return findChunk(input, 12, "SSND", 8, 2, [](std::string_view header) {
            return number(header, {4, 5, 6, 7}, 8);
        });
    if (head.starts_with(".snd") && head.size() == 12)
        return CountedAudio{number(head, {4, 5, 6, 7}, 8), number(head, {8, 9, 10, 11}, 8)};
    return findWavAudio(input);
}

std::optional<Chunk> findWavChunk(InputFile& input, std::string_view name) {
    constexpr std::int64_t firstChunk = 12;
    const std::string riff = bytesAt(input, 0, firstChunk);
    const bool wide = riff.starts_with("RF64") || riff.starts_with("BW64");
    if (!(wide || riff.starts_with("RIFF")) || !riff.ends_with("WAVE")) return std::nullopt;
    const auto sizeOf = [](std::string_view header) { return number(header, {7, 6, 5, 4}, 8); };
    constexpr std::int64_t elsewhere = 0xffffffff; // the size of a chunk that "ds64" knows
    std::int64_t wideSize = elsewhere;
    if (const auto sizes = wide ? findChunk(input, firstChunk, "ds64", 8, 2, sizeOf) : std::nullopt)
        if (const std::string text = bytesAt(input, sizes->begin, 16); text.size() == 16)
            wideSize = number(text, {15, 14, 13, 12, 11, 10, 9, 8}, 8);
    const auto found = findChunk(input, firstChunk, name, 8, 2, [&](std::string_view header) {
        const std::int64_t bytes = sizeOf(header);
        return header.starts_with("data") && bytes == elsewhere ? wideSize : bytes;
    });
    if (!found || found->begin >= input.size()) return std::nullopt;
    return Chunk{.begin = found->begin, .bytes = std::min(found->bytes, input.size() - found->begin)};
}

} // namespace earshot::audio
