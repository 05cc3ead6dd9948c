#include "Core/Formats/EventFormats.h"

#include "Core/Base/Csv.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <sstream>
#include <vector>

using namespace earshot;
using namespace earshot::formats;

namespace {

const std::vector<TimedEvent> awkward = {
    {"a,b.wav", 0.0, 0.32, "Dog", 3, 0.5f, 0.25f},
    {"say \"hi\".wav", 1.28, 2.5604, "Gunshot, \"explosion\"", 0, 1.0f, 0.999f},
    {"two\nlines.wav", -0.5, 12345.6789, "tab\there\r\nand there", 526, 0.0f, 0.0f},
    {"caf\xc3\xa9.wav", 3.0, 4.0, "M\xc3\xb6we", 7, 0.75f, 0.5f},
};
const TimedEvent notUtf8 = {"x\xff.wav", 0.0, 1.0, "caf\xe9", 1, 0.5f, 0.5f};

} // namespace

TEST_CASE("events in CSV are read back by any reader of RFC 4180", "[unit]") {
    const auto rows = parseCsv(document(EventFormat::csv, awkward));
    REQUIRE(rows.size() == awkward.size() + 1);
    REQUIRE(rows[0] ==
            CsvRow{"file", "onset_s", "offset_s", "label", "class_index", "peak", "mean", "confidence"});
    for (std::size_t i = 0; i < awkward.size(); ++i) {
        const auto& row = rows[i + 1];
        REQUIRE(row.size() == 8);
        REQUIRE(row[0] == awkward[i].file);
        REQUIRE(std::stod(row[1]) == Approx(awkward[i].onset).margin(0.0005));
        REQUIRE(std::stod(row[2]) == Approx(awkward[i].offset).margin(0.0005));
        REQUIRE(row[3] == awkward[i].label);
        REQUIRE(std::stoi(row[4]) == awkward[i].classIndex);
        REQUIRE(std::stof(row[5]) == Approx(awkward[i].peak).margin(1e-6));
        REQUIRE(std::stof(row[6]) == Approx(awkward[i].mean).margin(1e-6));
        REQUIRE(row[7].empty()); // thresholds decided
    }
    const std::string header = "file,onset_s,offset_s,label,class_index,peak,mean,confidence\n";
    REQUIRE(document(EventFormat::csv, std::vector{awkward[0]}) ==
            header + "\"a,b.wav\",0.000,0.320,Dog,3,0.500000,0.250000,\n");
    REQUIRE(document(EventFormat::csv, {}) == header);
}

TEST_CASE("events in CSV say how sure a network is of them", "[unit]") {
    TimedEvent event = awkward[3];
    event.confidence = 0.8125f;
    REQUIRE(document(EventFormat::csv, std::vector{event}).ends_with(",7,0.750000,0.500000,0.812500\n"));
}

TEST_CASE("cells that a spreadsheet would run begin with an apostrophe in its tables", "[unit]") {
    for (const char* text : {"=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\"=1", "'=1",
                             "\uff1d1", "=HYPERLINK(\"http://x\")"}) {
        const std::vector<TimedEvent> events = {{text, 0.0, 1.0, text, 0, 0.5f, 0.5f}};
        INFO(text);
        const auto table = document(EventFormat::csv, events);
        const auto row = table.substr(table.find('\n') + 1);
        CHECK((row.starts_with("'") || row.starts_with("\"'")));
        CHECK((row.find(",1.000,'") != std::string::npos || row.find(",1.000,\"'") != std::string::npos));
        const auto found = parseCsv(table);
        REQUIRE(found.size() == 2);
        CHECK(found[1][0] == text);
        CHECK(found[1][3] == text);
    }
    const std::vector<TimedEvent> plain = {{"-", -1.0, 1.0, "Bird - song = @home", 0, 0.5f, 0.5f}};
    CHECK(document(EventFormat::csv, plain)
              .ends_with("\n-,-1.000,1.000,Bird - song = @home,0,0.500000,0.500000,\n"));
    const std::vector<TimedEvent> label = {{"-a/-b/-c.wav", 0.0, 1.0, "=1+1", 0, 0.5f, 0.5f}};
    CHECK(document(EventFormat::kaleidoscope, label)
              .ends_with("\n'-a,'-b,'-c.wav,0,0.000,1.000,'=1+1,0.500000,\n"));
    CHECK(document(EventFormat::reaper, label).ends_with("\nR1,'=1+1,0:00.000,0:01.000,0:01.000,\n"));
    CHECK(document(EventFormat::audition, label)
              .ends_with("\n'=1+1\t0:00.000\t0:01.000\tdecimal\tCue\tpeak 0.500\n"));
    // Its readers compare names to the letter.
    CHECK(document(EventFormat::dcase, label).ends_with("\n-a/-b/-c.wav\t0.000\t1.000\t=1+1\n"));
}

TEST_CASE("events in JSON are one array of objects", "[unit]") {
    const auto array = nlohmann::json::parse(document(EventFormat::json, awkward));
    REQUIRE(array.size() == awkward.size());
    for (std::size_t i = 0; i < awkward.size(); ++i) {
        REQUIRE(array[i]["file"] == awkward[i].file);
        REQUIRE(array[i]["label"] == awkward[i].label);
        REQUIRE(array[i]["class_index"] == awkward[i].classIndex);
        REQUIRE(array[i]["onset_s"].get<double>() == Approx(awkward[i].onset).margin(0.0005));
        REQUIRE(array[i]["offset_s"].get<double>() == Approx(awkward[i].offset).margin(0.0005));
        REQUIRE(array[i]["peak"].get<float>() == Approx(awkward[i].peak).margin(1e-6));
        REQUIRE(array[i]["mean"].get<float>() == Approx(awkward[i].mean).margin(1e-6));
    }
    REQUIRE(document(EventFormat::json, {}) == "[]\n");
    const auto repaired = nlohmann::json::parse(document(EventFormat::json, std::vector{notUtf8}));
    REQUIRE(repaired[0]["label"] == "caf\xef\xbf\xbd");
}

TEST_CASE("Audacity's labels are a line of three fields for each event", "[unit]") {
    std::istringstream lines(document(EventFormat::audacity, awkward));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        std::istringstream fields(line);
        std::vector<std::string> parts;
        for (std::string part; std::getline(fields, part, '\t');) parts.push_back(part);
        REQUIRE(parts.size() == 3);
        REQUIRE(std::stod(parts[0]) == Approx(awkward[count].onset).margin(1e-6));
        REQUIRE(std::stod(parts[1]) == Approx(awkward[count].offset).margin(1e-6));
        REQUIRE(parts[2].find('\r') == std::string::npos);
    }
    REQUIRE(count == awkward.size());
    REQUIRE(document(EventFormat::audacity, std::vector{awkward[2]}) ==
            "-0.500000\t12345.678900\ttab here  and there\n");
    REQUIRE(document(EventFormat::audacity, {}).empty());
}

TEST_CASE("each format has its extension", "[unit]") {
    REQUIRE(std::string(extension(EventFormat::csv)) == ".csv");
    REQUIRE(std::string(extension(EventFormat::json)) == ".json");
    REQUIRE(std::string(extension(EventFormat::audacity)) == ".txt");
    REQUIRE(std::string(extension(EventFormat::midi)) == ".mid");
}
