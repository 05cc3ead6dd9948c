#include "Core/Detection/Events/Rules.h"

#include "Support/Catch.h"
#include "Support/SebbScorers.h"

#include <cmath>
#include <limits>
#include <random>

using namespace earshot;
using namespace earshot::detection;

namespace {

// Four classes; the author chose thresholds for the last three.
Labels fourLabels() {
    return Labels::read(
        {{"earshot.labels", R"(["a", "b", "c", "d"])"}, {"earshot.thresholds", "[null, 0.137, 0, 1]"}},
        "m.safetensors", 4);
}

float onOf(const RuleChoice& choice, int classIndex) {
    return eventSettings(choice, fourLabels()).ruleFor(classIndex).on;
}

RuleChoice withThreshold(float threshold) {
    RuleChoice choice;
    choice.threshold = threshold;
    return choice;
}

double logit(double p) { return std::log(p / (1.0 - p)); }

} // namespace

TEST_CASE("at the default every class has its author's threshold, bit for bit", "[unit]") {
    REQUIRE(onOf({}, 0) == defaultThreshold);
    REQUIRE(onOf({}, 1) == 0.137f);
    REQUIRE(onOf({}, 2) == 0.0f);
    REQUIRE(onOf({}, 3) == 1.0f);
    REQUIRE(eventSettings({}, fourLabels()).rule == EventRule{});
}

TEST_CASE("moving the threshold moves all authors' thresholds alike on the logit scale", "[unit]") {
    float before = 0.0f;
    for (const float threshold : {0.01f, 0.2f, 0.39f, 0.41f, 0.6f, 0.99f}) {
        CAPTURE(threshold);
        REQUIRE(onOf(withThreshold(threshold), 0) == threshold);
        const float on = onOf(withThreshold(threshold), 1);
        REQUIRE(logit(static_cast<double>(on)) - logit(static_cast<double>(0.137f)) ==
                Approx(logit(static_cast<double>(threshold)) - logit(static_cast<double>(defaultThreshold)))
                    .margin(1e-4));
        REQUIRE(on > before);
        before = on;
        REQUIRE(onOf(withThreshold(threshold), 2) == 0.0f);
        REQUIRE(onOf(withThreshold(threshold), 3) == 1.0f);
    }
    for (int classIndex = 0; classIndex < 4; ++classIndex) {
        REQUIRE(onOf(withThreshold(0.0f), classIndex) == 0.0f);
        REQUIRE(onOf(withThreshold(1.0f), classIndex) == 1.0f);
    }
}

TEST_CASE("a class's own threshold stands in place of both", "[unit]") {
    for (const float threshold : {0.0f, 0.4f, 0.7f, 1.0f}) {
        RuleChoice choice = withThreshold(threshold);
        choice.classThresholds = {{0, 0.25f}, {1, 0.125f}};
        REQUIRE(onOf(choice, 0) == 0.25f);
        REQUIRE(onOf(choice, 1) == 0.125f);
    }
}

TEST_CASE("every class gets the release, median and durations", "[unit]") {
    RuleChoice choice;
    choice.release = 0.25f;
    choice.median = 5;
    choice.minDuration = 0.5;
    choice.mergeGap = 1.5;
    const auto settings = eventSettings(choice, fourLabels());
    REQUIRE(settings.overrides.size() == 4);
    for (const auto& [classIndex, rule] : settings.overrides) {
        CAPTURE(classIndex);
        REQUIRE(rule.off == rule.on * 0.25f);
        REQUIRE(rule.median == 5);
        REQUIRE(rule.minDuration == 0.5);
        REQUIRE(rule.mergeGap == 1.5);
    }
}

TEST_CASE("an author's release and merge gap count until the user's go beyond them", "[unit]") {
    const auto ruleOf = [](const RuleChoice& choice) {
        const auto labels = Labels::read(
            {{"earshot.rules", R"({"release": 0.25, "merge_gap": 0.32})"}, {"earshot.thresholds", "[0.5]"}},
            "m.safetensors", 1);
        return eventSettings(choice, labels).ruleFor(0);
    };
    CHECK(ruleOf({}).on == 0.5f);
    CHECK(ruleOf({}).off == 0.125f);
    CHECK(ruleOf({}).mergeGap == 0.32);
    RuleChoice choice;
    choice.release = 0.75f; // three times the odds of its default
    choice.mergeGap = 0.2;
    CHECK(ruleOf(choice).off == Approx(0.25f)); // half of 0.5: three times the odds of a quarter
    CHECK(ruleOf(choice).mergeGap == 0.32);
    choice.release = 1.0f;
    choice.mergeGap = 1.0;
    CHECK(ruleOf(choice).off == 0.5f);
    CHECK(ruleOf(choice).mergeGap == 1.0);
    choice.release = 0.0f;
    CHECK(ruleOf(choice).off == 0.0f);
}

