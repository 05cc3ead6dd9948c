// Numbers that tell histories apart: a copy of one knows by its number that it now looks at another. Any
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
