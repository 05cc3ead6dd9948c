#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

using namespace earshot;
using test::runEarshot;
using Json = nlohmann::json;

namespace {

const std::string demo = test::demoFile().string();

// The demo and a recording in a folder below, analysed into directory / "results".
class Archive {
  public:
    Archive() {
        std::filesystem::create_directories(directory_ / "archive/below");
        std::filesystem::copy_file(demo, directory_ / "archive/demo.flac");
        test::makeNoise(directory_ / "archive/below/noise.wav");
        const auto result = runEarshot(
            {"analyze", archive(), "--output-dir", results(), "--joined", "csv", "--keep-activations"});
        CAPTURE(result.errors);
        REQUIRE(result.exitCode == 0);
    }

    std::filesystem::path operator/(const std::string& name) const { return directory_ / name; }
    std::string archive() const { return (directory_ / "archive").string(); }
    std::string results() const { return (directory_ / "results").string(); }
    std::string kept() const { return results() + "/demo.flac.activations.safetensors"; }

  private:
    test::TemporaryDirectory directory_;
};

std::string output(const std::vector<std::string>& arguments) {
    const auto result = runEarshot(arguments);
    CAPTURE(result.errors);
    REQUIRE(result.exitCode == 0);
    REQUIRE(result.errors.empty());
    return result.output;
}

// Names, times and sounds to the letter; peaks and means as float16 has them.
void requireSame(const std::string& found, const std::string& expected) {
    const auto a = test::parseCsv(found), b = test::parseCsv(expected);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(a[i].size() == 10);
        for (std::size_t field = 0; field < 5; ++field) REQUIRE(a[i][field] == b[i][field]);
        REQUIRE(a[i][7] == b[i][7]);
        for (std::size_t field = 5; field < 7 && i > 0; ++field)
            REQUIRE(std::abs(std::stod(a[i][field]) - std::stod(b[i][field])) < 0x1p-11);
    }
}

} // namespace

TEST_CASE("events from kept activations are those of the recordings", "[unit]") {
    const Archive archive;
    const std::string joined = test::readBytes(archive / "results/events.csv");
    // A header, and the demo's events; in the noise there is none.
    REQUIRE(test::lineCount(joined) == test::lineCount(output({"analyze", demo, "--format", "csv"})));
    for (const char* label : {"Speech", "Flute", "Tom", "Clarinet"})
        REQUIRE_THAT(joined, ContainsSubstring(std::string(",") + label + ","));
    requireSame(output({"events", archive.results(), "--format", "csv"}), joined);
    // Where no probabilities are told, to the byte.
    for (const std::string format : {"audacity", "webvtt"}) {
        const auto expected = output({"analyze", demo, "--format", format});
        CHECK(output({"events", archive.kept(), "--format", format}) == expected);
    }
}

TEST_CASE("every option that decides does so from kept activations too", "[unit]") {
    const Archive archive;
    const std::vector<std::vector<std::string>> choices = {
        {"--threshold", "0.2"},
        {"--threshold", "0.6", "--release-threshold", "0.1"},
        {"--sensitivity", "1.5"},
        {"--sensitivity", "-1", "--class-threshold", "Dog=0.05"},
        {"--only", "Dog,Rain"},
        {"--class-threshold", "Dog=0.05"},
        {"--median", "5", "--merge-gap", "2"},
        {"--min-duration", "1.5"},
    };
    for (auto choice : choices) {
        CAPTURE(choice);
        choice.insert(choice.end(), {"--format", "csv"});
        std::vector<std::string> events = {"events", archive.kept()};
        std::vector<std::string> analyze = {"analyze", "demo.flac"};
        events.insert(events.end(), choice.begin(), choice.end());
        analyze.insert(analyze.end(), choice.begin(), choice.end());
        analyze[1] = demo;
        auto expected = test::parseCsv(output(analyze));
        const auto found = test::parseCsv(output(events));
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 1; i < found.size(); ++i) {
            CHECK(found[i][0] == "demo.flac");
            for (std::size_t field = 1; field < 5; ++field) CHECK(found[i][field] == expected[i][field]);
        }
    }
    CHECK_THAT(output({"events", archive.kept(), "--threshold", "0.9", "--explain"}),
               ContainsSubstring("Near misses") && ContainsSubstring("is below the threshold 0.9"));
    CHECK_THAT(output({"events", archive.kept(), "--only", "Rain", "--threshold", "0.99"}),
               ContainsSubstring("Nothing detected. Nearest: "));
}

