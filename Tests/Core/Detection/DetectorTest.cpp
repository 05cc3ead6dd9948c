#include "Core/Detection/Detector.h"

#include "Support/Catch.h"

using namespace earshot;
using namespace earshot::detection;

TEST_CASE("a result has the names of its sounds, and keeps what is known of its recording", "[unit]") {
    const std::vector<std::string> labels = {"Dog", "Cat", "Rain"};
    const Event cat{.classIndex = 1, .onset = 0.5, .offset = 1.5, .peak = 0.9f, .mean = 0.7f, .channel = 2};
    const Event dog{.classIndex = 0, .onset = 3.0, .offset = 3.5, .peak = 0.3f, .mean = 0.3f, .channel = 2};
    RecordingResult result;
    result.summary.seconds = 12.5;
    result.summary.level = -30.0;
    result.found = {{cat}, {{dog, Rejection::belowThreshold, 0.3, 0.4}}};
    result.nearest = formats::NearestSound{.classIndex = 2, .peak = 0.95f, .time = 4.0};
    result.top = {{.classIndex = 2, .score = 0.95f}, {.classIndex = 1, .score = 0.9f}};
    const formats::RecordingEvents about{.file = "in/a.wav",
                                         .sampleRate = 48000,
                                         .channels = 2,
                                         .start = WallTime{.milliseconds = 5000, .offset = 3600},
                                         .path = "/in/a.wav"};
    const auto named = recordingEvents(about, result, labels);
    CHECK(named.file == "in/a.wav");
    CHECK(named.path == "/in/a.wav");
    CHECK(named.sampleRate == 48000);
    CHECK(named.seconds == 12.5);
    CHECK(named.complete);
    CHECK(timeOf(named, named.events.at(0))->milliseconds == 5500);
    REQUIRE(named.events.size() == 1);
    CHECK(named.events[0].label == "Cat");
    CHECK(named.events[0].channel == 2);
    REQUIRE(named.nearMisses.size() == 1);
    CHECK(named.nearMisses[0].event.label == "Dog");
    CHECK(named.nearMisses[0].event.onset == 3.0);
    CHECK(named.nearMisses[0].why == "Not an event: 0.30 is below the threshold 0.40");
    CHECK(named.nearest->label == "Rain");
    CHECK(named.nearest->time == 4.0);
    CHECK(named.top == std::vector<formats::SoundScore>{{"Rain", 2, 0.95f}, {"Cat", 1, 0.9f}});
    CHECK(named.level == -30.0);

    for (const bool stopped : {true, false}) {
        auto partial = result;
        partial.summary.stopped = stopped;
        if (!stopped) partial.summary.failure = "in/a.wav: ends early";
        CHECK_FALSE(recordingEvents(about, partial, labels).complete);
    }
    auto damaged = about; // as its kept activations say
    damaged.complete = false;
    CHECK_FALSE(recordingEvents(damaged, result, labels).complete);
}
