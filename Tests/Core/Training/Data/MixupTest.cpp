#include "Core/Training/Data/Augment.h"

#include "Support/Catch.h"

#include <set>

using namespace earshot;
using training::Example;

TEST_CASE("mixes are many, different and follow from the seed", "[unit]") {
    constexpr std::size_t batch = 4000;
    const auto mixes = training::chooseMixes(batch, 0.5f, 0.5f, 3);
    REQUIRE(mixes.size() == batch);
    std::size_t mixed = 0;
    double shares = 0.0;
    std::set<std::size_t> others;
    for (std::size_t i = 0; i < batch; ++i) {
        REQUIRE(mixes[i].other < batch);
        REQUIRE(mixes[i].share >= 0.0f);
        REQUIRE(mixes[i].share <= 0.5f);
        others.insert(mixes[i].other);
        if (mixes[i].other == i) continue;
        ++mixed;
        shares += mixes[i].share;
    }
    CHECK(static_cast<double>(mixed) / batch == Approx(0.5).margin(0.04));
    // The mean of the smaller part of Beta(1/2, 1/2): 1/2 - 1/pi.
    CHECK(shares / static_cast<double>(mixed) == Approx(0.1817).margin(0.01));
    CHECK(others.size() > batch / 2);
    const auto again = training::chooseMixes(batch, 0.5f, 0.5f, 3);
    for (std::size_t i = 0; i < batch; ++i)
        REQUIRE((mixes[i].other == again[i].other && mixes[i].share == again[i].share));
    for (const auto& mix : training::chooseMixes(50, 0.0f, 0.5f, 3)) CHECK(mix.share == 0.0f);
}

TEST_CASE("spectra and labels mix alike", "[unit]") {
    const Example a{{-10.0f, -20.0f}, {1.0f, 0.0f}, false, {}, {}, {}};
    const Example b{{-30.0f, -60.0f}, {0.0f, 1.0f}, false, {}, {}, {}};
    std::vector<float> spectrum(2);
    Example labels;
    training::mix(a, b, 0.25f, spectrum, labels);
    CHECK(spectrum == std::vector<float>{-15.0f, -30.0f});
    CHECK(labels.targets == std::vector<float>{0.75f, 0.25f});
    training::mix(a, b, 0.0f, spectrum, labels);
    CHECK(spectrum == a.logMel);
    CHECK(labels.targets == a.targets);
}

TEST_CASE("what is labelled in different ways does not mix", "[unit]") {
    const Example strong{{0.0f}, {1.0f, 0.0f}, false, {}, {}, {}};
    const Example weak{{0.0f}, {1.0f, 0.0f}, true, {}, {}, {}};
    const Example partly{{0.0f}, {1.0f, 0.0f}, false, {1.0f, 0.0f}, {}, {}};
    CHECK(canMix(strong, strong));
    CHECK(canMix(weak, weak));
    CHECK_FALSE(canMix(strong, weak));
    CHECK_FALSE(canMix(strong, partly));
}
