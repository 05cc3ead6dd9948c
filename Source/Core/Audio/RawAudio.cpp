#include "Core/Audio/RawAudio.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace earshot::audio {

namespace {

using Kind = RawFormat::Kind;

constexpr std::size_t chunkHead = 8; // bytes: a name and a size

struct NamedFormat {
    const char* name;
    Kind kind;
    int bytes;
    bool bigEndian;
};

constexpr std::array<NamedFormat, 11> namedFormats{{{"s16le", Kind::integer, 2, false},
                                                    {"s16be", Kind::integer, 2, true},
                                                    {"s24le", Kind::integer, 3, false},
                                                    {"s24be", Kind::integer, 3, true},
                                                    {"s32le", Kind::integer, 4, false},
                                                    {"s32be", Kind::integer, 4, true},
                                                    {"f32le", Kind::real, 4, false},
                                                    {"f32be", Kind::real, 4, true},
                                                    {"f64le", Kind::real, 8, false},
                                                    {"f64be", Kind::real, 8, true},
                                                    {"u8", Kind::unsignedInteger, 1, false}}};

std::uint64_t wordAt(const char* bytes, int count, bool bigEndian) {
    std::uint64_t word = 0;
    for (int i = 0; i < count; ++i) {
        const int at = bigEndian ? i : count - 1 - i;
        word = word << 8 | static_cast<unsigned char>(bytes[at]);
    }
    return word;
}

float sampleOf(const RawFormat& format, std::uint64_t word) {
    if (format.kind == Kind::real)
        return format.bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(word))
                                 : static_cast<float>(std::bit_cast<double>(word));
    const int bits = 8 * format.bytes;
    if (format.kind == Kind::unsignedInteger) word ^= std::uint64_t{1} << (bits - 1);
    const auto aligned = static_cast<std::int32_t>(static_cast<std::uint32_t>(word << (32 - bits)));
    return static_cast<float>(aligned) * 0x1p-31f;
}

std::uint32_t number(std::string_view bytes, std::size_t at, int count) {
    return at + static_cast<std::size_t>(count) <= bytes.size()
               ? static_cast<std::uint32_t>(wordAt(bytes.data() + at, count, false))
               : 0;
}

// The format of a chunk "fmt ", or null for what is neither PCM nor IEEE.
std::optional<RawFormat> formatOf(std::string_view chunk) {
    constexpr std::uint32_t pcm = 1, ieee = 3, extensible = 0xfffe;
    constexpr std::size_t subformat = 24;
    std::uint32_t tag = number(chunk, 0, 2);
    if (tag == extensible) tag = number(chunk, subformat, 2);
    RawFormat format;
    format.channels = static_cast<int>(number(chunk, 2, 2));
    format.rate = static_cast<int>(std::min<std::uint32_t>(number(chunk, 4, 4), 0x7fffffff));
    const int align = static_cast<int>(number(chunk, 12, 2));
    if (format.channels < 1 || align % format.channels != 0) return std::nullopt;
    format.bytes = align / format.channels;
    const int bits = static_cast<int>(number(chunk, 14, 2));
    if (bits > 8 * format.bytes || bits <= 8 * (format.bytes - 1)) return std::nullopt;
    format.kind = tag == ieee ? Kind::real : format.bytes == 1 ? Kind::unsignedInteger : Kind::integer;
    const bool known = tag == ieee  ? format.bytes == 4 || format.bytes == 8
                       : tag == pcm ? format.bytes >= 1 && format.bytes <= 4
                                    : false;
    return known ? std::optional(format) : std::nullopt;
}

// Programs that write into a pipe put the largest number there, or one near it, or 0.
std::optional<std::int64_t> knownCount(std::uint64_t bytes) {
    constexpr std::uint64_t half = std::uint64_t{1} << 31, near = 1 << 16;
    if ((bytes + near) % half <= near || bytes > std::uint64_t{1} << 60) return std::nullopt;
    return static_cast<std::int64_t>(bytes);
}

} // namespace

std::optional<RawFormat> rawFormatNamed(std::string_view name) {
    const auto* const found = std::ranges::find(namedFormats, name, &NamedFormat::name);
    if (found == namedFormats.end()) return std::nullopt;
    return RawFormat{.kind = found->kind, .bytes = found->bytes, .bigEndian = found->bigEndian};
}

std::vector<std::string> rawFormatNames() {
    std::vector<std::string> names;
    names.reserve(namedFormats.size());
    for (const NamedFormat& format : namedFormats) names.emplace_back(format.name);
    return names;
}

void convertRaw(const RawFormat& format, std::span<const char> bytes, std::span<float> samples) {
    assert(bytes.size() == samples.size() * static_cast<std::size_t>(format.bytes));
    const char* from = bytes.data();
    for (float& sample : samples) {
        sample = sampleOf(format, wordAt(from, format.bytes, format.bigEndian));
        from += format.bytes;
    }
}

