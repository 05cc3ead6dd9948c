// Text formats with names and labels that try to break them, read back by plain readers of the test's own.
#include "Core/Base/Csv.h"
#include "Core/Formats/Samples.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string_view>

using namespace earshot;
using namespace earshot::formats;

namespace {

std::string hostileText(std::mt19937& random) {
    static const std::vector<std::string> pieces = {"\t",
                                                    "\n",
                                                    "\r",
                                                    "\r\n",
                                                    "\"",
                                                    "\"\"",
                                                    ",",
                                                    ";",
                                                    "'",
                                                    "\\",
                                                    "-->",
                                                    "&",
                                                    "<b>",
                                                    ">",
                                                    "=1+1",
                                                    "+",
                                                    "-",
                                                    "@",
                                                    "#",
                                                    "NOTE",
                                                    "WEBVTT",
                                                    "1\n00:00",
                                                    "/",
                                                    "/../",
                                                    "\x01",
                                                    "\x1b",
                                                    "\x7f",
                                                    "\xff",
                                                    "\xc3",
                                                    "\xe2\x80\xa8",
                                                    "\xc2\x85",
                                                    "\xed\xa0\x80",
                                                    "\x0b",
                                                    "\x0c",
                                                    "\x1e",
                                                    "\xf4\x90\x80",
                                                    "caf\xc3\xa9",
                                                    "{}",
                                                    "}",
                                                    "%s",
                                                    " ",
                                                    "",
                                                    "[null, 1",
                                                    "Dog",
                                                    "\xf0\x9f\x90\x95",
                                                    std::string(1, '\0')};
    std::string text;
    for (unsigned i = 0; i < random() % 8; ++i) text += pieces[random() % pieces.size()];
    for (unsigned i = 0; i < random() % 4; ++i) text += static_cast<char>(random() % 256);
    return text;
}

std::vector<RecordingEvents> hostileRecordings(std::mt19937& random) {
    std::vector<RecordingEvents> recordings(1 + random() % 3);
    for (auto& recording : recordings) {
        recording.file = hostileText(random);
        recording.seconds = static_cast<double>(random() % 10'000'000) / 1000.0;
        recording.sampleRate = 48000;
        if (random() % 2 == 0) recording.start = WallTime{static_cast<std::int64_t>(random()) * 10'000, 7200};
        if (random() % 2 == 0) recording.folder = "/" + hostileText(random);
        if (random() % 2 == 0) recording.path = recording.folder + "/" + hostileText(random);
        for (unsigned i = 0; i < random() % 12; ++i) {
            const double onset = static_cast<double>(random() % 10'000'000) / 1000.0 - 1.0;
            recording.events.push_back({onset, onset + 0.001 * static_cast<double>(1 + random() % 5000),
                                        hostileText(random), static_cast<int>(random() % 527),
                                        0.001f * static_cast<float>(random() % 1001), 0.5f});
        }
    }
    return recordings;
}

struct Row {
    double onset = 0.0;
    double offset = 0.0;
};

double clockSeconds(const std::string& text) {
    double seconds = 0.0;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ':');) seconds = seconds * 60.0 + std::stod(part);
    return seconds;
}

std::vector<std::vector<std::string>> tabRows(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        auto& row = rows.emplace_back(1);
        for (const char c : line)
            if (c == '\t')
                row.emplace_back();
            else
                row.back() += c;
    }
    return rows;
}

// Of the rows after the header, all as long as it.
std::vector<Row> rowsOf(const std::vector<std::vector<std::string>>& table,
                        const std::function<Row(const std::vector<std::string>&)>& row,
                        bool hasHeader = true) {
    std::vector<Row> rows;
    for (std::size_t i = hasHeader ? 1 : 0; i < table.size(); ++i) {
        REQUIRE(table[i].size() == table[0].size());
        rows.push_back(row(table[i]));
    }
    return rows;
}

// REAPER's header begins with a # as comments do elsewhere.
std::vector<std::vector<std::string>> csvRows(const std::string& text) { return parseCsv("x" + text); }

