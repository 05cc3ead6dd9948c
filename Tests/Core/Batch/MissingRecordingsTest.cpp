// Results of recordings that a batch does not reach any more.
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

TEST_CASE("results stay when their recordings are not named any more, until they are to be forgotten",
          "[unit]") {
    const test::BatchArchive archive(4);
    archive.run("out");
    const auto before = archive.contents("out");
    fs::rename(archive.in() / "part0", archive.folder("away"));
    for (int again = 0; again < 2; ++again) {
        const auto summary = archive.run("out");
        CHECK(summary.heard == 0);
        REQUIRE(summary.failures.size() == 2);
        CHECK(summary.failures[0].name == "part0/0.wav");
        CHECK(summary.failures[0].unreachable);
        CHECK_THAT(summary.failures[0].message, ContainsSubstring("--forget-missing"));
        auto now = archive.contents("out");
        CHECK_THAT(now["failed.csv"], ContainsSubstring("part0/0.wav") && ContainsSubstring("part0/2.wav"));
        now.erase("failed.csv");
        CHECK(now == before);
    }
    fs::rename(archive.folder("away"), archive.in() / "part0");
    CHECK(archive.run("out").heard == 0);
    CHECK(test::changes(archive.contents("out"), before) == "");

    fs::remove_all(archive.in() / "part0");
    // A file in the place of a result, by somebody else, is not among those that are forgotten.
    fs::remove(archive.folder("out/part0/0.wav.csv"));
    fs::create_symlink(archive.in() / "part1" / "1.wav", archive.folder("out/part0/0.wav.csv"));
    auto request = archive.request("out");
    request.forgetMissing = true;
    CHECK(test::runBatch(request).failures.empty());
    CHECK(fs::is_symlink(archive.folder("out/part0/0.wav.csv")));
    fs::remove(archive.folder("out/part0/0.wav.csv"));
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
}

TEST_CASE("a recording that cannot be reached keeps its results and is listed", "[unit]") {
    const test::BatchArchive archive(3);
    auto request = archive.request("out");
    const auto run = [&] { return test::runBatch(request); };
    run();
    const auto before = archive.contents("out");
    // The list names them all the same, as --list does.
    fs::rename(archive.in(), archive.folder("away"));
    const auto summary = run();
    REQUIRE(summary.failures.size() == 3);
    CHECK(summary.failures[0].unreachable);
    CHECK_THAT(summary.failures[0].message, ContainsSubstring("no such file") && ContainsSubstring("stay"));
    auto now = archive.contents("out");
    // The database says of each file why it was not heard; apart from that all is as it was.
    for (const char* name : {"failed.csv", "events.sqlite"}) now.erase(name);
    for (const auto& [name, bytes] : now) CHECK(bytes == before.at(name));
    CHECK(now.size() + 1 == before.size());
    // Other formats of it can be made all the same.
    request.outputs.push_back(batch::documentKind(*formats::formatNamed("raven")));
    run();
    CHECK(fs::exists(archive.folder("out/part0/0.wav.raven.txt")) +
              fs::exists(archive.folder("out/part0/0.wav.txt")) ==
          1);
    // Back again, nothing has to be heard a second time.
    fs::rename(archive.folder("away"), archive.in());
    request.outputs.pop_back();
    const auto back = run();
    CHECK(back.heard == 0);
    CHECK(back.failures.empty());
    CHECK(test::readBytes(archive.folder("out/events.csv")) == before.at("events.csv"));
    CHECK(test::readBytes(archive.folder("out/events.sqlite")) == before.at("events.sqlite"));
}

