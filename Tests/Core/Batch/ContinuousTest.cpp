// Files of one recorder that continue each other.
#include "Core/Batch/Continuous.h"

#include "Core/Batch/BatchArchive.h"
#include "Core/Batch/Journal.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace earshot;
using batch::Take;
namespace fs = std::filesystem;

namespace {

std::vector<batch::Input> inputsOf(const std::vector<std::string>& names) {
    std::vector<batch::Input> inputs;
    for (const auto& name : names) inputs.push_back({.path = name, .name = name, .problem = {}});
    return inputs;
}

std::string recordersOf(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& takes : batch::takesOf(inputsOf(names), {})) {
        for (const Take& take : takes) text += take.input.name + " ";
        text += "| ";
    }
    return text;
}

batch::Seam seam(const std::string& first, double seconds, const std::string& second,
                 const std::string& zone = {}) {
    audio::Starts starts;
    if (!zone.empty()) starts.zone = TimeZone(zone);
    const auto recorders = batch::takesOf(inputsOf({first, second}), starts);
    REQUIRE(recorders.size() == 1);
    return batch::seamOf(recorders[0][0], seconds, recorders[0][1]);
}

// 12 s at 32 kHz with loud noise from 2 to 7 s and from 8.9 to 9.2 s: over the seams of files of 3 s.
std::vector<float> night() {
    auto samples = test::noise(12 * 32000, 7, 0.001f);
    const auto loud = test::noise(12 * 32000, 8, 0.9f);
    std::copy(loud.begin() + 2 * 32000, loud.begin() + 7 * 32000, samples.begin() + 2 * 32000);
    std::copy(loud.begin() + 284800, loud.begin() + 294400, samples.begin() + 284800);
    return samples;
}

class Night {
  public:
    Night() {
        fs::create_directories(folder_ / "parts");
        fs::create_directories(folder_ / "whole");
        test::writeAudio(folder_ / "whole" / "20260515_030000.wav", test::AudioFormat::wavPcm16, 32000, 1,
                         night());
        for (int part = 0; part < 4; ++part) add(part, 3 * part);
    }

    // Three seconds of the night under the name of another second.
    void add(int part, int second) const {
        const auto samples = night();
        test::writeAudio(folder_ / "parts" / fmt::format("20260515_0300{:02}.wav", second),
                         test::AudioFormat::wavPcm16, 32000, 1,
                         std::span(samples).subspan(static_cast<std::size_t>(part) * 96000, 96000));
    }
    void damage(int second) const {
        test::writeBytes(folder_ / "parts" / fmt::format("20260515_0300{:02}.wav", second),
                         "a shopping list");
    }
    void remove(int second) const {
        fs::remove(folder_ / "parts" / fmt::format("20260515_0300{:02}.wav", second));
    }

    batch::BatchSummary run(const std::string& in, const std::string& out, bool continuous) const {
        batch::BatchRequest request;
        request.folder = folder_ / out;
        request.inputs = batch::findInputs(std::vector<std::string>{(folder_ / in).string()});
        request.outputs = {batch::documentKind(*formats::formatNamed("csv"))};
        request.joined = {"csv"};
        request.model = {.file = "m", .sha256 = "s", .licence = "l", .labels = {"Loud", "Quiet, or none"}};
        request.continuous = continuous;
        auto detector = test::batchDetector();
        detector.how.reported = {true, false};
        return batch::Batch(request).run(detector, {});
    }

    // Seconds from 03:00:00.
    std::vector<std::pair<double, double>> events(const std::string& out) const {
        std::vector<std::pair<double, double>> found;
        batch::Journal journal(folder_ / out);
        for (const auto& [name, brief] : journal.recordings()) {
            const auto result = *journal.find(name)->result;
            const double begin = secondsBetween(*parseWallTime("20260515_030000"), *result.start);
            for (const auto& event : result.events)
                found.emplace_back(begin + event.onset, begin + event.offset);
        }
        return found;
    }
    std::map<std::string, std::string> contents(const std::string& out) const {
        return test::contents(folder_ / out);
    }

  private:
    test::TemporaryDirectory folder_;
};

void checkSameEvents(const std::vector<std::pair<double, double>>& found,
                     const std::vector<std::pair<double, double>>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        // A file's first event begins with it, at most a column of 0.32 s later than in the whole.
        CHECK(found[i].first == Approx(expected[i].first).margin(0.33));
        CHECK(found[i].second == Approx(expected[i].second).margin(0.001));
    }
}

} // namespace