std::vector<Row> captions(const std::string& text) {
    REQUIRE(text.starts_with("WEBVTT\n\n"));
    std::vector<Row> rows;
    std::istringstream lines(text.substr(8));
    for (std::string number, times, label, empty; std::getline(lines, number);) {
        std::getline(lines, times);
        std::getline(lines, label);
        REQUIRE((!std::getline(lines, empty) || empty.empty()));
        REQUIRE(number == std::to_string(rows.size() + 1));
        REQUIRE(label.find_first_of("<>") == std::string::npos);
        const auto arrow = times.find(" --> ");
        REQUIRE(arrow != std::string::npos);
        REQUIRE(times.find('.') >= 8);
        rows.push_back({clockSeconds(times.substr(0, arrow)), clockSeconds(times.substr(arrow + 5))});
        REQUIRE(rows.back().offset > rows.back().onset);
        REQUIRE((rows.size() < 2 || rows[rows.size() - 2].onset <= rows.back().onset));
    }
    return rows;
}

std::vector<Row> objectRows(const nlohmann::json& objects) {
    std::vector<Row> rows;
    for (const auto& object : objects) rows.push_back({object.at("onset_s"), object.at("offset_s")});
    return rows;
}

// One reader for each format of text.
const std::map<std::string_view, std::function<std::vector<Row>(const std::string&)>>& readers() {
    using Fields = std::vector<std::string>;
    const auto secondsIn = [](std::size_t onset, std::size_t offset) {
        return [=](const Fields& row) { return Row{std::stod(row[onset]), std::stod(row[offset])}; };
    };
    static const std::map<std::string_view, std::function<std::vector<Row>(const std::string&)>> all = {
        {"csv", [=](const auto& text) { return rowsOf(csvRows(text), secondsIn(1, 2)); }},
        {"json", [](const auto& text) { return objectRows(nlohmann::json::parse(text)); }},
        {"jsonl",
         [](const auto& text) {
             auto objects = nlohmann::json::array();
             for (const auto& line : tabRows(text)) objects.push_back(nlohmann::json::parse(line.at(0)));
             return objectRows(objects);
         }},
        {"audacity", [=](const auto& text) { return rowsOf(tabRows(text), secondsIn(0, 1), false); }},
        {"raven",
         [](const auto& text) {
             return rowsOf(tabRows(text), [](const Fields& row) {
                 const double offset = std::stod(row[9]);
                 return Row{offset, offset + std::stod(row[4]) - std::stod(row[3])};
             });
         }},
        {"dcase", [=](const auto& text) { return rowsOf(tabRows(text), secondsIn(1, 2)); }},
        {"kaleidoscope",
         [](const auto& text) {
             return rowsOf(csvRows(text), [](const Fields& row) {
                 return Row{std::stod(row[4]), std::stod(row[4]) + std::stod(row[5])};
             });
         }},
        {"reaper",
         [](const auto& text) {
             return rowsOf(csvRows(text), [](const Fields& row) {
                 return Row{clockSeconds(row[2]), clockSeconds(row[3])};
             });
         }},
        {"audition",
         [](const auto& text) {
             return rowsOf(tabRows(text), [](const Fields& row) {
                 return Row{clockSeconds(row[1]), clockSeconds(row[1]) + clockSeconds(row[2])};
             });
         }},
        {"webvtt", captions},
    };
    return all;
}

std::vector<Row> readBack(const EventFormat& format, const std::string& text) {
    REQUIRE(readers().count(format.name) == 1);
    return readers().at(format.name)(text);
}

bool isText(const EventFormat& format) { return format.name != "midi"; }

bool keepsBytes(const EventFormat& format) {
    return format.name == "csv" || format.name == "json" || format.name == "jsonl";
}

