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

std::int64_t leadingTagBytes(InputFile& input) {
    constexpr int maxTags = 8;
    std::int64_t at = 0;
    for (int tags = 0; tags < maxTags; ++tags) {
        const std::string header = bytesAt(input, at, tagHeaderBytes);
        if (!header.starts_with("ID3")) break;
        at += tagBytes(header);
    }
    return at;
}

std::int64_t trailingTagBytes(InputFile& input, std::int64_t end) {
    constexpr std::int64_t id3Bytes = 128, apeBytes = 32;
    std::int64_t bytes = 0;
    if (end >= id3Bytes && bytesAt(input, end - id3Bytes, 3) == "TAG") bytes = id3Bytes;
    const std::string footer = bytesAt(input, std::max<std::int64_t>(end - bytes - apeBytes, 0), apeBytes);
    if (footer.starts_with("APETAGEX")) bytes += std::clamp<std::int64_t>(tagBytes(footer), 0, end - bytes);
    return bytes;
}

std::int64_t endWithoutZeros(InputFile& input) {
    constexpr std::int64_t view = 1 << 16;
    constexpr int maxViews = 1 << 14; // a gigabyte of zeros
    std::int64_t end = input.size();
    for (int i = 0; i < maxViews && end > 0; ++i) {
        const std::int64_t from = std::max<std::int64_t>(end - view, 0);
        const std::string bytes = bytesAt(input, from, static_cast<std::size_t>(end - from));
        const auto at = bytes.find_last_not_of('\0');
        if (at != std::string::npos) return from + static_cast<std::int64_t>(at) + 1;
        end = from;
    }
    return end;
}