TEST_CASE("files are of one recorder if their names differ by times alone", "[unit]") {
    CHECK(recordersOf({"SMM2_20260515_031000.wav", "SMM1_20260515_030000.wav", "SMM2_20260515_030000.wav"}) ==
          "SMM2_20260515_030000.wav SMM2_20260515_031000.wav | SMM1_20260515_030000.wav | ");
    CHECK(recordersOf({"a/20260516/20260516_000000.wav", "a/20260515/20260515_235900.wav",
                       "b/20260515_235900.wav"}) ==
          "a/20260515/20260515_235900.wav a/20260516/20260516_000000.wav | b/20260515_235900.wav | ");
    CHECK(recordersOf({"out10.wav", "out9.wav", "in1.wav"}) == "out9.wav out10.wav | in1.wav | ");
    CHECK(recordersOf({"20260515_030000_L.wav", "20260515_030000_R.wav"}) ==
          "20260515_030000_L.wav | 20260515_030000_R.wav | ");
}

TEST_CASE("files join where one begins as the other ends", "[unit]") {
    CHECK(seam("20260515_030000.wav", 60.0, "20260515_030100.wav").joins);
    CHECK(seam("20260515_030000.wav", 59.2, "20260515_030100.wav").joins); // names state whole seconds
    CHECK(seam("20260515_030000.wav", 60.9, "20260515_030100.wav").joins);
    const auto gap = seam("20260515_030000.wav", 55.0, "20260515_030100.wav");
    CHECK_FALSE(gap.joins);
    CHECK_THAT(gap.note,
               ContainsSubstring("20260515_030100.wav: begins 5.0 s after 20260515_030000.wav ends"));
    const auto overlap = seam("20260515_030000.wav", 62.0, "20260515_030100.wav");
    CHECK(overlap.joins);
    CHECK(overlap.skip == Approx(2.0));
    CHECK_THAT(overlap.note, ContainsSubstring("2.0 s before"));
    CHECK(seam("out001.wav", 5.0, "out002.wav").joins);
    CHECK_FALSE(seam("out001.wav", 5.0, "out003.wav").joins);
}

TEST_CASE("files join in the night when clocks change, whether the recorder's did or not", "[unit]") {
    if (!fs::exists(TimeZone::systemDatabase() / "Europe/Berlin")) return;
    CHECK(seam("20261025_025900.wav", 60.0, "20261025_030000.wav", "Europe/Berlin").joins);
    CHECK(seam("20260329_015900.wav", 60.0, "20260329_020000.wav", "Europe/Berlin").joins);
    CHECK(seam("20260329_015900.wav", 60.0, "20260329_030000.wav", "Europe/Berlin").joins);
    CHECK(seam("20260329_015900+0100.wav", 60.0, "20260329_030000+0200.wav").joins);
    CHECK(seam("20261025_025900+0200.wav", 60.0, "20261025_020000+0100.wav").joins);
}

TEST_CASE("a sound across a seam is one event, as in the whole recording", "[unit]") {
    const Night night;
    night.run("whole", "expected", false);
    const auto expected = night.events("expected");
    REQUIRE(expected.size() == 2);
    CHECK(night.run("parts", "joined", true).warnings.empty());
    checkSameEvents(night.events("joined"), expected);
    night.run("parts", "apart", false);
    CHECK(night.events("apart").size() > expected.size());
}

TEST_CASE("a gap between files parts them, and that is said", "[unit]") {
    const Night night;
    night.remove(3);
    night.add(1, 5);
    night.remove(6);
    night.remove(9);
    const auto summary = night.run("parts", "out", true);
    REQUIRE(summary.warnings.size() == 1);
    CHECK_THAT(summary.warnings[0], ContainsSubstring("begins 2.0 s after"));
    CHECK(night.events("out").size() == 2);
}

TEST_CASE("an overlap of files is analysed once, and that is said", "[unit]") {
    const Night night;
    night.remove(3);
    night.remove(6);
    night.remove(9);
    night.add(1, 1); // begins at second 1, and its first two seconds were recorded before
    const auto summary = night.run("parts", "out", true);
    REQUIRE(summary.warnings.size() == 1);
    CHECK_THAT(summary.warnings[0], ContainsSubstring("begins 2.0 s before"));
    const auto events = night.events("out");
    REQUIRE(events.size() == 1);
    CHECK(events[0].first == Approx(2.0).margin(0.33));
    CHECK(events[0].second == Approx(4.0).margin(0.01));
}

TEST_CASE("a file that is added is joined to those that are done", "[unit]") {
    const Night night;
    night.remove(9);
    night.run("parts", "out", true);
    night.add(3, 9);
    CHECK(night.run("parts", "out", true).tried == 4);
    night.run("parts", "fresh", true);
    CHECK(test::changes(night.contents("out"), night.contents("fresh")) == "");
    CHECK(night.run("parts", "out", true).tried == 0);
}

TEST_CASE("a file that cannot be read parts the others, and fails alone", "[unit]") {
    const Night night;
    night.damage(3);
    const auto summary = night.run("parts", "out", true);
    CHECK(summary.failures.size() == 1);
    CHECK(summary.heard == 3);
}
