#include "Core/Detection/Events/Sebbs.h"

#include "Core/Detection/Events/EventStream.h"
#include "Core/Detection/Timeline.h"
#include "Support/Catch.h"
#include "Support/SebbScorers.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

using namespace earshot;
using namespace earshot::detection;
using test::meanFeature;
using test::minFeature;
using test::scorerBy;

namespace {

float logit(float p) { return std::log(p / (1.0f - p)); }

Timeline timelineOf(const std::vector<std::vector<float>>& columns, double seconds) {
    Timeline timeline(static_cast<int>(columns.front().size()), seconds);
    for (std::size_t i = 0; i < columns.size(); ++i) timeline.add(static_cast<std::int64_t>(i), columns[i]);
    return timeline;
}

std::vector<std::vector<float>> columnsOf(const std::vector<float>& row) {
    std::vector<std::vector<float>> columns;
    for (const float value : row) columns.push_back({value});
    return columns;
}

EventSettings settingsFor(std::shared_ptr<const SebbScorer> scorer, float least, double mergeGap = 0.0) {
    EventSettings settings;
    settings.rule = {.on = least, .off = 0.0f, .mergeGap = mergeGap};
    settings.sebbs = std::move(scorer);
    return settings;
}

// One class's events as they are defined: of all candidates of the whole recording the surest, then the next
// that is apart from those taken, and so on.
using SureRun = std::pair<float, Run>;
std::vector<SureRun> plainBoxes(const std::vector<float>& values, const EventSettings& settings,
                                int classIndex, double seconds) {
    const double gap = settings.rule.mergeGap;
    const auto candidates = boxCandidates({.values = values}, seconds, gap);
    std::vector<SureRun> sebbs;
    for (const auto& box : candidates)
        sebbs.emplace_back(settings.sebbs->confidence(box.features, classIndex), box.columns);
    std::stable_sort(sebbs.begin(), sebbs.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<SureRun> events;
    for (const auto& [confidence, run] : sebbs) {
        if (confidence < settings.rule.on) break;
        const auto clashes = [&, run = run](const SureRun& taken) {
            const Run& other = taken.second;
            const auto between = std::max(run.first - other.last, other.first - run.last) - 1;
            return between < 0 || static_cast<double>(between) * seconds < gap - secondsTolerance;
        };
        if (std::any_of(events.begin(), events.end(), clashes)) continue;
        events.emplace_back(confidence, run);
    }
    std::sort(events.begin(), events.end(),
              [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    return events;
}

} // namespace

TEST_CASE("boxes are the stretches at or above each level", "[unit]") {
    const std::vector<float> values = {0.06f, 0.25f, 0.95f, 0.25f, 0.01f, 0.4f};
    const auto sebbs = boxCandidates({.values = values, .first = 10}, 1.0, 0.0);
    // 0.05: 10-13 and 15; 0.1 to 0.2: 11-13; 0.3 and above: 12. 15 and 12 are there once.
    REQUIRE(sebbs.size() == 4);
    CHECK(sebbs[0].columns == Run{10, 13});
    CHECK(sebbs[1].columns == Run{15, 15});
    CHECK(sebbs[2].columns == Run{11, 13});
    CHECK(sebbs[3].columns == Run{12, 12});
    CHECK(sebbs[0].peak == 0.95f);
    CHECK(sebbs[0].mean == Approx(0.3775f));

    const auto& whole = sebbs[0].features;
    CHECK(whole[0] == Approx(logit(0.95f)));
    CHECK(whole[1] == Approx(logit(0.3775f)));
    CHECK(whole[2] == Approx(logit(0.06f)));
    CHECK(whole[3] == Approx(std::log(4.0)));
    CHECK(whole[4] == Approx(logit(0.05f)));
    CHECK(whole[5] == Approx(logit(0.06f)));
    CHECK(whole[6] == Approx(logit(0.25f)));
    CHECK(whole[7] == 0.0f); // the recording begins
    CHECK(whole[8] == Approx(logit(0.01f)));
    CHECK(whole[9] == 0.0f);
    CHECK(sebbs[1].features[8] == 0.0f); // and ends
    CHECK(sebbs[2].features[7] == Approx(logit(0.06f)));

    const std::vector<float> before = {0.02f}, after = {0.03f};
    const auto within =
        boxCandidates({.values = values, .first = 10, .before = before, .after = after}, 1.0, 0.0);
    CHECK(within[0].features[7] == Approx(logit(0.02f)));
    CHECK(within[1].features[8] == Approx(logit(0.03f)));
}

TEST_CASE("a finer clock looks at as many seconds beside a box and at its ends", "[unit]") {
    CHECK(columnsBeside(0.32) == 1);
    CHECK(columnsBeside(1.0) == 1);
    CHECK(columnsBeside(0.08) == 4);
    const std::vector<float> values = {0.01f, 0.02f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 0.02f, 0.03f, 0.5f};
    const std::vector<float> before = {0.04f, 0.01f}, after = {0.2f, 0.3f};
    const auto sebbs = boxCandidates({.values = values, .before = before, .after = after}, 0.08, 0.0);
    REQUIRE(sebbs[0].columns == Run{2, 6});
    CHECK(sebbs[0].features[5] == Approx(logit(0.65f)));
    CHECK(sebbs[0].features[6] == Approx(logit(0.75f)));
    CHECK(sebbs[0].features[7] == Approx(logit(0.02f)));
    CHECK(sebbs[0].features[8] == Approx(logit((0.02f + 0.03f + 0.5f + 0.2f) / 4.0f)));
    REQUIRE(sebbs[1].columns == Run{9, 9});
    CHECK(sebbs[1].features[5] == Approx(0.0f).margin(1e-6));
    CHECK(sebbs[1].features[7] == Approx(logit((0.03f + 0.02f + 0.9f + 0.8f) / 4.0f)));
    CHECK(sebbs[1].features[8] == Approx(logit(0.25f)));
}

TEST_CASE("boxes closer than the merge gap are one", "[unit]") {
    const std::vector<float> values = {0.5f, 0.0f, 0.5f, 0.0f, 0.0f, 0.5f};
    const auto sebbs = boxCandidates({.values = values}, 0.5, 1.0);
    REQUIRE(sebbs.size() == 2); // gaps of 0.5 s and of 1 s
    CHECK(sebbs[0].columns == Run{0, 2});
    CHECK(sebbs[1].columns == Run{5, 5});
    CHECK(sebbs[0].features[9] == 1.0f);
}

TEST_CASE("the surest boxes are events, and none reaches into another", "[unit]") {
    const auto timeline = timelineOf(columnsOf({0.0f, 0.3f, 0.9f, 0.3f, 0.9f, 0.3f, 0.0f}), 1.0);
    SECTION("by their least probability: the two peaks") {
        const auto list = deriveEvents(timeline, settingsFor(scorerBy(minFeature, 1.0f), 0.5f));
        REQUIRE(list.events.size() == 2);
        CHECK(list.events[0].onset == 2.0);
        CHECK(list.events[0].offset == 3.0);
        CHECK(list.events[1].onset == 4.0);
        CHECK(list.events[0].confidence > 0.5f);
        CHECK(list.events[0].peak == 0.9f);
    }
    SECTION("the other way round: the whole") {
        const auto list = deriveEvents(timeline, settingsFor(scorerBy(minFeature, -1.0f), 0.5f));
        REQUIRE(list.events.size() == 1);
        CHECK(list.events[0].onset == 1.0);
        CHECK(list.events[0].offset == 6.0);
    }
    SECTION("too unsure") {
        const auto list = deriveEvents(timeline, settingsFor(scorerBy(minFeature, -1.0f), 0.99f));
        CHECK(list.events.empty());
        REQUIRE(list.nearMisses.size() == 1);
        CHECK(list.nearMisses[0].reason == Rejection::unsure);
        CHECK(list.nearMisses[0].event.onset == 1.0);
        CHECK(explain(list.nearMisses[0]) == "Not an event: its confidence 0.94 is below the least, 0.99");
    }
    SECTION("too short") {
        auto settings = settingsFor(scorerBy(minFeature, 1.0f), 0.5f);
        settings.rule.minDuration = 1.5;
        const auto list = deriveEvents(timeline, settings);
        CHECK(list.events.empty());
        REQUIRE(list.nearMisses.size() == 2);
        CHECK(list.nearMisses[0].reason == Rejection::tooShort);
    }
}

TEST_CASE("a box ends with the recording", "[unit]") {
    auto timeline = timelineOf(columnsOf({0.0f, 0.9f, 0.9f}), 1.0);
    timeline.finish(2.25);
    const auto list = deriveEvents(timeline, settingsFor(scorerBy(meanFeature, 1.0f), 0.5f));
    REQUIRE(list.events.size() == 1);
    CHECK(list.events[0].onset == 1.0);
    CHECK(list.events[0].offset == 2.25);
}

TEST_CASE("boxes as columns come are those of the whole recording, apart, and sure", "[unit]") {
    const double seconds = GENERATE(0.32, 0.08);
    std::mt19937 random(7);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    std::size_t found = 0, missed = 0, compared = 0;
    for (int trial = 0; trial < 400; ++trial) {
        CAPTURE(trial);
        const int classes = 1 + static_cast<int>(below(3));
        std::vector<std::vector<float>> columns(1 + below(trial % 20 == 0 ? 900 : 90));
        std::vector<float> level(static_cast<std::size_t>(classes));
        for (auto& column : columns)
            for (float& now : level) {
                if (below(6) == 0) now = below(2) == 0 ? 0.0f : static_cast<float>(below(101)) / 100.0f;
                // Quiet columns too, as those beside a box are looked at.
                column.push_back(std::max(now * static_cast<float>(50 + below(51)) / 100.0f,
                                          static_cast<float>(below(50)) / 1000.0f));
            }
        const float weights[] = {1.0f, -0.7f, 0.3f};
        auto settings = settingsFor(scorerBy(below(boxFeatureCount), weights[below(3)], classes),
                                    0.1f + 0.1f * static_cast<float>(below(8)), below(4) * 2.0 * seconds);
        settings.rule.minDuration = below(3) * seconds;
        auto timeline = timelineOf(columns, seconds);
        const double end = (static_cast<double>(columns.size()) - 0.5 * below(2)) * seconds;
        timeline.finish(end);
        const auto whole = deriveEvents(timeline, settings);

        EventStream stream(classes, seconds, settings);
        for (const auto& column : columns) stream.add(column);
        REQUIRE(stream.finish(end) == whole);

        EventStream quiet(classes, seconds, settings, {}, false);
        for (const auto& column : columns) quiet.add(column);
        const auto events = quiet.finish(end);
        REQUIRE(events.events == whole.events);
        REQUIRE(events.nearMisses.empty());

        for (int c = 0; c < classes && settings.rule.minDuration == 0.0; ++c) {
            std::vector<float> row;
            for (const auto& column : columns) row.push_back(column[static_cast<std::size_t>(c)]);
            std::vector<Event> own;
            for (const Event& event : whole.events)
                if (event.classIndex == c) own.push_back(event);
            const auto plain = plainBoxes(row, settings, c, seconds);
            REQUIRE(own.size() == plain.size());
            for (std::size_t i = 0; i < own.size(); ++i) {
                REQUIRE(own[i].confidence == plain[i].first);
                REQUIRE(own[i].onset == static_cast<double>(plain[i].second.first) * seconds);
                REQUIRE(own[i].offset ==
                        std::min(end, static_cast<double>(plain[i].second.last + 1) * seconds));
            }
            compared += own.size();
        }
        for (std::size_t i = 0; i < whole.events.size(); ++i) {
            const Event& event = whole.events[i];
            REQUIRE(event.confidence >= settings.rule.on);
            REQUIRE(event.offset - event.onset >= settings.rule.minDuration - secondsTolerance);
            for (std::size_t k = i + 1; k < whole.events.size(); ++k)
                if (whole.events[k].classIndex == event.classIndex)
                    REQUIRE(whole.events[k].onset - event.offset >=
                            settings.rule.mergeGap - secondsTolerance);
        }
        found += whole.events.size();
        missed += whole.nearMisses.size();
    }
    CHECK(found > 1000);
    CHECK(compared > 300);
    CHECK(missed > 300);
}
