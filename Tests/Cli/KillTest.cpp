// Kills at the narrowest places: right before and right after each rename, between a file's claim in the
// journal, the file itself and its recording's row.
#include "Cli/Archive.h"
#include "Support/Catch.h"

#include <functional>

using namespace earshot;
using test::Archive;
namespace fs = std::filesystem;

namespace {

test::ProcessOptions killedAt(const std::string& when, int rename) {
    test::ProcessOptions options;
    options.environment = {{"LD_PRELOAD", test::killLibraryPath()},
                           {"EARSHOT_KILL", when + ":" + std::to_string(rename)}};
    return options;
}

// Calls `run` with a kill at each rename in turn until it comes through, and after each kill without. Returns
// how many kills there were.
int killEverywhere(
    const std::function<test::ProcessResult(const std::string& output, const test::ProcessOptions&)>& run,
    int exitCode, const std::function<void(const std::string& output)>& check) {
    int kills = 0;
    for (const std::string when : {"before", "after"})
        for (int rename = 1;; ++rename, ++kills) {
            CAPTURE(when, rename);
            const std::string output = when + std::to_string(rename);
            const auto killed = run(output, killedAt(when, rename));
            INFO(killed.errors);
            REQUIRE((killed.exitCode == 128 + SIGKILL || killed.exitCode == exitCode));
            if (killed.exitCode == exitCode) break;
            const auto resumed = run(output, {});
            INFO(resumed.errors);
            REQUIRE(resumed.exitCode == exitCode);
            check(output);
        }
    return kills;
}

} // namespace

TEST_CASE(
    "killed right before or after any rename, a batch goes on and takes no file of its own for another's",
    "[slow]") {
    const Archive archive(2);
    test::writeBytes(archive.in() / "broken.wav", "not a sound at all");
    CHECK(archive.run("whole").exitCode == 1);
    const auto expected = test::contents(archive.folder("whole"));
    const int kills = killEverywhere(
        [&](const std::string& output, const test::ProcessOptions& options) {
            return archive.run(output, {"--jobs", "1"}, options);
        },
        1,
        [&](const std::string& output) {
            const auto found = test::contents(archive.folder(output));
            CHECK(test::changes(found, expected) == "");
        });
    // Three files of two recordings, three joined ones and failed.csv.
    CHECK(kills == 2 * (3 * 2 + 3 + 1));
}

TEST_CASE("killed right before or after any rename, a merge can be made again", "[slow]") {
    const Archive archive(2);
    CHECK(archive.run("whole").exitCode == 0);
    const auto expected = test::contents(archive.folder("whole"));
    for (const std::string shard : {"0/2", "1/2"}) archive.run("shards", {"--shard", shard});
    const int kills = killEverywhere(
        [&](const std::string& output, const test::ProcessOptions& options) {
            return test::runEarshot(
                {"merge", archive.folder("shards").string(), "--output-dir", archive.folder(output).string()},
                options);
        },
        0,
        [&](const std::string& output) {
            CHECK(test::changes(test::contents(archive.folder(output)), expected) == "");
        });
    CHECK(kills == 2 * (3 * 2 + 3));
    // The merged folder is a batch that goes on.
    CHECK(archive.run("before1").exitCode == 0);
    CHECK(test::changes(test::contents(archive.folder("before1")), expected) == "");
}

TEST_CASE("a batch says which files are in the way, and replaces them when told to", "[unit]") {
    const Archive archive(2);
    fs::create_directories(archive.in() / "disc 0");
    test::writeBytes(archive.in() / "disc 0" / "0.wav.csv", "my hand annotations");
    test::writeBytes(archive.in() / "events.csv", "mine");
    const auto before = test::contents(archive.in(), {});
    const auto refused = archive.run("in");
    CHECK(refused.exitCode == 1);
    CHECK(test::lineCount(refused.errors) == 1);
    CHECK_THAT(refused.errors, ContainsSubstring("0.wav.csv") && ContainsSubstring("events.csv") &&
                                   ContainsSubstring("--overwrite"));
    CHECK(test::changes(test::contents(archive.in(), {}), before) == "");
    CHECK(archive.run("in", {"--overwrite"}).exitCode == 0);
    CHECK_THAT(archive.run("in").errors, ContainsSubstring("2 of 2 recordings are done already"));
}

TEST_CASE("a batch whose disk is away keeps all results and says so", "[unit]") {
    const Archive archive(3);
    const auto list = archive.folder("list.txt");
    std::string lines;
    for (int i = 0; i < 3; ++i)
        lines +=
            (archive.in() / ("disc " + std::to_string(i)) / (std::to_string(i) + ".wav")).string() + "\n";
    test::writeBytes(list, lines);
    const auto run = [&] {
        return test::runEarshot({"analyze", "--list", list.string(), "--output-dir",
                                 archive.folder("out").string(), "--keep-activations", "--joined", "csv",
                                 "--threshold", Archive::threshold});
    };
    CHECK(run().exitCode == 0);
    const auto before = test::contents(archive.folder("out"));
    REQUIRE(before.count("disc 0/0.wav.activations.safetensors") == 1);
    fs::rename(archive.in(), archive.folder("away"));
    const auto away = run();
    CHECK(away.exitCode == 1);
    CHECK_THAT(away.errors, ContainsSubstring("could not be reached and kept what was known"));
    auto now = test::contents(archive.folder("out"));
    CHECK(now.erase("failed.csv") == 1);
    CHECK(now == before);
    fs::rename(archive.folder("away"), archive.in());
    CHECK(run().exitCode == 0);
    CHECK(test::changes(test::contents(archive.folder("out")), before) == "");

    // The folder itself: gone, then empty.
    CHECK(archive.run("results").exitCode == 0);
    const auto results = test::contents(archive.folder("results"));
    fs::rename(archive.in(), archive.folder("away"));
    CHECK_THAT(archive.run("results").errors, ContainsSubstring("this folder of recordings is gone"));
    fs::create_directories(archive.in());
    CHECK_THAT(archive.run("results").errors,
               ContainsSubstring("no audio files") && ContainsSubstring("its disk"));
    CHECK(test::changes(test::contents(archive.folder("results")), results) == "");
}
