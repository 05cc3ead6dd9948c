// Result files as readers that are not ours find them: Python's csv, json and sqlite3, python3-mido, FFmpeg.
#include "Core/Formats/Samples.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/OtherReaders.h"
#include "Support/Process.h"
#include "Support/Skip.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace earshot;
using namespace earshot::formats;

namespace {

// What the samples are to programs that want one line of UTF-8.
const std::vector<std::string> lineLabels = {"Rock & <b>roll</b> --> end",   "Dog",
                                             "tab here  and \"there\"",      "=SUM(1,2)",
                                             "M\xc3\xb6we caf\xef\xbf\xbd ", "Gunshot, gunfire"};
// And to those that take any text.
const std::vector<std::string> exactLabels = {"Rock & <b>roll</b> --> end",      "Dog",
                                              "tab\there\r\nand \"there\"",      "=SUM(1,2)",
                                              "M\xc3\xb6we caf\xef\xbf\xbd\x07", "Gunshot, gunfire"};
const std::string firstFile = "archive/day 1/caf\xc3\xa9, \"loud\".wav";
const std::string firstPath = "/srv/site, 1/day 1/caf\xc3\xa9, \"loud\".wav";
const std::string secondFile = "#2\xef\xbf\xbd.flac";

std::string withSingleQuotes(std::string text) {
    std::ranges::replace(text, '"', '\'');
    return text;
}

struct Expectation {
    const char* format;
    bool fromZero = true;
    bool exact = false; // labels as they are
    bool singleQuotes = false;
    bool namesFiles = true;
    bool absolute = false; // paths
};

void writeDocument(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

TEST_CASE("Python's readers find every event in every table", "[unit]") {
    const auto expected = GENERATE(
        Expectation{"csv", false, true}, Expectation{"json", false, true}, Expectation{"jsonl", false, true},
        Expectation{"audacity", false, false, false, false},
        Expectation{"raven", true, false, true, true, true}, Expectation{"dcase", true, false, true},
        Expectation{"kaleidoscope", true, false, false, true, true},
        Expectation{"reaper", true, false, false, false}, Expectation{"audition", true, false, false, false});
    const EventFormat& format = *formatNamed(expected.format);
    INFO(format.name);
    auto samples = test::sampleRecordings();
    if (!format.joins) samples.pop_back();
    const test::TemporaryDirectory folder;
    const auto file = folder / ("results" + std::string(format.suffix));
    writeDocument(file, test::documentOf(format, samples));
    const auto rows = test::readByPython(std::string(format.name), file);
    if (!rows) return;

    std::size_t i = 0;
    for (const auto& recording : samples)
        for (const TimedEvent& event : recording.events) {
            INFO(rows->at(i).dump());
            const double earliest = expected.fromZero ? 0.0 : -1.0;
            CHECK(rows->at(i)[1].get<double>() == Approx(std::max(earliest, event.onset)).margin(0.0011));
            CHECK(rows->at(i)[2].get<double>() == Approx(event.offset).margin(0.0011));
            const std::string& label = (expected.exact ? exactLabels : lineLabels)[i];
            CHECK(rows->at(i)[3] == (expected.singleQuotes ? withSingleQuotes(label) : label));
            if (expected.namesFiles) {
                const std::string& first = expected.absolute ? firstPath : firstFile;
                const std::string& name = &recording == &samples[0] ? first : secondFile;
                CHECK(rows->at(i)[0] == (expected.singleQuotes ? withSingleQuotes(name) : name));
            }
            ++i;
        }
    CHECK(rows->size() == i);
}

TEST_CASE("a MIDI reader finds a note for every event", "[unit]") {
    const auto first = test::sampleRecordings()[0];
    const test::TemporaryDirectory folder;
    writeDocument(folder / "results.mid", test::documentOf(*formatNamed("midi"), {first}));
    const auto notes = test::readByPython("midi", folder / "results.mid");
    if (!notes) return;
    REQUIRE(notes->size() == first.events.size());
    for (std::size_t i = 0; i < first.events.size(); ++i) {
        const TimedEvent& event = first.events[i];
        const MidiNote note = MidiMap::defaultNote(event.classIndex);
        INFO(notes->at(i).dump());
        REQUIRE(notes->at(i)[0] == note.channel);
        REQUIRE(notes->at(i)[1] == note.note);
        REQUIRE(notes->at(i)[2].get<double>() == Approx(std::max(0.0, event.onset)).margin(0.0011));
        REQUIRE(notes->at(i)[3].get<double>() == Approx(event.offset).margin(0.0011));
    }
}

TEST_CASE("FFmpeg reads the captions", "[unit]") {
    if (!std::filesystem::exists("/usr/bin/ffmpeg"))
        return test::skip("/usr/bin/ffmpeg is not there (Debian: ffmpeg)");
    const auto first = test::sampleRecordings()[0];
    const test::TemporaryDirectory folder;
    const auto file = folder / "results.vtt";
    writeDocument(file, test::documentOf(*formatNamed("webvtt"), {first}));
    const auto srt =
        test::runProcess("/usr/bin/ffmpeg", {"-v", "error", "-i", file.string(), "-f", "srt", "-"});
    REQUIRE(srt.exitCode == 0);
    REQUIRE(srt.errors.empty());
    REQUIRE(srt.output == "1\n00:00:00,000 --> 00:00:00,160\nRock & <b>roll</b> --> end\n\n"
                          "2\n00:00:00,320 --> 00:00:01,280\nDog\n\n"
                          "3\n00:01:01,440 --> 00:01:02,400\ntab here  and \"there\"\n\n"
                          "4\n01:02:03,520 --> 01:02:04,160\n=SUM(1,2)\n\n");
}