TEST_CASE("more sensitivity reports more, and 0 what the model's thresholds do", "[unit]") {
    const Archive archive;
    const auto found = [&](const std::string& sensitivity) {
        return output({"events", archive.kept(), "--format", "csv", "--sensitivity", sensitivity});
    };
    CHECK(found("0") == output({"events", archive.kept(), "--format", "csv"}));
    CHECK(test::parseCsv(found("-6")).size() < test::parseCsv(found("0")).size());
    // The shortest sounds become long ones, so seconds are counted and not events.
    const auto seconds = [&](const std::string& sensitivity) {
        double sum = 0.0;
        const auto rows = test::parseCsv(found(sensitivity));
        for (std::size_t i = 1; i < rows.size(); ++i) sum += std::stod(rows[i][2]) - std::stod(rows[i][1]);
        return sum;
    };
    CHECK(seconds("2") > seconds("0"));
    const auto both = runEarshot({"events", archive.kept(), "--threshold", "0.3", "--sensitivity", "1"});
    CHECK(both.exitCode == 2);
    CHECK_THAT(both.errors, ContainsSubstring("leave one out"));
    CHECK(runEarshot({"events", archive.kept(), "--sensitivity", "7"}).exitCode == 2);
}

TEST_CASE("a preset is its sensitivity, durations and sounds, which other options replace", "[unit]") {
    const Archive archive;
    const auto events = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"events", archive.kept(), "--format", "csv"});
        return output(options);
    };
    const auto dialogue = events({"--preset", "dialogue"});
    CHECK(dialogue ==
          events({"--sensitivity", "0", "--min-duration", "0.3", "--merge-gap", "0.8", "--only", "Speech"}));
    CHECK(test::parseCsv(dialogue).size() > 1);
    CHECK(events({"--preset", "everything"}) == events({}));
    CHECK(events({"--preset", "drums", "--only", "Flute", "--sensitivity", "0"}) ==
          events({"--only", "Flute"}));
    CHECK(events({"--preset", "dialogue", "--min-duration", "0", "--merge-gap", "0"}) ==
          events({"--only", "Speech"}));
    CHECK(events({"--preset", "dialogue", "--threshold", "0.2"}) ==
          events({"--threshold", "0.2", "--min-duration", "0.3", "--merge-gap", "0.8", "--only", "Speech"}));
    const auto analyzed =
        test::parseCsv(output({"analyze", demo, "--preset", "dialogue", "--format", "csv"}));
    CHECK(analyzed.size() == test::parseCsv(dialogue).size());
    const auto unknown = runEarshot({"events", archive.kept(), "--preset", "birds"});
    CHECK(unknown.exitCode == 2);
    CHECK_THAT(unknown.errors, ContainsSubstring("field-birds, dialogue, drums, everything"));
}

TEST_CASE("kept activations are judged by confidence too", "[unit]") {
    const Archive archive;
    const auto events =
        Json::parse(output({"events", archive.kept(), "--confidence", "auto", "--format", "json"}));
    const auto expected =
        Json::parse(output({"analyze", demo, "--confidence", "auto", "--format", "json", "--quiet"}));
    REQUIRE(events.size() == expected.size());
    REQUIRE(events.size() > 3);
    for (std::size_t i = 0; i < events.size(); ++i) {
        for (const char* same : {"label", "onset_s", "offset_s"})
            CHECK(events[i].at(same) == expected[i].at(same));
        CHECK(std::abs(events[i].at("confidence").get<double>() -
                       expected[i].at("confidence").get<double>()) < 0.01);
    }
    CHECK_THAT(output({"events", archive.kept(), "--confidence", "0.99", "--explain"}),
               ContainsSubstring("below the least"));
    const auto both = runEarshot({"events", archive.kept(), "--confidence", "auto", "--threshold", "0.3"});
    CHECK(both.exitCode == 2);
    CHECK_THAT(both.errors, ContainsSubstring("takes the place of thresholds"));
    const auto moved = runEarshot({"events", archive.kept(), "--confidence", "auto", "--sensitivity", "1"});
    CHECK(moved.exitCode == 2);
    CHECK_THAT(moved.errors, ContainsSubstring("takes the place of thresholds"));
}

TEST_CASE("activations of a model that has not learnt boxes say so by name", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string results = (directory / "results").string();
    const auto plain = test::writeNamedModel(directory / "plain.safetensors", {"Cat", "Dog"});
    test::makeNoise(directory / "noise.wav");
    REQUIRE(runEarshot({"analyze", (directory / "noise.wav").string(), "--model", plain, "--output-dir",
                        results, "--keep-activations"})
                .exitCode == 0);
    const auto result = runEarshot({"events", results, "--confidence", "auto"});
    CHECK(result.exitCode == 1);
    CHECK(test::lineCount(result.errors) == 1);
    CHECK_THAT(result.errors, ContainsSubstring("noise.wav.activations.safetensors: holds no confidences") &&
                                  ContainsSubstring("use thresholds"));
}

