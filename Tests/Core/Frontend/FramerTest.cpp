#include "Core/Frontend/Framer.h"

#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace earshot;
using frontend::Framer;

namespace {

// All frames, one after another, of samples that arrive in blocks.
std::vector<float> framesOf(Framer& framer, std::span<const float> clip, std::size_t blockSize) {
    std::vector<float> frames;
    const auto take = [&](std::span<const float> samples) {
        while (framer.next(samples))
            frames.insert(frames.end(), framer.frame().begin(), framer.frame().end());
    };
    for (std::size_t i = 0; i < clip.size(); i += blockSize)
        take(clip.subspan(i, std::min(blockSize, clip.size() - i)));
    framer.finish();
    take({});
    return frames;
}

// Slices of the padded clip.
std::vector<float> expectedFrames(std::span<const float> clip, std::size_t frameSize, std::size_t hopSize) {
    std::vector<float> frames;
    if (clip.empty()) return frames;
    const auto padded = test::referencePadded(clip, static_cast<int>(frameSize / 2));
    for (std::size_t i = 0; i < clip.size() / hopSize + 1; ++i) {
        const auto begin = padded.begin() + static_cast<std::ptrdiff_t>(i * hopSize);
        frames.insert(frames.end(), begin, begin + static_cast<std::ptrdiff_t>(frameSize));
    }
    return frames;
}

std::vector<float> ramp(std::size_t samples) {
    std::vector<float> clip(samples);
    std::iota(clip.begin(), clip.end(), 1.0f);
    return clip;
}

} // namespace

TEST_CASE("Frames are slices of the reflected clip, whatever its length", "[unit]") {
    Framer framer(1024, 320);
    for (std::size_t length = 0; length <= 1100; ++length) {
        CAPTURE(length);
        const auto clip = ramp(length);
        framer.reset();
        REQUIRE(framesOf(framer, clip, 4096) == expectedFrames(clip, 1024, 320));
    }
}

TEST_CASE("A short clip bounces between its ends", "[unit]") {
    Framer framer(8, 8);
    const std::vector<float> clip = {1, 2, 3};
    REQUIRE(framesOf(framer, clip, 1) == std::vector<float>{1, 2, 3, 2, 1, 2, 3, 2});
    framer.reset();
    REQUIRE(framesOf(framer, std::vector<float>{5}, 1) == std::vector<float>(8, 5.0f));
}

TEST_CASE("Framing does not depend on block, frame and hop sizes", "[unit]") {
    for (const auto& [frameSize, hopSize] : {std::pair{16, 1}, {16, 16}, {64, 20}, {64, 33}, {64, 63}}) {
        Framer framer(frameSize, hopSize);
        for (std::size_t length = 1; length <= 600; ++length)
            for (const std::size_t block : {1, 64, 999}) {
                CAPTURE(frameSize, hopSize, length, block);
                const auto clip = ramp(length);
                framer.reset();
                REQUIRE(framesOf(framer, clip, block) == expectedFrames(clip,
                                                                        static_cast<std::size_t>(frameSize),
                                                                        static_cast<std::size_t>(hopSize)));
            }
    }
}

TEST_CASE("frames hold numbers of which the power stays finite, whatever comes", "[unit]") {
    const std::vector<float> clip = {NAN, 0.5f, INFINITY, -0.5f, -INFINITY, 3e38f, -3e38f, 1e12f, 2.0f};
    const std::vector<float> usable = {0.0f, 0.5f, 0.0f, -0.5f, 0.0f, 1e12f, -1e12f, 1e12f, 2.0f};
    Framer damaged(4, 2), clean(4, 2);
    CHECK(framesOf(damaged, clip, 3) == framesOf(clean, usable, 3));
}
