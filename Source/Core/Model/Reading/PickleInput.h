// The bytes of a pickle, read front to back; nothing beyond their end. One thread at a time.
#pragma once

#include "Core/Model/Reading/PickleCalls.h"

#include <bit>
#include <cstdint>
#include <string_view>

namespace earshot::model::pickle {

class Input {
  public:
    explicit Input(std::string_view bytes)
        : bytes_(bytes) {}

    std::size_t position() const { return position_; }

    // Throws Damaged, as all below, when fewer bytes are left.
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size() - position_) throw Damaged("it ends too early");
        const auto taken = bytes_.substr(position_, static_cast<std::size_t>(count));
        position_ += taken.size();
        return taken;
    }

    std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }

    // Little-endian, of up to 8 bytes.
    std::uint64_t unsignedInteger(unsigned bytes) {
        std::uint64_t value = 0;
        unsigned shift = 0;
        for (const char c : take(bytes)) {
            value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(c)) << shift;
            shift += 8;
        }
        return value;
    }

    double bigEndianDouble() {
        std::uint64_t bits = 0;
        for (const char c : take(8)) bits = bits << 8 | static_cast<std::uint8_t>(c);
        return std::bit_cast<double>(bits);
    }

    // Bytes behind their own count, which takes `countBytes`.
    std::string_view counted(unsigned countBytes) { return take(unsignedInteger(countBytes)); }

    // Up to a line feed, without it.
    std::string_view line() {
        const auto end = bytes_.find('\n', position_);
        if (end == std::string_view::npos) throw Damaged("a name has no end");
        const auto text = take(end - position_);
        ++position_;
        return text;
    }

  private:
    std::string_view bytes_;
    std::size_t position_ = 0;
};

} // namespace earshot::model::pickle
