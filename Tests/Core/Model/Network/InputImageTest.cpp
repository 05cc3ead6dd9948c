#include "Core/Model/Network/InputImage.h"

#include "Support/Catch.h"
#include "Support/Compare.h"

using namespace earshot;
using test::randomValues;

TEST_CASE("stretching to the same length changes nothing", "[unit]") {
    const auto frames = randomValues(7 * 3, 1);
    std::vector<float> out(frames.size());
    model::stretchFrames(frames, out, 3);
    REQUIRE(test::maxDifference(out, frames) <= 1e-7);
}

TEST_CASE("stretching keeps the ends and constants", "[unit]") {
    for (const int frames : {1, 2, 5, 63, 701}) {
        std::vector<float> line(static_cast<std::size_t>(frames) * 2), out(1024 * 2);
        for (int i = 0; i < frames; ++i) {
            line[static_cast<std::size_t>(i) * 2] = static_cast<float>(i) / static_cast<float>(frames);
            line[static_cast<std::size_t>(i) * 2 + 1] = -3.5f;
        }
        model::stretchFrames(line, out, 2);
        REQUIRE(std::abs(out[0] - line[0]) <= 1e-6f);
        REQUIRE(std::abs(out[1023 * 2] - line[static_cast<std::size_t>(frames - 1) * 2]) <= 1e-6f);
        for (int i = 0; i < 1024; ++i)
            if (!(std::abs(out[static_cast<std::size_t>(i) * 2 + 1] + 3.5f) <= 1e-5f)) FAIL("frame " << i);
    }
}

TEST_CASE("stretching follows PyTorch's bicubic interpolation", "[golden]") {
    // torch.nn.functional.interpolate(x.reshape(1, 1, 5, 1), (9, 1), mode="bicubic", align_corners=True)
    const std::vector<float> x = {0.0f, 1.0f, -2.0f, 4.0f, 0.5f};
    const std::vector<float> expected = {0.00000000f, 0.78125000f, 1.00000000f, -0.96875000f, -2.00000000f,
                                         1.04687500f, 4.00000000f, 2.81250000f, 0.50000000f};
    std::vector<float> out(9);
    model::stretchFrames(x, out, 1);
    REQUIRE(test::maxDifference(out, expected) <= 1e-6);
}

TEST_CASE("folding stacks time segments along frequency", "[unit]") {
    const model::Config config;
    std::vector<float> frames(1024 * 64), image(256 * 256);
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = static_cast<float>(i);
    model::foldFrames(frames, image, config);
    for (std::size_t segment = 0; segment < 4; ++segment)
        for (std::size_t band = 0; band < 64; ++band)
            for (std::size_t t = 0; t < 256; ++t)
                if (image[(segment * 64 + band) * 256 + t] != frames[(segment * 256 + t) * 64 + band])
                    FAIL("segment " << segment << ", band " << band << ", frame " << t);
    SUCCEED();
}
