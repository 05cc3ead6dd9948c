#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/MetadataEditor.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <cstring>
#include <filesystem>

using namespace earshot;
using test::runEarshot;

namespace {

// A model that names little in noise, and a recording of a minute.
struct Case {
    test::TemporaryDirectory folder;
    std::string plain = test::writeNamedModel(folder / "plain.safetensors", {"a", "b", "c"});
    std::string bounded = test::writeNamedModel(folder / "bounded.safetensors", {"a", "b", "c"},
                                                {{"earshot.coarse_bound", "0.9"}});
    std::string recording = (folder / "minute.wav").string();

    Case() { test::writeAudio(recording, test::AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 61, 1)); }
    test::ProcessResult run(std::vector<std::string> more) const {
        std::vector<std::string> words = {"analyze", recording, "--format", "csv"};
        words.insert(words.end(), more.begin(), more.end());
        return runEarshot(words);
    }
};

} // namespace

TEST_CASE("analyze passes over what a first look finds empty, and --thorough over nothing", "[unit]") {
    const Case given;
    const std::string passed = "of 0:01:01 passed over after one look";
    const auto two = given.run({"--model", given.bounded, "--threshold", "0.999"});
    CHECK(two.exitCode == 0);
    CHECK_THAT(two.errors, ContainsSubstring("92 % " + passed));
    CHECK(given.run({"--model", given.bounded, "--threshold", "0.999", "--thorough"}).errors.empty());
    CHECK(given.run({"--model", given.bounded, "--threshold", "0.999", "--quiet"}).errors.empty());
    CHECK(given.run({"--model", given.plain, "--threshold", "0.999"}).errors.empty());
    // Everything reaches this threshold: all windows run, and the events are those of all windows.
    const auto dense = given.run({"--model", given.bounded, "--threshold", "0.0001"});
    CHECK(dense.errors.empty());
    CHECK(test::lineCount(dense.output) > 1);
    CHECK(dense.output ==
          given.run({"--model", given.bounded, "--threshold", "0.0001", "--thorough"}).output);
    CHECK(dense.output == given.run({"--model", given.plain, "--threshold", "0.0001"}).output);
    const auto info = runEarshot({"info", given.bounded});
    CHECK_THAT(info.output,
               ContainsSubstring("Two steps") && ContainsSubstring("0.900 of a threshold's odds"));
    CHECK_THAT(runEarshot({"info", given.plain}).output, !ContainsSubstring("Two steps"));
}

TEST_CASE("results of two steps and of all windows do not share a folder", "[unit]") {
    const Case given;
    const auto folder = given.folder / "results";
    const auto run = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--model", given.bounded, "--threshold", "0.999", "--output-dir",
                                 folder.string(), "--keep-activations"});
        return given.run(more);
    };
    const auto first = run({});
    CHECK(first.exitCode == 0);
    CHECK_THAT(first.errors, ContainsSubstring("92 % of 0:01:01 passed over after one look"));
    const auto other = run({"--thorough"});
    CHECK(other.exitCode == 1);
    CHECK_THAT(other.errors, ContainsSubstring("passes was in two steps, bound 0.9 and is not set now"));
    const auto before = test::contents(folder);
    const auto again = run({"--thorough", "--restart"});
    CHECK(again.exitCode == 0);
    CHECK_THAT(again.errors, !ContainsSubstring("passed over"));
    CHECK(test::changes(before, test::contents(folder)) != ""); // kept activations
    CHECK(run({}).exitCode == 1);
}

TEST_CASE("two steps give the same for any threads, jobs and shards", "[unit]") {
    const Case given;
    const auto events = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"--model", given.bounded, "--threshold", "0.45"};
        words.insert(words.end(), more.begin(), more.end());
        return given.run(words);
    };
    const auto alone = events({"--threads", "1"});
    CHECK(events({"--threads", "4"}).output == alone.output);
    const auto file = given.folder / "shards" / "shard-0-of-1" / "minute.wav.csv";
    CHECK(events({"--output-dir", (given.folder / "shards").string(), "--shard", "0/1"}).exitCode == 0);
    auto rows = test::parseCsv(test::readBytes(file)), expected = test::parseCsv(alone.output);
    for (auto* const table : {&rows, &expected})
        for (auto& row : *table) row.front().clear(); // names
    CHECK(rows == expected);
}

TEST_CASE("evaluate writes a model with a bound, and all else of it as it was", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto model =
        test::writeNamedModel(folder / "model.safetensors", {"a", "b"}, {{"earshot.licence", "CC0"}});
    const auto before = test::readBytes(model);
    for (const char* const name : {"a", "b"})
        for (unsigned i = 0; i < 2; ++i) {
            std::filesystem::create_directories(folder / "clips" / name);
            test::writeAudio(folder / "clips" / name / (std::to_string(i) + ".wav"),
                             test::AudioFormat::wavPcm16, 32000, 1,
                             test::noise(32000 * 2, i + (name[0] == 'a' ? 1u : 10u)));
        }
    const auto run = [&](const char* threshold, const std::vector<std::string>& more) {
        std::vector<std::string> words = {"evaluate", model, "--data",          (folder / "clips").string(),
                                          "--scenes", "2",   "--scene-seconds", "25",
                                          "--split",  "all", "--thresholds",    threshold};
        words.insert(words.end(), more.begin(), more.end());
        return runEarshot(words);
    };
    const auto written = folder / "bounded.safetensors";
    const auto few = run("1", {"--write-bound", written.string()});
    CHECK(few.exitCode == 1);
    CHECK_THAT(few.errors, ContainsSubstring("--write-bound needs 200 events"));
    CHECK_FALSE(std::filesystem::exists(written));
    CHECK(run("0.5", {"--write-bound", model}).exitCode == 2); // what it reads
    CHECK(run("0.5", {"--write-bound", written.string(), "--hop", "1"}).exitCode == 2);
    CHECK(test::readBytes(model) == before);
}

TEST_CASE("a copy with other metadata holds the same tensors", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto model =
        test::writeNamedModel(folder / "model.safetensors", {"a", "b"}, {{"earshot.licence", "CC0"}});
    const auto copy = folder / "copy.safetensors";
    for (const std::string& text : {std::string("0.61"), std::string("0.6099")}) {
        model::copyWithMetadata(model, copy, "earshot.coarse_bound", text);
        const auto one = model::Checkpoint::open(model), other = model::Checkpoint::open(copy);
        auto metadata = one->metadata();
        metadata["earshot.coarse_bound"] = text;
        CHECK(other->metadata() == metadata);
        const auto from = test::readBytes(model), to = test::readBytes(copy);
        const auto tensors = [](const std::string& bytes) {
            std::uint64_t header = 0;
            std::memcpy(&header, bytes.data(), sizeof header);
            CHECK(header % 8 == 0);
            return bytes.substr(8 + header);
        };
        CHECK(tensors(to) == tensors(from));
    }
    CHECK(runEarshot({"info", copy.string()}).exitCode == 0);
    for (const std::string& wrong : {std::string(), std::string("PK\3\4abcdefgh"), std::string(8, '\xff'),
                                     std::string("\x02\0\0\0\0\0\0\0[]", 10)}) {
        test::writeBytes(folder / "wrong.pth", wrong);
        CHECK_THROWS_WITH(model::copyWithMetadata(folder / "wrong.pth", copy, "k", "v"),
                          ContainsSubstring("wrong.pth: expected a safetensors file"));
    }
}
