// Reflect padding as an index map: which element of a sequence stands at a position outside it.
// Any thread.
#pragma once

#include <cassert>
#include <cstdint>

namespace earshot::frontend {

// Position `index` (negative, inside or beyond) of `count` elements mirrored at both ends, the end elements
// not doubled, as often as needed: … c b a b c b a b …; a single element is repeated. count >= 1.
inline std::int64_t reflectedIndex(std::int64_t index, std::int64_t count) {
    assert(count >= 1);
    if (count == 1) return 0;
    const std::int64_t period = 2 * (count - 1);
    const std::int64_t phase = ((index % period) + period) % period;
    return phase < count ? phase : period - phase;
}

} // namespace earshot::frontend
