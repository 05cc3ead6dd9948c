#include "Core/Audio/VocBlocks.h"

#include "Core/Audio/Containers.h"
#include "Core/Base/Error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::audio {

namespace {

constexpr std::string_view signature = "Creative Voice File\x1a";

struct VocFormat {
    std::int64_t rate = 0; // Hz
    int channels = 1;
    int bits = 8;
    int codec = 0; // 0: unsigned 8 bit, 4: signed 16 bit, 6: a-law, 7: mu-law

    bool operator==(const VocFormat&) const = default;
    int frameBytes() const { return channels * bits / 8; }
};

std::int64_t vocNumber(std::string_view bytes, std::size_t at, std::size_t count) {
    std::int64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::string vocBytes(std::int64_t value, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i, value >>= 8) bytes.push_back(static_cast<char>(value & 0xff));
    return bytes;
}

// An RF64 header: it counts more than 4 GiB.
std::string wavHeader(const VocFormat& format, std::int64_t bytes) {
    const int tag = format.codec == 6 ? 6 : format.codec == 7 ? 7 : 1;
    const std::string unset(4, '\xff');
    std::string text = "RF64" + unset + "WAVEds64" + vocBytes(28, 4);
    text += vocBytes(bytes + 72, 8) + vocBytes(bytes, 8) + vocBytes(bytes / format.frameBytes(), 8) +
            vocBytes(0, 4);
    text += "fmt " + vocBytes(16, 4) + vocBytes(tag, 2) + vocBytes(format.channels, 2);
    text += vocBytes(format.rate, 4) + vocBytes(format.rate * format.frameBytes(), 4);
    text += vocBytes(format.frameBytes(), 2) + vocBytes(format.bits, 2);
    return text + "data" + unset;
}

class VocReader {
  public:
    explicit VocReader(InputFile& input)
        : input_(input) {}

    // Returns false if there is nothing that it can join.
    bool read() {
        constexpr int maxBlocks = 1 << 21;
        const std::string head = bytesAt(input_, 0, 26);
        if (head.size() < 26 || !head.starts_with(signature)) return false;
        at_ = vocNumber(head, 20, 2);
        for (int blocks = 0; blocks < maxBlocks; ++blocks) {
            const std::string header = bytesAt(input_, at_, 4 + 12);
            if (header.empty() || header.front() == '\0') return finish();
            if (header.size() < 4) return finish();
            const std::int64_t bytes = vocNumber(header, 1, 3);
            if (!take(static_cast<unsigned char>(header.front()), header, at_ + 4, bytes)) return false;
            at_ += 4 + bytes;
        }
        throw Error(input_.name() + ": has more than " + std::to_string(maxBlocks) +
                    " blocks; convert it (ffmpeg -i FILE out.wav)");
    }

  private:
    bool take(unsigned kind, std::string_view header, std::int64_t body, std::int64_t bytes) {
        switch (kind) {
        case 1: { // sound
            if (bytes < 2 || header.size() < 6) return true;
            VocFormat format{.rate = 1'000'000 / (256 - vocNumber(header, 4, 1)),
                             .channels = 1,
                             .bits = 8,
                             .codec = static_cast<int>(vocNumber(header, 5, 1))};
            if (extended_) {
                format.rate = extended_->rate;
                format.channels = extended_->channels;
                format.codec = extended_->codec;
                extended_.reset();
            }
            return add(format, body + 2, bytes - 2);
        }
        case 2: // more of the same
            return !format_ || add(*format_, body, bytes);
        case 3: { // silence
            if (!format_ || header.size() < 7) return true;
            const std::int64_t samples = vocNumber(header, 4, 2) + 1;
            const std::int64_t rate = 1'000'000 / (256 - vocNumber(header, 6, 1));
            addSilence(samples * format_->rate / rate);
            return true;
        }
        case 8: // rate and channels of the next block
            if (header.size() < 8) return true;
            extended_ = VocFormat{.rate = (vocNumber(header, 7, 1) == 0 ? 256'000'000 : 128'000'000) /
                                          (65536 - vocNumber(header, 4, 2)),
                                  .channels = vocNumber(header, 7, 1) == 0 ? 1 : 2,
                                  .bits = 8,
                                  .codec = static_cast<int>(vocNumber(header, 6, 1))};
            return true;
        case 9: { // sound, as later versions write it
            if (bytes < 12 || header.size() < 16) return true;
            VocFormat format{.rate = vocNumber(header, 4, 4),
                             .channels = static_cast<int>(vocNumber(header, 9, 1)),
                             .bits = static_cast<int>(vocNumber(header, 8, 1)),
                             .codec = static_cast<int>(vocNumber(header, 10, 2))};
            if (format.bits == 16 && format.codec == 0) format.codec = 4; // as SoX wrote it
            // SoX counts eight bytes less than it writes before the byte that ends the file.
            constexpr std::int64_t uncounted = 8;
            if (input_.size() - body - bytes == uncounted + 1) bytes += uncounted;
            return add(format, body + 12, bytes - 12);
        }
        default: // marks, texts, loops
            return true;
        }
    }

    bool add(const VocFormat& format, std::int64_t from, std::int64_t bytes) {
        const bool wide = format.codec == 4 && format.bits == 16;
        const bool narrow = (format.codec == 0 || format.codec == 6 || format.codec == 7) && format.bits == 8;
        if (!(wide || narrow) || format.channels < 1 || format.rate < 1) return false;
        if (format_ && *format_ != format)
            throw Error(input_.name() +
                        ": its blocks differ in sample rate, channels or encoding; convert it "
                        "(ffmpeg -i FILE out.wav)");
        format_ = format;
        add(from, std::min(bytes, std::max<std::int64_t>(input_.size() - from, 0)));
        return true;
    }

    void addSilence(std::int64_t samples) {
        const char silent = format_->codec == 0   ? '\x80'
                            : format_->codec == 6 ? '\xd5'
                            : format_->codec == 7 ? '\xff'
                                                  : '\0';
        add(InputFile::Stretch::zeros, samples * format_->frameBytes(), silent);
    }

    void add(std::int64_t from, std::int64_t bytes, char fill = '\0') {
        if (bytes <= 0) return;
        stretches_.push_back({.begin = size_, .from = from, .fill = fill});
        size_ += bytes;
    }

    bool finish() {
        if (!format_ || size_ == 0) return false;
        const std::string header = wavHeader(*format_, size_);
        for (auto& stretch : stretches_) stretch.begin += static_cast<std::int64_t>(header.size());
        input_.rearrange(header, std::move(stretches_), size_ + static_cast<std::int64_t>(header.size()));
        return true;
    }

    InputFile& input_;
    std::int64_t at_ = 0;
    std::optional<VocFormat> format_, extended_;
    std::vector<InputFile::Stretch> stretches_;
    std::int64_t size_ = 0; // bytes of sound
};

} // namespace

void joinVocBlocks(InputFile& input) { VocReader(input).read(); }

} // namespace earshot::audio