bool mpegFramesFollow(InputFile& input) {
    constexpr std::int64_t padding = 4 * 1441; // bytes; an encoder's last frames may hold nothing
    constexpr int maxTags = 8;
    std::int64_t at = input.position();
    for (int tags = 0; tags <= maxTags && input.size() - at > padding; ++tags) {
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

constexpr std::int64_t maxBytes = std::int64_t{1} << 60; // no file is so long

std::string littleEndian(std::int64_t value, std::size_t bytes = 8) {
    std::string text;
    for (; text.size() < bytes; value >>= 8) text.push_back(static_cast<char>(value & 0xff));
    return text;
}

std::string bigEndian(std::int64_t value, std::size_t bytes) {
    std::string text = littleEndian(value, bytes);
    std::ranges::reverse(text);
    return text;
}

// Walks over what follows the audio: chunks, tags and filler. Returns how many bytes are left where it meets
// something else. sizeOf: as below.
template <typename SizeOf>
std::int64_t unexplainedFrom(InputFile& input, std::int64_t at, std::size_t headerBytes,
                             std::int64_t alignment, SizeOf sizeOf) {
    constexpr int maxViews = 1000;
    constexpr std::size_t viewBytes = 1 << 16, nameBytes = 4;
    constexpr std::string_view filler("\0\xff", 2);
    for (int views = 0; views < maxViews && at < input.size(); ++views) {
        const std::string view = bytesAt(input, at, viewBytes);
        const std::size_t filled = std::min(view.find_first_not_of(filler), view.size());
        at += static_cast<std::int64_t>(filled);
        if (view.size() - filled < std::max(headerBytes, tagHeaderBytes)) {
            if (view.size() < viewBytes) {
                if (view.size() - filled < headerBytes) return 0;
            } else if (filled > 0) {
                continue;
            }
        }
        const std::string_view header = std::string_view(view).substr(filled);
        const bool named =
            std::ranges::all_of(header.substr(0, nameBytes), [](char c) { return c >= ' ' && c <= '~'; });
        const std::int64_t bytes = headerBytes == 0 ? -1 : sizeOf(header);
        const std::int64_t body = at + static_cast<std::int64_t>(headerBytes);
        if (named && bytes >= 0 && bytes <= input.size() - body)
            at = (body + bytes + alignment - 1) / alignment * alignment;
        else if (const std::int64_t tag = tagBytes(header); tag > 0)
            at += tag;
        else
            return input.size() - at;
    }
    return 0;
}

// Walks over chunks from that offset to the first one of that name. sizeOf: of a chunk's header, the bytes
// that follow it.
template <typename SizeOf>
std::optional<CountedAudio> findChunk(InputFile& input, std::int64_t at, std::string_view name,
                                      std::size_t headerBytes, std::int64_t alignment, SizeOf sizeOf) {
    constexpr int maxChunks = 1000;
    for (int chunks = 0; chunks < maxChunks; ++chunks) {
        const std::string header = bytesAt(input, at, headerBytes);
        if (header.size() < headerBytes) return std::nullopt;
        const std::int64_t body = at + static_cast<std::int64_t>(headerBytes);
        const std::int64_t bytes = sizeOf(header);
        if (bytes < 0 || bytes > maxBytes) return std::nullopt;
        if (header.starts_with(name)) return CountedAudio{body, bytes};
        at = (body + bytes + alignment - 1) / alignment * alignment;
    }
    return std::nullopt;
}

std::int64_t wavSize(std::string_view header) { return number(header, {7, 6, 5, 4}, 8); }
std::int64_t aiffSize(std::string_view header) { return number(header, {4, 5, 6, 7}, 8); }
// Not negative: what is, counts as more than any file has.
std::int64_t cafSize(std::string_view header) {
    const std::int64_t size = number(header, {4, 5, 6, 7, 8, 9, 10, 11}, 8);
    return size < 0 ? maxBytes : size;
}
std::int64_t w64Size(std::string_view header) { // counts the header of the chunk
    return std::max<std::int64_t>(number(header, {23, 22, 21, 20, 19, 18, 17, 16}, 8), 0) - 24;
}

constexpr std::int64_t riffBytes = 12;

// A WAV, RF64 or BW64 file.
std::optional<CountedAudio> findWavAudio(InputFile& input) {
    constexpr std::size_t headerBytes = 8;
    const std::string riff = bytesAt(input, 0, riffBytes);
    const bool bw64 = riff.starts_with("BW64");
    const bool wide = bw64 || riff.starts_with("RF64");
    if (!(wide || riff.starts_with("RIFF")) || !riff.ends_with("WAVE")) return std::nullopt;
    const auto sizes = wide ? findChunk(input, riffBytes, "ds64", headerBytes, 2, wavSize) : std::nullopt;
    auto audio = findChunk(input, riffBytes, "data", headerBytes, 2, wavSize);
    // Some programs leave out the byte behind a chunk of odd length.
    if (!audio) audio = findChunk(input, riffBytes, "data", headerBytes, 1, wavSize);
    if (!audio) return std::nullopt;
    const std::string extension = littleEndian(input.size() - audio->begin);
    const bool sized = sizes && sizes->begin < audio->begin;
    if (sized) {
        const std::string size = bytesAt(input, sizes->begin + 8, 8);
        audio->bytes = std::clamp<std::int64_t>(number(size, {7, 6, 5, 4, 3, 2, 1, 0}, 8), 0, maxBytes);
        audio->extension = {{sizes->begin + 8, extension}};
    } else {
        audio->extension = {{audio->begin - 4, std::string(4, '\xff')}};
    }
    if (bw64) audio->corrections.push_back({0, "RF64\xff\xff\xff\xff"});
    audio->unexplained = unexplainedFrom(input, audio->begin + audio->bytes, headerBytes, 1, wavSize);
    if (audio->bytes == 0 && audio->unexplained > 0)
        audio->corrections.insert(audio->corrections.end(), audio->extension.begin(), audio->extension.end());
    return audio;
}

std::optional<CountedAudio> findAiffAudio(InputFile& input) {
    constexpr std::size_t headerBytes = 8;
    auto audio = findChunk(input, riffBytes, "SSND", headerBytes, 2, aiffSize);
    if (!audio) return audio;
    audio->unexplained = unexplainedFrom(input, audio->begin + audio->bytes, headerBytes, 2, aiffSize);
    const std::int64_t most = 0xffffffff;
    audio->extension = {{audio->begin - 4, bigEndian(std::min(input.size() - audio->begin, most), 4)}};
    return audio;
}

// The size is -1 where the program that wrote it did not know it; libsndfile refuses that, and others that
// cannot be right.
std::optional<CountedAudio> findCafAudio(InputFile& input) {
    constexpr std::size_t headerBytes = 12;
    constexpr std::int64_t firstChunk = 8, editBytes = 4; // the audio begins with a number of edits
    auto audio = findChunk(input, firstChunk, "data", headerBytes, 1, cafSize);
    if (!audio) return audio;
    const std::int64_t rest = input.size() - audio->begin;
    audio->extension = {{audio->begin - 8, bigEndian(rest, 8)}};
    if (audio->bytes <= editBytes || audio->bytes > rest) audio->corrections = audio->extension;
    const bool unknown = audio->bytes == maxBytes;
    audio->unexplained = unexplainedFrom(input, audio->begin + audio->bytes, headerBytes, 1, cafSize);
    audio->begin += editBytes;
    audio->bytes = unknown ? rest - editBytes : std::max<std::int64_t>(audio->bytes - editBytes, 0);
    return audio;
}

std::optional<CountedAudio> findAuAudio(InputFile& input, std::string_view head) {
    const bool little = head.starts_with("dns.");
    CountedAudio audio;
    audio.begin = little ? number(head, {7, 6, 5, 4}, 8) : number(head, {4, 5, 6, 7}, 8);
    audio.bytes = little ? number(head, {11, 10, 9, 8}, 8) : number(head, {8, 9, 10, 11}, 8);
    audio.extension = {{8, std::string(4, '\xff')}};
    if (audio.bytes == 0) audio.corrections = audio.extension;
    audio.unexplained = unexplainedFrom(input, audio.begin + audio.bytes, 0, 1, aiffSize);
    return audio;
}

} // namespace

bool widenWav(InputFile& input, const CountedAudio& audio) {
    const auto format = findChunk(input, riffBytes, "fmt ", 8, 2, wavSize);
    constexpr std::int64_t maxFormatBytes = 1 << 10;
    if (!format || format->begin > audio.begin || format->bytes > maxFormatBytes) return false;
    const std::int64_t bytes = input.size() - audio.begin;
    const std::string unset(4, '\xff');
    std::string head = "RF64" + unset + "WAVEds64" + littleEndian(28, 4) + littleEndian(bytes + 72) +
                       littleEndian(bytes) + littleEndian(0) + littleEndian(0, 4) + "fmt " +
                       littleEndian(format->bytes, 4);
    head += bytesAt(input, format->begin, static_cast<std::size_t>(format->bytes)) + "data" + unset;
    const auto begin = static_cast<std::int64_t>(head.size());
    input.rearrange(std::move(head), {{.begin = begin, .from = audio.begin}}, begin + bytes);
    return true;
}

std::optional<CountedAudio> findCountedAudio(InputFile& input) {
    const std::string head = bytesAt(input, 0, riffBytes);
    if (head.starts_with("riff")) return findChunk(input, 40, "data", 24, 8, w64Size);
    if (head.starts_with("FORM")) return findAiffAudio(input);
    if (head.starts_with("caff")) return findCafAudio(input);
    if ((head.starts_with(".snd") || head.starts_with("dns.")) && head.size() == riffBytes)
        return findAuAudio(input, head);
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
