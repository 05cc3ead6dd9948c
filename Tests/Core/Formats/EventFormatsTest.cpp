#include "Core/Formats/EventFormats.h"

#include "Core/Base/Csv.h"
#include "Core/Formats/Samples.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <sstream>
#include <vector>

using namespace earshot;
using namespace earshot::formats;

namespace {

RecordingEvents recordingOf(const std::string& file, TimedEvent event) {
    RecordingEvents recording;
    recording.file = file;
    recording.events = {std::move(event)};
    return recording;
}

const std::vector<RecordingEvents> awkward = {
    recordingOf("a,b.wav", {0.0, 0.32, "Dog", 3, 0.5f, 0.25f}),
    recordingOf("say \"hi\".wav", {1.28, 2.5604, "Gunshot, \"explosion\"", 0, 1.0f, 0.999f}),
    recordingOf("two\nlines.wav", {-0.5, 12345.6789, "tab\there\r\nand there", 526, 0.0f, 0.0f}),
    recordingOf("caf\xc3\xa9.wav", {3.0, 4.0, "M\xc3\xb6we", 7, 0.75f, 0.5f}),
};
const RecordingEvents notUtf8 = recordingOf("x\xff.wav", {0.0, 1.0, "caf\xe9", 1, 0.5f, 0.5f});

std::string written(std::string_view format, const std::vector<RecordingEvents>& recordings) {
    return test::documentOf(*formatNamed(format), recordings);
}

} // namespace

TEST_CASE("events in CSV are read back by any reader of RFC 4180", "[unit]") {
    const auto rows = parseCsv(written("csv", awkward));
    REQUIRE(rows.size() == awkward.size() + 1);
    REQUIRE(rows[0] == CsvRow{"file", "onset_s", "offset_s", "label", "class_index", "peak", "mean",
                              "confidence", "channel", "onset_time"});
    for (std::size_t i = 0; i < awkward.size(); ++i) {
        const auto& row = rows[i + 1];
        const TimedEvent& event = awkward[i].events.front();
        REQUIRE(row.size() == 10);
        REQUIRE(row[0] == awkward[i].file);
        REQUIRE(std::stod(row[1]) == Approx(event.onset).margin(0.0005));
        REQUIRE(std::stod(row[2]) == Approx(event.offset).margin(0.0005));
        REQUIRE(row[3] == event.label);
        REQUIRE(std::stoi(row[4]) == event.classIndex);
        REQUIRE(std::stof(row[5]) == Approx(event.peak).margin(1e-6));
        REQUIRE(std::stof(row[6]) == Approx(event.mean).margin(1e-6));
        REQUIRE(row[7].empty()); // thresholds decided
        REQUIRE(row[8].empty()); // the mix
        REQUIRE(row[9].empty()); // no start is known
    }
    const std::string header =
        "file,onset_s,offset_s,label,class_index,peak,mean,confidence,channel,onset_time\n";
    REQUIRE(written("csv", {awkward[0]}) == header + "\"a,b.wav\",0.000,0.320,Dog,3,0.500000,0.250000,,,\n");
    REQUIRE(written("csv", {}) == header);
}

TEST_CASE("events in CSV say how sure a network is of them", "[unit]") {
    RecordingEvents recording = awkward[3];
    recording.events.front().confidence = 0.8125f;
    REQUIRE(written("csv", {recording}).ends_with(",7,0.750000,0.500000,0.812500,,\n"));
}

TEST_CASE("every format says which channel an event belongs to", "[unit]") {
    RecordingEvents recording = awkward[0];
    recording.events.front().channel = 12;
    const std::map<std::string, std::string> expected = {
        {"csv", ",12,\n"},
        {"json", "\"channel\": 12}"},
        {"jsonl", "\"channel\": 12}"},
        {"raven", "1\tSpectrogram 1\t12\t"},
        {"kaleidoscope", ",11,0.000,"},
    };
    for (const auto& format : formats::allFormats()) {
        CAPTURE(format.name);
        const auto found = expected.find(std::string(format.name));
        const std::string text = written(std::string(format.name), {recording});
        CHECK_THAT(text, ContainsSubstring(found == expected.end() ? "Dog (channel 12)" : found->second));
    }
}