std::optional<WavHead> readWavHead(PipeInput& pipe) {
    constexpr std::size_t firstChunk = 12, sizes = 28;
    if (!pipe.keep(firstChunk)) return std::nullopt;
    const std::string container(pipe.kept().substr(0, 4));
    const bool wide = container == "RF64" || container == "BW64";
    if ((container != "RIFF" && !wide) || pipe.kept().substr(8, 4) != "WAVE") return std::nullopt;
    std::optional<RawFormat> format;
    std::uint64_t wideBytes = 0;
    for (std::size_t at = firstChunk; pipe.keep(at + chunkHead);) {
        const std::string name(pipe.kept().substr(at, 4));
        const std::size_t size = number(pipe.kept(), at + 4, 4);
        const std::size_t begin = at + chunkHead;
        if (name == "data") {
            constexpr std::uint32_t elsewhere = 0xffffffff;
            if (!format) return std::nullopt;
            return WavHead{*format, static_cast<std::int64_t>(begin),
                           knownCount(wide && size == elsewhere ? wideBytes : size)};
        }
        if (begin + size > PipeInput::maxKept || !pipe.keep(begin + size + size % 2)) return std::nullopt;
        if (name == "fmt " && !(format = formatOf(pipe.kept().substr(begin, size)))) return std::nullopt;
        if (name == "ds64" && size >= sizes) wideBytes = wordAt(pipe.kept().data() + begin + 8, 8, false);
        at = begin + size + size % 2;
    }
    return std::nullopt;
}

RawReader::RawReader(std::shared_ptr<PipeInput> pipe, const WavHead& head)
    : pipe_(std::move(pipe))
    , head_(head)
    , position_(head.begin) {}

// Reads up to `bytes` of the audio behind what is buffered. Returns how many.
std::size_t RawReader::fill(std::size_t bytes) {
    if (head_.bytes && !exceeded_) {
        const auto left = std::max<std::int64_t>(head_.begin + *head_.bytes - position_, 0);
        if (left == 0) return goOnBehindCount();
        bytes = static_cast<std::size_t>(std::min(left, static_cast<std::int64_t>(bytes)));
    }
    const std::size_t count = pipe_->readAt(position_, buffer_.data() + buffered_, bytes);
    position_ += static_cast<std::int64_t>(count);
    buffered_ += count;
    return count;
}

// Behind the audio that the head counts: either chunks, which are kept, or more audio, whose first bytes are
// buffered.
std::size_t RawReader::goOnBehindCount() {
    std::int64_t at = position_ + static_cast<std::int64_t>(trailer_.size());
    const auto readTo = [&](std::size_t bytes) {
        std::array<char, 4096> part{};
        while (trailer_.size() < bytes) {
            const auto count = pipe_->readAt(at, part.data(), std::min(part.size(), bytes - trailer_.size()));
            if (count == 0) return false;
            at += static_cast<std::int64_t>(count);
            trailer_.append(part.data(), count);
        }
        return true;
    };
    const auto isPrintable = [](char c) { return c >= ' ' && c <= '~'; };
    const auto padding = static_cast<std::size_t>(*head_.bytes % 2);
    if (readTo(chunkHead) && !std::ranges::all_of(trailer_.substr(padding, 4), isPrintable)) {
        exceeded_ = true;
        std::ranges::copy(trailer_, buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_));
        buffered_ += trailer_.size();
        position_ = at;
        trailer_.clear();
        return chunkHead;
    }
    if (readTo(PipeInput::maxKept)) { // the writer is not cut off
        std::array<char, 4096> part{};
        std::size_t count = 0;
        do {
            count = pipe_->readAt(at, part.data(), part.size());
            at += static_cast<std::int64_t>(count);
        } while (count > 0);
    }
    return 0;
}

std::size_t RawReader::read(std::span<float> samples) {
    const std::size_t frameBytes = head_.format.frameBytes();
    const std::size_t wanted = samples.size() / static_cast<std::size_t>(head_.format.channels) * frameBytes;
    buffer_.resize(std::max(buffer_.size(), wanted + chunkHead));
    while (buffered_ < wanted && fill(wanted - buffered_) > 0) {
    }
    const std::size_t frames = std::min(buffered_, wanted) / frameBytes;
    const std::size_t taken = frames * frameBytes;
    convertRaw(head_.format, std::span(buffer_).first(taken),
               samples.first(frames * static_cast<std::size_t>(head_.format.channels)));
    buffered_ -= taken;
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(taken), buffered_, buffer_.begin());
    return frames;
}

} // namespace earshot::audio
