// The time of day in results, and files that continue each other.
#include "Cli/Earshot.h"
#include "Support/Catch.h"

#include <filesystem>
#include <string>
#include <vector>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

const std::string low = "0.00003"; // noise is full of events

std::string noiseAt(const fs::path& file) {
    fs::create_directories(file.parent_path());
    return test::makeNoise(file);
}

std::vector<test::CsvRow> rowsOf(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "csv", "--threshold", low});
    const auto result = test::runEarshot(arguments);
    INFO(result.errors);
    REQUIRE(result.exitCode == 0);
    auto rows = test::parseCsv(result.output);
    REQUIRE(rows.size() > 1);
    return rows;
}

} // namespace

TEST_CASE("a recording's name, --start and --time-zone give the time of day", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto named = noiseAt(folder / "7181.261025023000.wav"), other = noiseAt(folder / "other.wav");
    const auto timeOf = [](const std::vector<std::string>& arguments) { return rowsOf(arguments)[1].at(9); };
    CHECK_THAT(timeOf({"analyze", named}), ContainsSubstring("2026-10-25T02:30:0"));
    CHECK(timeOf({"analyze", other}).empty());
    CHECK_THAT(timeOf({"analyze", other, "--start", "2026-10-25 02:30Z"}),
               ContainsSubstring("2026-10-25T02:30:0") && ContainsSubstring("+00:00"));
    CHECK_THAT(timeOf({"analyze", named, "--time-zone", "-05:00"}),
               ContainsSubstring("2026-10-25T02:30:0") && ContainsSubstring("-05:00"));
    const auto table = test::runEarshot({"analyze", named});
    CHECK_THAT(table.output, ContainsSubstring("from 2026-10-25 02:30:00"));
}

TEST_CASE("a start or a zone that makes no sense is refused with what is right", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto one = noiseAt(folder / "1.wav"), two = noiseAt(folder / "2.wav");
    const auto refusal = [](const std::vector<std::string>& arguments) {
        const auto result = test::runEarshot(arguments);
        CHECK(result.exitCode == 2);
        return result.errors;
    };
    CHECK_THAT(refusal({"analyze", one, "--start", "yesterday"}), ContainsSubstring("2026-10-25T02:30:00"));
    CHECK_THAT(refusal({"analyze", one, "--time-zone", "Berlin"}), ContainsSubstring("Europe/Berlin"));
    CHECK_THAT(refusal({"analyze", one, two, "--start", "2026-10-25 02:30"}),
               ContainsSubstring("there are 2"));
}

TEST_CASE("kept activations have the start and the folder of their recording", "[unit]") {
    const test::TemporaryDirectory folder;
    noiseAt(folder / "in" / "site" / "20261025_023000.wav");
    noiseAt(folder / "in" / "20261025_033000.wav");
    const auto kept = test::runEarshot({"analyze", (folder / "in").string(), "--output-dir",
                                        (folder / "out").string(), "--keep-activations", "--quiet"});
    REQUIRE(kept.exitCode == 0);
    const auto out = (folder / "out").string();
    const auto rows = rowsOf({"events", out, "--time-zone", "+02:00"});
    CHECK_THAT(rows.back().at(9), ContainsSubstring("2026-10-25T02:30:0") && ContainsSubstring("+02:00"));
    const auto table = test::runEarshot({"events", out, "--format", "kaleidoscope", "--threshold", low});
    const auto base = fs::weakly_canonical(folder / "in").string();
    CHECK_THAT(table.output, ContainsSubstring(base + ",site,20261025_023000.wav,") &&
                                 ContainsSubstring(base + ",,20261025_033000.wav,"));
}

TEST_CASE("files of one recorder give the events of one recording", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto sound = test::noise(6 * 32000, 5);
    std::vector<std::string> parts;
    for (const int second : {0, 2, 4}) {
        const auto file = folder / ("20261025_02300" + std::to_string(second) + ".wav");
        test::writeAudio(file, test::AudioFormat::wavFloat, 32000, 1,
                         std::span(sound).subspan(static_cast<std::size_t>(second) * 32000, 64000));
        parts.push_back(file.string());
    }
    const auto whole = folder / "whole.wav";
    test::writeAudio(whole, test::AudioFormat::wavFloat, 32000, 1, sound);
    const auto eventsOf = [](const std::vector<test::CsvRow>& rows) {
        std::vector<std::string> events;
        for (std::size_t i = 1; i < rows.size(); ++i) events.push_back(rows[i].at(3) + " " + rows[i].at(5));
        std::ranges::sort(events);
        return events;
    };
    auto joined = parts;
    joined.insert(joined.begin(), {"analyze", "--continuous"});
    CHECK(eventsOf(rowsOf(joined)) == eventsOf(rowsOf({"analyze", whole.string()})));
}