TEST_CASE("cells that a spreadsheet would run begin with an apostrophe in its tables", "[unit]") {
    for (const char* text : {"=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\"=1", "'=1",
                             "\uff1d1", "=HYPERLINK(\"http://x\")"}) {
        const auto recording = recordingOf(text, {0.0, 1.0, text, 0, 0.5f, 0.5f});
        INFO(text);
        const auto table = written("csv", {recording});
        const auto row = table.substr(table.find('\n') + 1);
        CHECK((row.starts_with("'") || row.starts_with("\"'")));
        CHECK((row.find(",1.000,'") != std::string::npos || row.find(",1.000,\"'") != std::string::npos));
        const auto found = parseCsv(table);
        REQUIRE(found.size() == 2);
        CHECK(found[1][0] == text);
        CHECK(found[1][3] == text);
    }
    const auto plain = recordingOf("-", {-1.0, 1.0, "Bird - song = @home", 0, 0.5f, 0.5f});
    CHECK(written("csv", {plain}).ends_with("\n-,-1.000,1.000,Bird - song = @home,0,0.500000,0.500000,,,\n"));
    const auto label = recordingOf("-a/-b/-c.wav", {0.0, 1.0, "=1+1", 0, 0.5f, 0.5f});
    CHECK(written("kaleidoscope", {label}).ends_with("\n'-a,'-b,'-c.wav,0,0.000,1.000,,,,'=1+1,0.500000,\n"));
    CHECK(written("reaper", {label}).ends_with("\nR1,'=1+1,0:00.000,0:01.000,0:01.000,\n"));
    CHECK(written("audition", {label}).ends_with("\n'=1+1\t0:00.000\t0:01.000\tdecimal\tCue\tpeak 0.500\n"));
    // Its readers compare names to the letter.
    CHECK(written("dcase", {label}).ends_with("\n-a/-b/-c.wav\t0.000\t1.000\t=1+1\n"));
}

TEST_CASE("events in JSON are one array of objects", "[unit]") {
    const auto array = nlohmann::json::parse(written("json", awkward));
    REQUIRE(array.size() == awkward.size());
    for (std::size_t i = 0; i < awkward.size(); ++i) {
        const TimedEvent& event = awkward[i].events.front();
        REQUIRE(array[i]["file"] == awkward[i].file);
        REQUIRE(array[i]["label"] == event.label);
        REQUIRE(array[i]["class_index"] == event.classIndex);
        REQUIRE(array[i]["onset_s"].get<double>() == Approx(event.onset).margin(0.0005));
        REQUIRE(array[i]["offset_s"].get<double>() == Approx(event.offset).margin(0.0005));
        REQUIRE(array[i]["peak"].get<float>() == Approx(event.peak).margin(1e-6));
        REQUIRE(array[i]["mean"].get<float>() == Approx(event.mean).margin(1e-6));
    }
    REQUIRE(written("json", {}) == "[]\n");
    const auto repaired = nlohmann::json::parse(written("json", {notUtf8}));
    REQUIRE(repaired[0]["label"] == "caf\xef\xbf\xbd");
}

TEST_CASE("Audacity's labels are a line of three fields for each event", "[unit]") {
    std::istringstream lines(written("audacity", awkward));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        std::istringstream fields(line);
        std::vector<std::string> parts;
        for (std::string part; std::getline(fields, part, '\t');) parts.push_back(part);
        REQUIRE(parts.size() == 3);
        REQUIRE(std::stod(parts[0]) == Approx(awkward[count].events.front().onset).margin(1e-6));
        REQUIRE(std::stod(parts[1]) == Approx(awkward[count].events.front().offset).margin(1e-6));
        REQUIRE(parts[2].find('\r') == std::string::npos);
    }
    REQUIRE(count == awkward.size());
    REQUIRE(written("audacity", {awkward[2]}) == "-0.500000\t12345.678900\ttab here  and there\n");
    REQUIRE(written("audacity", {}).empty());
}

TEST_CASE("each format has its extension", "[unit]") {
    REQUIRE(formatNamed("csv")->extension() == ".csv");
    REQUIRE(formatNamed("json")->extension() == ".json");
    REQUIRE(formatNamed("audacity")->extension() == ".txt");
    REQUIRE(formatNamed("midi")->extension() == ".mid");
}
