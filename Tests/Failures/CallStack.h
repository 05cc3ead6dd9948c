// The stack of a call, and which calls are left alone for the code that it passes. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace earshot::faults {

inline constexpr std::size_t maxFrames = 160;

// Which calls are left alone (excludedCalls()).
enum : std::uint8_t { excludedMemory = 1, excludedFiles = 2 };

struct Frames {
    std::array<void*, maxFrames> addresses{};
    std::size_t count = 0;
    std::uint64_t hash = 0;
    std::uint8_t excluded = 0;
};

// Of this thread, from here outwards to where beginStackAt() says.
void takeStack(Frames& frames);

} // namespace earshot::faults
