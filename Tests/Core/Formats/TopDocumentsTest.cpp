#include "Core/Formats/TopDocuments.h"

#include "Support/Catch.h"

#include <nlohmann/json.hpp>

using namespace earshot;
using namespace earshot::formats;
using nlohmann::json;

namespace {

RecordingEvents recording(const std::string& file, std::vector<SoundScore> top) {
    RecordingEvents made;
    made.file = file;
    made.top = std::move(top);
    return made;
}

const std::vector<RecordingEvents> recordings = {
    recording("a.wav", {{"Dog", 3, 0.9f}, {"Gunshot, explosion", 7, 0.25f}, {"Rain", 1, 0.125f}}),
    recording("b, \"loud\"\n.wav", {{"=1+1", 0, 0.5f}}),
    recording("empty.wav", {}),
};

std::string all(const std::string& format, int count) {
    const auto document = makeTopDocument(format, count);
    REQUIRE(document);
    std::string text = document->begin();
    for (const auto& each : recordings) text += document->add(each);
    return text + document->end();
}

} // namespace

TEST_CASE("what is in each recording is one row of CSV, whatever its text", "[unit]") {
    CHECK(all("csv", 2) == "file,label_1,score_1,label_2,score_2\n"
                           "a.wav,Dog,0.900000,\"Gunshot, explosion\",0.250000\n"
                           "\"b, \"\"loud\"\"\n.wav\",'=1+1,0.500000,,\n"
                           "empty.wav,,,,\n");
    CHECK(all("csv", 1).starts_with("file,label_1,score_1\na.wav,Dog,0.900000\n"));
}

TEST_CASE("what is in each recording is one object of JSON", "[unit]") {
    const auto found = json::parse(all("json", 2));
    REQUIRE(found.size() == 3);
    CHECK(found[0]["file"] == "a.wav");
    REQUIRE(found[0]["top"].size() == 2);
    CHECK(found[0]["top"][1] == json({{"label", "Gunshot, explosion"}, {"class_index", 7}, {"score", 0.25}}));
    CHECK(found[1]["file"] == recordings[1].file);
    CHECK(found[2]["top"].empty());
    CHECK(json::parse(makeTopDocument("json", 1)->begin() + makeTopDocument("json", 1)->end()).empty());
    const auto lines = all("jsonl", 2);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
    CHECK(json::parse(lines.substr(0, lines.find('\n'))) == found[0]);
}

TEST_CASE("what is in each recording is one line for people", "[unit]") {
    const auto text = all("table", 3);
    CHECK(text.starts_with("a.wav  Dog 0.90, Gunshot, explosion 0.25, Rain 0.12\n"));
    CHECK(text.ends_with("empty.wav  nothing: too short\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    RecordingEvents cut = recordings[0];
    cut.complete = false;
    cut.file = "-";
    CHECK(makeTopDocument("table", 1)->add(cut) == "standard input  Dog 0.90  (incomplete)\n");
}

TEST_CASE("formats of events have no row a recording", "[unit]") {
    for (const auto& format : topFormats()) CHECK(makeTopDocument(format, 3));
    for (const std::string format : {"raven", "midi", "", "CSV"}) CHECK_FALSE(makeTopDocument(format, 3));
}