// As JSON repairs it: what is no UTF-8 becomes U+FFFD.
std::string repaired(const std::string& text) {
    return nlohmann::json::parse(
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace

TEST_CASE("no label and no file name breaks a row of any text format", "[unit]") {
    std::mt19937 random(6);
    for (int round = 0; round < 300; ++round) {
        const auto recordings = hostileRecordings(random);
        for (const EventFormat& format : allFormats()) {
            if (!isText(format)) continue;
            const bool fromZero = !keepsBytes(format) && format.name != "audacity";
            std::vector<RecordingEvents> some = recordings;
            if (!format.joins) some.resize(1);
            std::vector<TimedEvent> events;
            for (const auto& recording : some)
                events.insert(events.end(), recording.events.begin(), recording.events.end());
            if (format.name == "webvtt")
                std::ranges::stable_sort(events, {},
                                         [](const auto& event) { return std::max(0.0, event.onset); });
            const std::string text = test::documentOf(format, some);
            INFO(format.name << "\n" << text);
            const auto rows = readBack(format, text);
            REQUIRE(rows.size() == events.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const double onset = fromZero ? std::max(0.0, events[i].onset) : events[i].onset;
                const double offset = fromZero ? std::max(onset, events[i].offset) : events[i].offset;
                REQUIRE(std::abs(rows[i].onset - onset) < 0.0011);
                REQUIRE(std::abs(rows[i].offset - offset) < 0.0021);
            }
        }
    }
}

TEST_CASE("formats of lines hold UTF-8 and no control character but their own", "[unit]") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        auto recordings = hostileRecordings(random);
        recordings.resize(1);
        for (const EventFormat& format : allFormats()) {
            if (keepsBytes(format) || !isText(format)) continue;
            const std::string text = test::documentOf(format, recordings);
            INFO(format.name << "\n" << text);
            REQUIRE_NOTHROW(nlohmann::json(text).dump()); // throws at what is no UTF-8
            for (const char c : text)
                REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n'));
            REQUIRE(text.find('\x7f') == std::string::npos);
            for (const char* separator : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"})
                REQUIRE(text.find(separator) == std::string::npos);
        }
    }
}

TEST_CASE("documents of text are UTF-8, whatever recordings and sounds are called", "[unit]") {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const auto recordings = hostileRecordings(random);
        for (const EventFormat& format : allFormats()) {
            if (!isText(format)) continue;
            const auto text = test::documentOf(format, {recordings[0]});
            INFO(format.name << "\n" << text);
            REQUIRE_NOTHROW(nlohmann::json(text).dump()); // throws at what is no UTF-8
        }
    }
}

TEST_CASE("csv and JSON keep every byte of a name that is UTF-8", "[unit]") {
    std::mt19937 random(8);
    for (int round = 0; round < 300; ++round) {
        const auto recordings = hostileRecordings(random);
        const auto table = csvRows(test::documentOf(*formatNamed("csv"), recordings));
        const auto array = nlohmann::json::parse(test::documentOf(*formatNamed("json"), recordings));
        std::size_t i = 0;
        for (const auto& recording : recordings)
            for (const TimedEvent& event : recording.events) {
                REQUIRE(table.at(i + 1)[0] == repaired(recording.file));
                REQUIRE(table.at(i + 1)[3] == repaired(event.label));
                REQUIRE(array.at(i)["file"] == repaired(recording.file));
                REQUIRE(array.at(i)["label"] == repaired(event.label));
                ++i;
            }
        REQUIRE(table.size() == i + 1);
    }
}

TEST_CASE("numbers that are none, or beyond all clocks, keep a document whole", "[unit]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double time : {infinity, -infinity, nan, 1e300, -1e300, 1e15}) {
        RecordingEvents recording;
        recording.seconds = time;
        const auto number = static_cast<float>(time);
        recording.events = {{time, time, "a", 0, number, number}, {0.0, time, "b", 1, 0.5f, 0.5f}};
        for (const EventFormat& format : allFormats()) {
            if (!isText(format)) continue;
            const std::string text = test::documentOf(format, {recording, recording});
            INFO(format.name << "\n" << text);
            REQUIRE(text.find("nan") == std::string::npos);
            REQUIRE(text.find("inf") == std::string::npos);
            if (format.joins) REQUIRE(readBack(format, text).size() == 4);
        }
    }
}
