#include "Core/Training/Data/Example.h"

#include "Core/Training/Data/Dice.h"
#include "Support/Catch.h"

#include <algorithm>

using namespace earshot::training;

namespace {

constexpr TokenGrid grid{.tokens = 8, .tokenSamples = 10240, .sampleRate = 32000};

std::vector<float> targetsOf(const std::vector<Sounding>& soundings, int classes = 1) {
    std::vector<float> targets;
    setTokenTargets(soundings, grid, classes, targets);
    return targets;
}

} // namespace

TEST_CASE("a token is on when a sound is in it for 80 ms, or half of a shorter sound", "[unit]") {
    REQUIRE(targetsOf({{{10240, 30720}, 0}}) == std::vector<float>{0, 1, 1, 0, 0, 0, 0, 0});
    // 79 and 80 ms of the token before and behind
    REQUIRE(targetsOf({{{10240 - 2528, 20480 + 2528}, 0}}) == std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0});
    REQUIRE(targetsOf({{{10240 - 2560, 20480 + 2560}, 0}}) == std::vector<float>{1, 1, 1, 0, 0, 0, 0, 0});
    // 10 ms, whole or torn
    REQUIRE(targetsOf({{{15000, 15320}, 0}}) == std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0});
    REQUIRE(targetsOf({{{10140, 10460}, 0}}) == std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0});
    REQUIRE(targetsOf({{{10080, 10400}, 0}}) == std::vector<float>{1, 1, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("what lies outside the window does not count", "[unit]") {
    REQUIRE(targetsOf({{{-50000, 5000}, 0}, {{80000, 200000}, 0}}) ==
            std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1});
    REQUIRE(targetsOf({{{-500, 0}, 0}, {{81920, 90000}, 0}}) == std::vector<float>(8, 0.0f));
}

TEST_CASE("every sound within the window is in at least one token, and in no token it does not touch",
          "[unit]") {
    Dice dice(3);
    for (int i = 0; i < 2000; ++i) {
        const auto first = static_cast<std::int64_t>(dice.below(81000));
        const auto last = first + 1 + static_cast<std::int64_t>(dice.below(dice.chance(0.5f) ? 900 : 60000));
        const int label = dice.from(0, 2);
        const auto targets = targetsOf({{{first, last}, label}}, 3);
        int on = 0;
        for (std::int64_t token = 0; token < grid.tokens; ++token)
            for (int k = 0; k < 3; ++k) {
                if (targets[static_cast<std::size_t>(3 * token + k)] == 0.0f) continue;
                REQUIRE(k == label);
                REQUIRE(first < (token + 1) * grid.tokenSamples);
                REQUIRE(last > token * grid.tokenSamples);
                ++on;
            }
        REQUIRE(on >= 1);
    }
}

TEST_CASE("soft labels are mixed with the labels where a sound is, and the maximum of sounds counts",
          "[unit]") {
    const float softA[] = {0.6f, 0.2f, 0.1f},
                softB[] = {0.0f, -1.0f, 0.8f}; // -1: a class that it does not know
    const TeacherRow a{.soft = softA}, b{.soft = softB};
    const auto targets = [](const std::vector<Sounding>& soundings, float share) {
        std::vector<float> all;
        setTokenTargets(soundings, grid, 3, all, share);
        return std::vector<float>(all.begin() + 3, all.begin() + 9); // tokens 1 and 2
    };
    const Activity one{10240, 20480}, two{20480, 30720}, both{10240, 30720};
    const Sounding dog{.span = one, .label = 0, .teachers = {&a, nullptr}};
    CHECK(targets({dog}, 0.0f) == std::vector<float>{1, 0, 0, 0, 0, 0});
    CHECK(targets({dog}, 1.0f) == std::vector<float>{0.6f, 0.2f, 0.1f, 0, 0, 0});
    CHECK(targets({dog}, 0.5f) == std::vector<float>{0.8f, 0.1f, 0.05f, 0, 0, 0});
    // another sound beside it, of a class that its teacher does not know: its label counts
    const Sounding cat{.span = both, .label = 1, .teachers = {&b, nullptr}};
    CHECK(targets({dog, cat}, 0.5f) == std::vector<float>{0.8f, 1, 0.4f, 0, 1, 0.4f});
    // two recordings in one sound
    CHECK(targets({{.span = two, .label = 0, .teachers = {&a, &b}}}, 1.0f) ==
          std::vector<float>{0, 0, 0, 0.6f, 0.2f, 0.8f});
    // of no class, and without a teacher
    CHECK(targets({{.span = two, .label = -1, .teachers = {&a, nullptr}}}, 0.5f) ==
          std::vector<float>{0, 0, 0, 0.3f, 0.1f, 0.05f});
    CHECK(targets({{.span = two, .label = 2, .teachers = {}}}, 0.5f) == std::vector<float>{0, 0, 0, 0, 0, 1});

    std::vector<TaughtSound> taught;
    setTaught(std::vector<Sounding>{dog,
                                    cat,
                                    {.span = two, .label = 0, .teachers = {&a, nullptr}},
                                    {.span = two, .label = 2, .teachers = {}}},
              grid, taught);
    REQUIRE(taught.size() == 2);
    CHECK(taught[0].teachers == Teachers{&a, nullptr});
    CHECK(taught[0].steps == std::vector<int>{1, 2});
    CHECK(taught[1].steps == std::vector<int>{1, 2});
    CHECK(annotationsOf(std::vector<Sounding>{{.span = two, .label = -1, .teachers = {&a, nullptr}}}, 32000,
                        0.1)
              .empty());
}

TEST_CASE("annotations join sounds of a class over short gaps, by onset", "[unit]") {
    const auto annotations = annotationsOf(std::vector<Sounding>{{{64000, 70000}, 1},
                                                                 {{0, 16000}, 0},
                                                                 {{22400, 32000}, 0},
                                                                 {{48000, 64000}, 0},
                                                                 {{16000, 64000}, 1}},
                                           32000, 0.3);
    REQUIRE(annotations.size() == 3);
    REQUIRE(annotations[0].onset == 0.0);
    REQUIRE(annotations[0].offset == 1.0);
    REQUIRE(annotations[1].label == 1);
    REQUIRE(annotations[1].onset == 0.5);
    REQUIRE(annotations[1].offset == 70000.0 / 32000.0);
    REQUIRE(annotations[2].onset == 1.5);
}
