#include "Cli/Archive.h"
#include "Support/Catch.h"

#include <chrono>
#include <map>

using namespace earshot;
using test::Archive;
using test::runEarshot;
namespace fs = std::filesystem;

namespace {

// Without the journal, and without the shards that a merge leaves where they are.
std::map<std::string, std::string> merged(const fs::path& folder) {
    return test::contents(folder,
                          {".earshot", "shard-0-of-4", "shard-1-of-4", "shard-2-of-4", "shard-3-of-4"});
}

} // namespace

TEST_CASE("shards 0/4 to 3/4 merged are the unsharded run, byte for byte", "[slow]") {
    const Archive archive(10);
    test::writeBytes(archive.in() / "broken.wav", "not a sound at all");
    CHECK(archive.run("whole").exitCode == 1);
    const auto expected = test::contents(archive.folder("whole"));
    REQUIRE(expected.count("events.sqlite") == 1);
    REQUIRE(expected.count("failed.csv") == 1);
    for (const std::string shard : {"2/4", "0/4", "3/4", "1/4"}) archive.run("shards", {"--shard", shard});

    const auto inPlace = runEarshot({"merge", archive.folder("shards").string()});
    CHECK(inPlace.exitCode == 1); // for the broken one
    CHECK_THAT(inPlace.errors, ContainsSubstring("broken.wav") && ContainsSubstring("11 recordings"));
    CHECK(merged(archive.folder("shards")) == expected);

    std::vector<std::string> words = {"merge", "--quiet", "--output-dir",
                                      archive.folder("elsewhere").string()};
    for (const char* index : {"3", "1", "0", "2"})
        words.push_back(archive.folder("shards/shard-" + std::string(index) + "-of-4").string() + "/");
    CHECK(runEarshot(words).exitCode == 1);
    CHECK(merged(archive.folder("elsewhere")) == expected);

    // The shards are not needed any more.
    for (const char* index : {"0", "1", "2", "3"})
        fs::remove_all(archive.folder("shards/shard-" + std::string(index) + "-of-4"));
    CHECK(test::changes(test::contents(archive.folder("shards")), expected) == "");
    CHECK_THAT(archive.run("shards").errors, ContainsSubstring("10 of 11 recordings are done already"));
    CHECK(test::changes(test::contents(archive.folder("shards")), expected) == "");
}

TEST_CASE("a merge without all its shards is an error, and a mistake is a wrong usage", "[unit]") {
    const Archive archive(3);
    archive.run("shards", {"--shard", "0/2"});
    const auto missing = runEarshot({"merge", archive.folder("shards").string()});
    CHECK(missing.exitCode == 1);
    CHECK(test::lineCount(missing.errors) == 1);
    CHECK_THAT(missing.errors,
               ContainsSubstring("shard 1 of 2 is missing") && ContainsSubstring("--shard 1/2"));
    const auto none = runEarshot({"merge", archive.in().string()});
    CHECK(none.exitCode == 1);
    CHECK_THAT(none.errors, ContainsSubstring("holds no shards"));
    CHECK(runEarshot({"merge"}).exitCode == 2);
    CHECK(runEarshot({"merge", archive.folder("shards/shard-0-of-2").string()}).exitCode == 2);
}

TEST_CASE("kept activations of shards count once each, before a merge and after it", "[unit]") {
    const Archive archive(4);
    archive.run("whole", {"--keep-activations"});
    for (const std::string shard : {"0/2", "1/2"})
        archive.run("shards", {"--shard", shard, "--keep-activations"});
    const auto shards = archive.folder("shards");
    const auto events = [&](const std::string& folder, const std::string& output) {
        const auto result =
            runEarshot({"events", archive.folder(folder).string(), "--threshold", Archive::threshold,
                        "--format", "csv", "--output-dir", archive.folder(output).string()});
        CAPTURE(result.errors);
        REQUIRE(result.exitCode == 0);
        return test::contents(archive.folder(output));
    };
    const auto rows = [&](const std::string& folder) {
        auto table = test::parseCsv(runEarshot({"events", archive.folder(folder).string(), "--threshold",
                                                Archive::threshold, "--format", "csv"})
                                        .output);
        std::ranges::sort(table);
        return table;
    };
    const auto expected = events("whole", "of whole");
    REQUIRE(expected.size() == 4);
    const auto all = rows("whole");
    REQUIRE(all.size() > 4);
    CHECK(test::changes(events("shards", "of shards"), expected) == "");
    CHECK((rows("shards") == all)); // too much to print
    // What another shard heard before counts no more.
    const std::string first = "disc 0/0.wav.activations.safetensors",
                      other = "disc 2/2.wav.activations.safetensors";
    fs::create_directories(shards / "shard-1-of-2/disc 0");
    const auto before = shards / "shard-1-of-2" / first;
    fs::copy_file(shards / "shard-1-of-2" / other, before);
    fs::last_write_time(before, fs::last_write_time(shards / "shard-0-of-2" / first) - std::chrono::hours(1));
    CHECK(test::changes(events("shards", "of changed shards"), expected) == "");
    REQUIRE(runEarshot({"merge", shards.string(), "--quiet"}).exitCode == 0);
    CHECK(test::changes(events("shards", "of merged"), expected) == "");
    CHECK((rows("shards") == all)); // too much to print
    // The same below a folder that was not merged.
    fs::create_directory(archive.folder("above"));
    fs::rename(shards, archive.folder("above/shards"));
    CHECK((rows("above") == all)); // too much to print
    fs::rename(archive.folder("above/shards"), shards);

    // A folder of recordings may be called as a shard is.
    fs::create_directory(shards / "shard-1-of-9");
    fs::copy_file(shards / "shard-0-of-2/disc 0/0.wav.activations.safetensors",
                  shards / "shard-1-of-9/0.wav.activations.safetensors");
    CHECK(test::names(events("shards", "of both")).count("shard-1-of-9/0.wav.csv") == 1);
}
