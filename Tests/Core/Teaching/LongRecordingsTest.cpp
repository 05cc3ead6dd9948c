#include "Core/Teaching/LongRecordings.h"

#include "Core/Teaching/LessonClips.h"
#include "Core/Training/Data/ClipStore.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <cmath>

using namespace earshot;
using teaching::stretchesOf;
using training::Clip;

namespace {

Clip recordingOf(const std::vector<training::LabelledSpan>& spans) {
    Clip clip;
    clip.file = "night.wav";
    clip.group = "night";
    clip.labels = {0, 1};
    clip.spans = spans;
    clip.strong = true;
    return clip;
}

} // namespace

TEST_CASE("a long recording becomes the stretches around its labelled sounds", "[unit]") {
    std::vector<training::Problem> problems;
    const auto clip = recordingOf({{700.0, 701.5, 1}, {100.0, 101.5, 0}, {109.0, 110.0, 1}, {1.0, 2.0, 0}});
    const auto stretches = stretchesOf(clip, 702.0, problems);
    REQUIRE(stretches.size() == 3);
    CHECK(stretches[0].begin == 0.0);
    CHECK(stretches[0].end == 7.0);
    CHECK(stretches[0].labels == std::vector<int>{0});
    CHECK(stretches[1].begin == 95.0); // two sounds that are near each other
    CHECK(stretches[1].end == 115.0);
    CHECK(stretches[1].labels == std::vector<int>{0, 1});
    CHECK(stretches[1].spans.front().onset == 5.0);
    CHECK(stretches[1].spans.back().offset == 15.0);
    CHECK(stretches[2].end == 702.0); // the file's end
    for (const Clip& stretch : stretches) CHECK(stretch.group == "night");
    CHECK(problems.empty());
    CHECK(stretchesOf(clip, 30.0, problems).size() == 1); // short: as it is
}

TEST_CASE("sounds labelled behind the end of a recording are listed with its true length", "[unit]") {
    std::vector<training::Problem> problems;
    const auto stretches = stretchesOf(recordingOf({{849.0, 852.0, 0}, {900.0, 901.0, 1}}), 850.0, problems);
    REQUIRE(stretches.size() == 1);
    CHECK(stretches[0].spans.front().offset == 6.0 - 1.0 + 1.0); // 849 to 850 s, from 844 s on
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].what == "ends at 850.00 s, before a sound labelled from 900.00 s on");
}

TEST_CASE("labelled seconds count once, and within the recording", "[unit]") {
    const auto clip = recordingOf({{10.0, 12.0, 0}, {11.0, 13.0, 0}, {11.0, 20.0, 1}, {98.0, 104.0, 0}});
    CHECK(teaching::labelledSeconds(clip, 0, 100.0) == 5.0);
    CHECK(teaching::labelledSeconds(clip, 1, 100.0) == 9.0);
    Clip whole;
    CHECK(teaching::labelledSeconds(whole, 0, 100.0) == 100.0);
}

TEST_CASE("of long recordings all labelled sounds are examples, wherever they lie", "[unit]") {
    const test::TemporaryDirectory folder;
    constexpr int rate = 8000;
    const auto file = folder / "night.wav";
    std::vector<float> samples(std::size_t{700} * rate, 0.0f);
    for (const int at : {20, 610, 650, 690})
        for (int i = 0; i < rate; ++i)
            samples[static_cast<std::size_t>(at) * rate + static_cast<std::size_t>(i)] =
                0.5f * std::sin(0.3f * static_cast<float>(i + at));
    test::writeAudio(file, test::AudioFormat::wavPcm16, rate, 1, samples);
    training::DataSet data;
    data.labels = {"Beep"};
    auto clip = recordingOf({{20.0, 21.0, 0}, {610.0, 611.0, 0}, {650.0, 651.0, 0}, {690.0, 691.0, 0}});
    clip.file = file;
    clip.labels = {0};
    data.clips = {clip};
    const auto others = test::sourceDirectory() / "Models" / "others" / "others.csv";
    auto chosen = teaching::chooseClips(std::move(data), others);
    CHECK(chosen.limits.empty());
    chosen.data.clips.resize(4);
    const training::ClipStore store(chosen.data, rate, 1, {});
    REQUIRE(store.clips().size() == 4);
    CHECK(chosen.data.problems.empty());
    for (const auto& stored : store.clips()) {
        const double seconds = static_cast<double>(stored.samples.size()) / rate;
        CHECK(std::abs(seconds - 11.0) < 0.01);
        REQUIRE(stored.activity.size() == 1);
        CHECK(std::abs(stored.activity[0].first - std::int64_t{5} * rate) < 10);
        CHECK(std::abs(stored.activity[0].last - std::int64_t{6} * rate) < 10);
        // The sound is there, and silence before it.
        CHECK(stored.samples[static_cast<std::size_t>(4.9 * rate)] == 0);
        CHECK(std::abs(stored.samples[static_cast<std::size_t>(5.5 * rate)]) +
                  std::abs(stored.samples[static_cast<std::size_t>(5.5 * rate) + 4]) >
              0);
    }
}