TEST_CASE("events are written to a file, or to one for each recording", "[unit]") {
    const Archive archive;
    const auto standard = output({"events", archive.results(), "--format", "json"});
    const std::string file = (archive / "all.json").string();
    CHECK(output({"events", archive.results(), "--format", "json", "--output", file}).empty());
    CHECK(test::readBytes(file) == standard);
    CHECK(
        output({"events", archive.results(), "--format", "csv", "--output-dir", (archive / "again").string()})
            .empty());
    requireSame(test::readBytes(archive / "again/demo.flac.csv"),
                test::readBytes(archive / "results/demo.flac.csv"));
    requireSame(test::readBytes(archive / "again/below/noise.wav.csv"),
                test::readBytes(archive / "results/below/noise.wav.csv"));
}

TEST_CASE("damaged activations fail by name and the rest is still done", "[unit]") {
    const Archive archive;
    const std::string bad = (archive / "results/bad.activations.safetensors").string();
    std::filesystem::copy_file(archive.kept(), bad);
    test::truncate(bad, 0.7);
    const auto result =
        runEarshot({"events", archive.results(), (archive / "none").string(), "--format", "csv"});
    CHECK(result.exitCode == 1);
    CHECK(test::lineCount(result.errors) == 2);
    CHECK_THAT(result.errors, ContainsSubstring("earshot: " + bad + ": ") &&
                                  ContainsSubstring("none: no such file of kept"));
    requireSame(result.output, test::readBytes(archive / "results/events.csv"));
}

TEST_CASE("wrong usage of events is one line", "[unit]") {
    const Archive archive;
    const std::string folder = archive.results();
    std::filesystem::create_directories(archive / "empty");
    const auto fails = [](const std::vector<std::string>& arguments, int exitCode,
                          const std::string& message) {
        CAPTURE(arguments);
        const auto result = runEarshot(arguments);
        CHECK(result.exitCode == exitCode);
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring(message));
        CHECK(result.output.empty());
    };
    fails({"events"}, 2, "FILE");
    fails({"events", (archive / "empty").string()}, 1, "no kept activations in this folder");
    fails({"events", folder, "--only", "Unicorn"}, 2, "Unicorn");
    fails({"events", folder, "--format", "csv", "--explain"}, 2, "--explain");
    fails({"events", folder, "--format", "midi"}, 2, "--output-dir");
    fails({"events", folder, "--output-dir", "x"}, 2, "--format table");
    fails({"events", folder, "--format", "csv", "--output-dir", "x", "--output", "y"}, 2, "choose one");
    fails({"events", folder, "--format", "csv", "--output", archive.kept()}, 2, "would overwrite");
    fails({"events", archive.kept(), archive.kept(), "--format", "csv", "--output-dir", "x"}, 2,
          "would both be");
    fails({"analyze", demo, "--keep-activations"}, 2, "needs --output-dir");
    fails({"analyze", "--output-dir", "x", "--keep-activations", demo}, 2, "neither safetensors nor npy");
}

TEST_CASE("arrays of activations bring what their columns are and how long a row lasts", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto sound = test::makeNoise(folder / "noise.wav");
    const auto results = (folder / "results").string();
    const std::vector<std::string> command = {"analyze", sound, "--output-dir", results,
                                              "--keep-activations=npy"};
    REQUIRE(runEarshot(command).exitCode == 0);
    const auto rows = test::parseCsv(test::readBytes(folder / "results" / "labels.csv"));
    REQUIRE(rows.size() == test::soundCount() + 1);
    CHECK(rows[0] == test::CsvRow{"column", "label", "step_s"});
    const auto info = nlohmann::json::parse(runEarshot({"info", "--format", "json"}).output);
    for (std::size_t i = 1; i < rows.size(); ++i)
        CHECK(rows[i] == test::CsvRow{std::to_string(i - 1), info.at("labels").at(i - 1), "0.08"});
    CHECK(runEarshot(command).exitCode == 0); // its own file is no obstacle
    test::writeBytes(folder / "results" / "labels.csv", "mine\n");
    const auto refused = runEarshot(command);
    CHECK(refused.exitCode == 1);
    CHECK_THAT(refused.errors, ContainsSubstring("labels.csv: is there already"));
    CHECK(test::readBytes(folder / "results" / "labels.csv") == "mine\n");
}