TEST_CASE("any choice gives rules that hold", "[unit]") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float floats[] = {nan,    infinity, -infinity,  -1.0f, -0.0f, 0.0f,
                                1e-30f, 0.4f,     0.9999999f, 1.0f,  7.0f};
    constexpr int medians[] = {std::numeric_limits<int>::min(), -3, 0, 1, 2, 8, 99, 100,
                               std::numeric_limits<int>::max()};
    std::mt19937 random(1);
    const auto any = [&] { return floats[random() % std::size(floats)]; };
    for (int round = 0; round < 2000; ++round) {
        const RuleChoice choice{.threshold = any(),
                                .release = any(),
                                .median = medians[random() % std::size(medians)],
                                .minDuration = static_cast<double>(any()),
                                .mergeGap = static_cast<double>(any()),
                                .classThresholds = {{0, any()}, {3, any()}, {-1, any()}, {99, any()}}};
        const auto settings = eventSettings(choice, fourLabels());
        REQUIRE_NOTHROW(validate(settings));
        REQUIRE(settings.overrides.size() == 4);
    }
    RuleChoice even;
    even.median = 4;
    REQUIRE(eventSettings(even, fourLabels()).rule.median == 5);
}

TEST_CASE("A median in seconds becomes the nearest odd number of columns", "[unit]") {
    CHECK(medianOf(0.96, 0.32) == 3);
    CHECK(medianOf(1.0, 0.08) == 13);
    CHECK(medianOf(1.0, 0.232) == 5);
    CHECK(medianOf(0.0, 0.32) == 1);
    CHECK(medianOf(-1.0, 0.32) == 1);
    CHECK(medianOf(1e9, 0.08) == maxMedian);
    CHECK(medianOf(std::numeric_limits<double>::quiet_NaN(), 0.32) == 1);
    CHECK(medianOf(0.96, 0.0) == maxMedian);
}

TEST_CASE("boxes take the place of thresholds, and gap and length stay", "[unit]") {
    auto settings = eventSettings({.threshold = 0.7f,
                                   .release = 0.2f,
                                   .median = 5,
                                   .minDuration = 0.5,
                                   .mergeGap = 1.5,
                                   .classThresholds = {{1, 0.9f}}},
                                  fourLabels());
    const auto sebbs = test::scorerBy(test::meanFeature, 1.0f, 4);
    useSebbs(settings, sebbs, 0.3f);
    CHECK(settings.sebbs == sebbs);
    CHECK(settings.overrides.size() == 4);
    for (int classIndex = -1; classIndex < 4; ++classIndex)
        CHECK(settings.ruleFor(classIndex) ==
              EventRule{.on = 0.3f, .off = 0.0f, .median = 1, .minDuration = 0.5, .mergeGap = 1.5});
    CHECK_NOTHROW(validate(settings));
    // What only thresholds read changes nothing.
    auto others = eventSettings(
        {.threshold = 0.2f, .minDuration = 0.5, .mergeGap = 1.5, .classThresholds = {}}, fourLabels());
    useSebbs(others, sebbs, 0.3f);
    CHECK(others == settings);
}

TEST_CASE("a sensitivity moves all thresholds together, and 0 none", "[unit]") {
    CHECK(thresholdAt(0.0f) == defaultThreshold);
    CHECK(sensitivityAt(defaultThreshold) == 0.0f);
    for (const float sensitivity : {-6.0f, -2.5f, -0.1f, 0.1f, 1.0f, 6.0f}) {
        CAPTURE(sensitivity);
        const RuleChoice choice = withThreshold(thresholdAt(sensitivity));
        const auto moved = [&](float from) {
            return Approx(
                1.0 / (1.0 + std::exp(static_cast<double>(sensitivity) - logit(static_cast<double>(from)))));
        };
        CHECK(onOf(choice, 0) == moved(defaultThreshold));
        CHECK(onOf(choice, 1) == moved(0.137f));
        CHECK(onOf(choice, 2) == 0.0f);
        CHECK(onOf(choice, 3) == 1.0f);
        CHECK(sensitivityAt(thresholdAt(sensitivity)) == Approx(sensitivity).margin(1e-4));
    }
    CHECK(sensitivityAt(0.0f) == maxSensitivity);
    CHECK(sensitivityAt(1.0f) == -maxSensitivity);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(thresholdAt(nan) == defaultThreshold);
    CHECK(sensitivityAt(nan) == 0.0f);
    CHECK(thresholdAt(1e30f) == thresholdAt(maxSensitivity));
}