TEST_CASE("permissions: recordings behind a closed folder keep their results, a protected folder fails alone",
          "[unit]") {
    const test::BatchArchive archive(4);
    // As if the user had made them.
    const auto give = [](const fs::path& path) {
        constexpr uid_t nobody = 65534;
        if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), nobody, nobody) == 0);
    };
    const fs::path all = archive.in().parent_path();
    give(all);
    for (const auto& entry : fs::recursive_directory_iterator(all)) give(entry.path());
    const test::Unprivileged user;
    if (!user.holds()) return test::skip("root cannot become another user here");
    archive.run("out");
    archive.runShards("s", 2);
    const auto before = archive.contents("out");
    auto request = archive.request("out");
    fs::permissions(archive.in() / "part0", fs::perms::none);
    for (const bool forget : {false, true}) {
        // With the names of before; and as a run finds them, with the folder as a problem of its own.
        const auto found = batch::findInputs(std::vector<std::string>{archive.in().string()});
        for (const auto& [inputs, failures] : {std::pair(request.inputs, 2U), std::pair(found, 3U)}) {
            auto behind = request;
            behind.inputs = inputs;
            behind.forgetMissing = forget;
            const auto closed = test::runBatch(behind);
            CHECK(closed.failures.size() == failures);
            for (const auto& failure : closed.failures) {
                CHECK(failure.unreachable);
                CHECK_THAT(failure.message, ContainsSubstring("ermission denied"));
            }
            CHECK(test::readBytes(archive.folder("out/events.csv")) == before.at("events.csv"));
            CHECK(fs::exists(archive.folder("out/part0/0.wav.csv")));
        }
    }
    archive.runShards("s", 2);
    archive.merge("s", "merged");
    CHECK(test::readBytes(archive.folder("merged/events.csv")) == before.at("events.csv"));
    // With other settings only files are left of what cannot be read; these stay as well.
    auto other = archive.request("out2");
    fs::copy(archive.folder("out"), archive.folder("out2"), fs::copy_options::recursive);
    other.fingerprint = {{"threshold", "0.5"}};
    other.restart = true;
    test::runBatch(other);
    other.restart = false;
    other.forgetMissing = true;
    test::runBatch(other);
    CHECK(fs::exists(archive.folder("out2/part0/0.wav.csv")));
    fs::permissions(archive.in() / "part0", fs::perms::all);
    CHECK(test::runBatch(request).heard == 0);

    request.restart = true;
    fs::permissions(archive.folder("out/part1"), fs::perms(0555));
    const auto written = test::runBatch(request);
    fs::permissions(archive.folder("out/part1"), fs::perms::all);
    REQUIRE(written.failures.size() == 2);
    CHECK_THAT(written.failures[0].message, ContainsSubstring("part1/1.wav.csv") &&
                                                ContainsSubstring("choose a folder that can be written"));
    CHECK(written.done == 4);
    auto after = archive.contents("out");
    after.erase("failed.csv");
    after.erase("events.sqlite");
    for (const auto& [name, bytes] : after) CHECK(bytes == before.at(name));
}

TEST_CASE("doing all again keeps the results of what cannot be reached", "[unit]") {
    const test::BatchArchive archive(3);
    auto request = archive.request("out");
    test::runBatch(request);
    const auto before = test::readBytes(archive.folder("out/events.csv"));
    fs::rename(archive.in() / "part0", archive.folder("away"));
    request.restart = true;
    const auto summary = test::runBatch(request);
    CHECK(summary.failures.size() == 2);
    CHECK(test::readBytes(archive.folder("out/events.csv")) == before);
    CHECK(fs::exists(archive.folder("out/part0/0.wav.csv")));
}

TEST_CASE("a folder of recordings that is gone is an error while its results are known", "[unit]") {
    const test::BatchArchive archive(4);
    auto request = archive.request("out");
    const auto both =
        std::vector<std::string>{(archive.in() / "part0").string(), (archive.in() / "part1").string()};
    request.inputs = batch::findInputs(both);
    test::runBatch(request);
    const auto before = archive.contents("out");
    fs::rename(archive.in() / "part1", archive.folder("away"));
    request.inputs = batch::findInputs(both);
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("part1: this folder of recordings is gone"));
    CHECK(test::changes(archive.contents("out"), before) == "");

    const test::BatchArchive single(1);
    auto one = single.request("out");
    test::runBatch(one);
    fs::rename(single.in(), single.folder("away"));
    one.inputs = batch::findInputs(std::vector<std::string>{single.in().string()});
    CHECK_THROWS_WITH(Batch(one), ContainsSubstring("this folder of recordings is gone"));
}

TEST_CASE("a listed folder and one of a merge are missed, too", "[unit]") {
    const test::BatchArchive archive(4);
    const std::vector<std::string> folder = {archive.in().string()};
    auto listed = archive.request("out");
    listed.inputs = batch::findInputs({}, folder);
    test::runBatch(listed);
    archive.runShards("s", 2);
    archive.merge("s", "merged");
    fs::rename(archive.in(), archive.folder("away"));
    for (const char* out : {"out", "merged"})
        for (const auto& inputs : {batch::findInputs({}, folder), batch::findInputs(folder)}) {
            auto request = archive.request(out);
            request.inputs = inputs;
            request.forgetMissing = true;
            CHECK_THROWS_WITH(Batch(request), ContainsSubstring("this folder of recordings is gone"));
        }
}
