// Numbers that tell histories apart. A copy that sees another number knows that the history was replaced. Any
// thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace earshot {

// Unique while the program runs, and never 0.
inline std::uint64_t nextGeneration() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace earshot
