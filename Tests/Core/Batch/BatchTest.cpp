#include "Core/Batch/Batch.h"

#include "Core/Base/Error.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Merge.h"
#include "Core/Detection/FakeModels.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>

#include <unistd.h>

using namespace earshot;
using batch::Batch;
using batch::Journal;
namespace fs = std::filesystem;

namespace {

// Hears loud and quiet; counts the recordings it was made for.
detection::Detector detector() {
    detection::Detector how;
    how.makeAnalyzer = [](int) {
        return std::make_unique<detection::Analyzer>(
            std::make_unique<fake::LevelModel>(), frontend::LogMelSettings{}, detection::AnalyzerSettings{});
    };
    how.modelRate = 32000.0;
    how.settings.rule.on = 0.4f;
    how.settings.rule.off = 0.35f;
    how.labels = {"Loud", "Quiet, or none"};
    how.lowestHz = 50.0;
    how.highestHz = 14000.0;
    return how;
}

constexpr uid_t nobody = 65534;

class Archive {
  public:
    explicit Archive(int recordings) {
        for (int i = 0; i < recordings; ++i) add(i);
    }

    void add(int i) const {
        const auto file =
            folder_.path() / "in" / ("part" + std::to_string(i % 2)) / (std::to_string(i) + ".wav");
        fs::create_directories(file.parent_path());
        auto samples =
            test::noise(static_cast<std::size_t>(16000 * (1 + i % 4)), static_cast<std::uint32_t>(i + 1));
        std::fill_n(samples.begin(), samples.size() / 3, 0.0f);
        test::writeAudio(file, test::AudioFormat::wavPcm16, 32000, 1, samples);
    }

    fs::path in() const { return folder_ / "in"; }
    fs::path folder(const std::string& name) const { return folder_ / name; }

    batch::BatchRequest request(const std::string& name) const {
        batch::BatchRequest request;
        request.folder = folder(name);
        request.inputs = batch::findInputs(std::vector<std::string>{in().string()});
        request.fingerprint = {{"threshold", "0.4"}};
        request.outputs = {batch::documentKind(*formats::formatNamed("csv")),
                           batch::documentKind(*formats::formatNamed("midi"))};
        request.joined = {"csv", "jsonl", "sqlite"};
        request.model = {.file = "m", .sha256 = "s", .licence = "l", .labels = {"Loud", "Quiet, or none"}};
        return request;
    }

    batch::BatchSummary run(const std::string& name) const {
        return Batch(request(name)).run(detector(), {});
    }

  private:
    test::TemporaryDirectory folder_;
};

} // namespace

TEST_CASE("a batch makes each recording's files and the joined ones", "[unit]") {
    const Archive archive(5);
    const auto summary = archive.run("out");
    CHECK(summary.total == 5);
    CHECK(summary.done == 5);
    CHECK(summary.failures.empty());
    CHECK(summary.secondsHeard == Approx(0.5 + 1.0 + 1.5 + 2.0 + 0.5));
    const auto files = test::contents(archive.folder("out"));
    CHECK(files.size() == 2 * 5 + 3);
    const auto& joined = files.at("events.csv");
    CHECK_THAT(joined, ContainsSubstring("part0/0.wav") && ContainsSubstring("part1/3.wav"));
    // The joined table is the others under one header, in the order of their names.
    std::string expected;
    for (const auto& [name, bytes] : files)
        if (name.ends_with(".wav.csv"))
            expected += expected.empty() ? bytes : bytes.substr(bytes.find('\n') + 1);
    CHECK(joined == expected);
}

TEST_CASE("any number of jobs makes the same folder", "[unit]") {
    const Archive archive(7);
    archive.run("one");
    const auto expected = test::contents(archive.folder("one"));
    for (const int jobs : {1, 2, 5, 20}) {
        auto request = archive.request("jobs" + std::to_string(jobs));
        request.jobs = jobs;
        request.threads = 3;
        Batch(request).run(detector(), {});
        CHECK(test::changes(test::contents(request.folder), expected) == "");
    }
}

TEST_CASE("a batch that is stopped again and again ends with the same folder", "[unit]") {
    const Archive archive(9);
    archive.run("whole");
    auto request = archive.request("pieces");
    std::size_t heard = 0;
    int runs = 0;
    for (bool stopped = true; stopped; ++runs) {
        REQUIRE(runs < 100);
        Batch pieces(request);
        const std::size_t before = pieces.alreadyDone();
        const auto summary = pieces.run(detector(), [&](const batch::BatchProgress& progress) {
            CHECK(progress.total == 9);
            CHECK(progress.done >= before);
            return progress.done < before + 1;
        });
        CHECK(summary.done == before + summary.heard);
        heard += summary.heard;
        stopped = summary.stopped;
    }
    // Nothing twice.
    CHECK(heard == 9);
    CHECK(test::changes(test::contents(archive.folder("pieces")), test::contents(archive.folder("whole"))) ==
          "");
    CHECK(archive.run("pieces").heard == 0);
}

TEST_CASE("a batch tells of each recording that is done, now or by an earlier run", "[unit]") {
    const Archive archive(4);
    test::writeBytes(archive.in() / "bad.wav", "a shopping list");
    std::map<std::string, batch::JournalEntry> told;
    auto request = archive.request("out");
    request.recorded = [&](const batch::JournalEntry& entry) { told[entry.name] = entry; };
    {
        Batch first(request);
        first.eachDone([](const batch::JournalEntry&) { FAIL("nothing is done yet"); });
        first.run(detector(), [](const batch::BatchProgress& progress) {
            for (const auto& [name, share] : progress.hearing) CHECK((share >= 0.0 && share <= 1.0));
            return true;
        });
    }
    REQUIRE(told.size() == 5);
    CHECK_FALSE(told.at("bad.wav").failure.empty());
    CHECK_FALSE(told.at("bad.wav").result);
    REQUIRE(told.at("part1/3.wav").result);
    CHECK(told.at("part1/3.wav").failure.empty());
    CHECK(told.at("part1/3.wav").result->seconds == Approx(2.0));

    std::vector<std::string> done;
    Batch(request).eachDone([&](const batch::JournalEntry& entry) {
        done.push_back(entry.name);
        REQUIRE(entry.result);
        CHECK(entry.result->events.size() == told.at(entry.name).result->events.size());
    });
    // The bad one is tried again.
    CHECK(done == std::vector<std::string>{"part0/0.wav", "part0/2.wav", "part1/1.wav", "part1/3.wav"});

    request.fingerprint = {{"threshold", "0.5"}};
    std::string differences;
    try {
        const Batch other(request);
    } catch (const batch::SettingsError& error) {
        differences = error.differences;
    }
    CHECK(differences == "threshold was 0.4 and is 0.5 now");
}

TEST_CASE("what cannot be read is listed and tried again, the rest is done", "[unit]") {
    const Archive archive(3);
    test::writeBytes(archive.in() / "bad.wav", "a shopping list");
    const auto first = archive.run("out");
    CHECK(first.done == 4);
    REQUIRE(first.failures.size() == 1);
    CHECK(first.failures[0].name == "bad.wav");
    const auto files = test::contents(archive.folder("out"));
    CHECK_THAT(files.at("failed.csv"),
               Catch::Matchers::StartsWith("file,error\n") && ContainsSubstring("bad.wav"));
    CHECK(files.count("bad.wav.csv") == 0);
    CHECK(archive.run("out").heard == 1);

    test::writeAudio(archive.in() / "bad.wav", test::AudioFormat::wavPcm16, 32000, 1, test::noise(32000, 1));
    CHECK(archive.run("out").failures.empty());
    CHECK_FALSE(fs::exists(archive.folder("out") / "failed.csv"));
    CHECK(fs::exists(archive.folder("out") / "bad.wav.csv"));

    // And back: its old results would be a lie.
    test::writeBytes(archive.in() / "bad.wav", "a shopping list again");
    archive.run("out");
    CHECK_FALSE(fs::exists(archive.folder("out") / "bad.wav.csv"));
}

TEST_CASE("new and changed recordings are heard", "[unit]") {
    const Archive archive(4);
    archive.run("out");
    archive.add(4);
    CHECK(archive.run("out").heard == 1);

    const auto changed = archive.in() / "part1" / "1.wav";
    fs::last_write_time(changed, fs::last_write_time(changed) + std::chrono::seconds(2));
    CHECK(archive.run("out").heard == 1);
}

TEST_CASE("results stay when their recordings are not named any more, until they are to be forgotten",
          "[unit]") {
    const Archive archive(4);
    archive.run("out");
    const auto before = test::contents(archive.folder("out"));
    fs::rename(archive.in() / "part0", archive.folder("away"));
    for (int again = 0; again < 2; ++again) {
        const auto summary = archive.run("out");
        CHECK(summary.heard == 0);
        REQUIRE(summary.failures.size() == 2);
        CHECK(summary.failures[0].name == "part0/0.wav");
        CHECK(summary.failures[0].unreachable);
        CHECK_THAT(summary.failures[0].message, ContainsSubstring("--forget-missing"));
        auto now = test::contents(archive.folder("out"));
        CHECK_THAT(now["failed.csv"], ContainsSubstring("part0/0.wav") && ContainsSubstring("part0/2.wav"));
        now.erase("failed.csv");
        CHECK(now == before);
    }
    fs::rename(archive.folder("away"), archive.in() / "part0");
    CHECK(archive.run("out").heard == 0);
    CHECK(test::changes(test::contents(archive.folder("out")), before) == "");

    fs::remove_all(archive.in() / "part0");
    // A file in the place of a result, by somebody else, is not among those that are forgotten.
    fs::remove(archive.folder("out/part0/0.wav.csv"));
    fs::create_symlink(archive.in() / "part1" / "1.wav", archive.folder("out/part0/0.wav.csv"));
    auto request = archive.request("out");
    request.forgetMissing = true;
    CHECK(Batch(request).run(detector(), {}).failures.empty());
    CHECK(fs::is_symlink(archive.folder("out/part0/0.wav.csv")));
    fs::remove(archive.folder("out/part0/0.wav.csv"));
    archive.run("fresh");
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("fresh"))) ==
          "");
}

TEST_CASE("a recording that cannot be reached keeps its results and is listed", "[unit]") {
    const Archive archive(3);
    auto request = archive.request("out");
    const auto run = [&] { return Batch(request).run(detector(), {}); };
    run();
    const auto before = test::contents(archive.folder("out"));
    // The list names them all the same, as --list does.
    fs::rename(archive.in(), archive.folder("away"));
    const auto summary = run();
    REQUIRE(summary.failures.size() == 3);
    CHECK(summary.failures[0].unreachable);
    CHECK_THAT(summary.failures[0].message, ContainsSubstring("no such file") && ContainsSubstring("stay"));
    auto now = test::contents(archive.folder("out"));
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
    const Archive archive(4);
    // As if the user had made them.
    const auto give = [](const fs::path& path) {
        if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), nobody, nobody) == 0);
    };
    const fs::path all = archive.in().parent_path();
    give(all);
    for (const auto& entry : fs::recursive_directory_iterator(all)) give(entry.path());
    const test::Unprivileged user;
    if (!user.holds()) return test::skip("root cannot become another user here");
    archive.run("out");
    const auto before = test::contents(archive.folder("out"));
    auto request = archive.request("out");
    fs::permissions(archive.in() / "part0", fs::perms::none);
    const auto closed = Batch(request).run(detector(), {});
    fs::permissions(archive.in() / "part0", fs::perms::all);
    CHECK(closed.failures.size() == 2);
    for (const auto& failure : closed.failures) CHECK(failure.unreachable);
    CHECK(test::readBytes(archive.folder("out/events.csv")) == before.at("events.csv"));
    CHECK(fs::exists(archive.folder("out/part0/0.wav.csv")));

    request.restart = true;
    fs::permissions(archive.folder("out/part1"), fs::perms(0555));
    const auto written = Batch(request).run(detector(), {});
    fs::permissions(archive.folder("out/part1"), fs::perms::all);
    REQUIRE(written.failures.size() == 2);
    CHECK_THAT(written.failures[0].message, ContainsSubstring("part1/1.wav.csv") &&
                                                ContainsSubstring("choose a folder that can be written"));
    CHECK(written.done == 4);
    auto after = test::contents(archive.folder("out"));
    after.erase("failed.csv");
    after.erase("events.sqlite");
    for (const auto& [name, bytes] : after) CHECK(bytes == before.at(name));
}

TEST_CASE("doing all again keeps the results of what cannot be reached", "[unit]") {
    const Archive archive(3);
    auto request = archive.request("out");
    Batch(request).run(detector(), {});
    const auto before = test::readBytes(archive.folder("out/events.csv"));
    fs::rename(archive.in() / "part0", archive.folder("away"));
    request.restart = true;
    const auto summary = Batch(request).run(detector(), {});
    CHECK(summary.failures.size() == 2);
    CHECK(test::readBytes(archive.folder("out/events.csv")) == before);
    CHECK(fs::exists(archive.folder("out/part0/0.wav.csv")));
}

TEST_CASE("a folder of recordings that is gone is an error while its results are known", "[unit]") {
    const Archive archive(4);
    auto request = archive.request("out");
    const auto both =
        std::vector<std::string>{(archive.in() / "part0").string(), (archive.in() / "part1").string()};
    request.inputs = batch::findInputs(both);
    request.roots = {both[0], both[1]};
    Batch(request).run(detector(), {});
    const auto before = test::contents(archive.folder("out"));
    fs::rename(archive.in() / "part1", archive.folder("away"));
    request.inputs = batch::findInputs(both);
    request.roots = {both[0]};
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("part1: this folder of recordings is gone"));
    CHECK(test::changes(test::contents(archive.folder("out")), before) == "");

    const Archive single(1);
    auto one = single.request("out");
    one.roots = {single.in().string() + "/"};
    Batch(one).run(detector(), {});
    fs::rename(single.in(), single.folder("away"));
    one.inputs = batch::findInputs(std::vector<std::string>{single.in().string()});
    one.roots = {};
    CHECK_THROWS_WITH(Batch(one), ContainsSubstring("this folder of recordings is gone"));
}

TEST_CASE("files that Earshot did not make are named and left alone", "[unit]") {
    const Archive archive(3);
    const auto out = archive.folder("out");
    fs::create_directories(out / "part0");
    const std::vector<std::string> mine = {"part0/0.wav.csv", "events.csv", "failed.csv", "part0/2.wav.mid"};
    for (const auto& name : mine) test::writeBytes(out / name, "my own " + name);
    test::writeBytes(out / "notes.txt", "mine");
    const auto before = test::contents(out);
    CHECK_THROWS_WITH(Batch(archive.request("out")),
                      ContainsSubstring("part0/0.wav.csv") && ContainsSubstring("events.csv") &&
                          ContainsSubstring("failed.csv") && ContainsSubstring("part0/2.wav.mid") &&
                          ContainsSubstring("--overwrite"));
    CHECK(test::changes(test::contents(out, {}), before) == ""); // not even a journal
    auto request = archive.request("out");
    request.overwrite = true;
    CHECK(Batch(request).run(detector(), {}).failures.empty());
    // From here on they are Earshot's.
    CHECK(archive.run("out").heard == 0);
    fs::remove(out / "notes.txt");
    archive.run("fresh");
    CHECK(test::changes(test::contents(out), test::contents(archive.folder("fresh"))) == "");
}

TEST_CASE("another's file that comes while a batch runs fails its recording alone", "[unit]") {
    const Archive archive(3);
    auto request = archive.request("out");
    request.jobs = 1;
    std::optional<Batch> work(request);
    const auto other = archive.folder("out/part1/1.wav.csv");
    fs::create_directories(other.parent_path());
    test::writeBytes(other, "mine");
    const auto summary = work->run(detector(), {});
    work.reset();
    REQUIRE(summary.failures.size() == 1);
    CHECK_THAT(summary.failures[0].message, ContainsSubstring("1.wav.csv: is there and not made by Earshot"));
    CHECK(test::readBytes(other) == "mine");
    CHECK(fs::exists(archive.folder("out/part0/2.wav.csv")));
    CHECK_THROWS_WITH(archive.run("out"), ContainsSubstring("1.wav.csv"));
    fs::remove(other);
    CHECK(archive.run("out").heard == 1);
    archive.run("fresh");
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("fresh"))) ==
          "");
}

TEST_CASE("a recording that cannot be decoded loses no file of somebody else", "[unit]") {
    const Archive archive(2);
    test::writeBytes(archive.in() / "bad.wav", "a shopping list");
    archive.run("out");
    // It has no results, so a file of that name is another's.
    test::writeBytes(archive.folder("out/bad.wav.csv"), "mine");
    CHECK_THROWS_WITH(archive.run("out"), ContainsSubstring("bad.wav.csv"));
    CHECK(test::readBytes(archive.folder("out/bad.wav.csv")) == "mine");
}

TEST_CASE("results are never written over what a batch reads", "[unit]") {
    const Archive archive(2);
    fs::create_directories(archive.folder("out/part0"));
    const auto list = archive.folder("list.txt");
    test::writeBytes(list, "one\n");
    fs::create_hard_link(list, archive.folder("out/events.csv"));
    auto request = archive.request("out");
    request.overwrite = true;
    request.readFiles = {list};
    CHECK_THROWS_WITH(Batch(request),
                      ContainsSubstring("events.csv") && ContainsSubstring("would overwrite an input"));
    fs::remove(archive.folder("out/events.csv"));
    fs::create_symlink(archive.in() / "part1" / "1.wav", archive.folder("out/part0/0.wav.mid"));
    CHECK_THROWS_WITH(Batch(request),
                      ContainsSubstring("0.wav.mid") && ContainsSubstring("would overwrite a recording"));
    CHECK(test::readBytes(list) == "one\n");
}

TEST_CASE("names that would be too long become names that follow from the recording's", "[unit]") {
    const Archive archive(2);
    const std::string stem(247, 'x');
    const std::string deep = std::string(120, 'y') + "\xc3\xa4" + std::string(126, 'z');
    for (const std::string& name : {stem + "1.wav", stem + "2.wav", deep + ".wav"}) {
        INFO(name.size());
        fs::copy_file(archive.in() / "part0" / "0.wav", archive.in() / name);
    }
    const auto summary = archive.run("out");
    CHECK(summary.failures.empty());
    const auto files = test::contents(archive.folder("out"));
    CHECK(files.size() == 2 * 5 + 3);
    const auto name = batch::outputFile("", stem + "1.wav", ".csv");
    CHECK(name.native().size() == 255);
    CHECK(files.count(name) == 1);
    CHECK(name == batch::outputFile("", stem + "1.wav", ".csv"));
    CHECK(name != batch::outputFile("", stem + "2.wav", ".csv"));
    CHECK(batch::outputFile("", "a/" + stem + "1.wav", ".csv").filename() != name.filename());
    // Not within a character, and as it is where it fits.
    CHECK(batch::outputFile("", std::string(235, 'a') + std::string(8, '\xc3') + "\xa4.wav", ".mid")
              .native()
              .size() <= 255);
    CHECK(batch::outputFile("", stem, ".csv") == stem + ".csv");
    CHECK(archive.run("out").heard == 0);
    for (int index = 0; index < 2; ++index) {
        auto request = archive.request("shards");
        request.shard = batch::Shard{index, 2};
        Batch(request).run(detector(), {});
    }
    batch::mergeShards(batch::shardFoldersIn(archive.folder("shards")), archive.folder("merged"));
    CHECK(test::changes(test::contents(archive.folder("merged")), files) == "");
}

TEST_CASE("other settings are refused until all is done again", "[unit]") {
    const Archive archive(2);
    archive.run("out");
    auto request = archive.request("out");
    request.fingerprint = {{"threshold", "0.5"}};
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("threshold was 0.4 and is 0.5 now") &&
                                          ContainsSubstring("--restart"));
    request.restart = true;
    CHECK(Batch(request).run(detector(), {}).heard == 2);
    request.restart = false;
    CHECK(Batch(request).run(detector(), {}).heard == 0);
}

TEST_CASE("formats asked for later, and files that were removed, come from the journal", "[unit]") {
    const Archive archive(3);
    archive.run("out");
    auto request = archive.request("out");
    request.outputs.push_back(batch::documentKind(*formats::formatNamed("raven")));
    request.joined.push_back("raven");
    fs::remove(archive.folder("out") / "part0" / "2.wav.csv");
    CHECK(Batch(request).run(detector(), {}).heard == 0);
    request.folder = archive.folder("fresh");
    Batch(request).run(detector(), {});
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("fresh"))) ==
          "");
}

TEST_CASE("results may lie beside the recordings", "[unit]") {
    const Archive archive(3);
    archive.run("out");
    auto expected = test::contents(archive.folder("out"));
    expected.merge(test::contents(archive.in()));
    auto request = archive.request("out");
    request.folder = archive.in();
    Batch(request).run(detector(), {});
    CHECK(test::changes(test::contents(archive.in()), expected) == "");
    // Nothing of it is taken for a recording.
    CHECK(batch::findInputs(std::vector<std::string>{archive.in().string()}).size() == 3);
}

TEST_CASE("temporary files of a killed run go", "[unit]") {
    const Archive archive(2);
    for (const char* where : {"out", "out/part1"}) {
        fs::create_directories(archive.folder(where));
        test::writeBytes(archive.folder(where) / ".earshot-0123456789abcdef.partial", "half");
    }
    archive.run("out");
    archive.run("fresh");
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("fresh"))) ==
          "");
}

TEST_CASE("results that cannot be written fail their recordings alone", "[unit]") {
    const Archive archive(4);
    // A file where a folder has to be.
    fs::create_directories(archive.folder("out"));
    test::writeBytes(archive.folder("out") / "part1", "in the way");
    auto request = archive.request("out");
    request.jobs = 1;
    const auto summary = Batch(request).run(detector(), {});
    REQUIRE(summary.failures.size() == 2);
    CHECK(summary.failures[0].name == "part1/1.wav");
    CHECK_FALSE(summary.failures[0].unreachable);
    CHECK_THAT(summary.failures[0].message,
               ContainsSubstring("out/part1") && ContainsSubstring("cannot be written"));
    CHECK(test::readBytes(archive.folder("out/part1")) == "in the way");
    fs::remove(archive.folder("out") / "part1");
    CHECK(archive.run("out").heard == 2);
    archive.run("fresh");
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("fresh"))) ==
          "");
}

TEST_CASE("a full disk ends the batch at once, and what was done stays", "[unit]") {
    // Its contents are on a disk without room.
    class FullKind : public batch::OutputKind {
        class Writer : public batch::OutputWriter {
            void finish(const formats::RecordingEvents& recording) override {
                if (recording.file != "part0/0.wav") failToWrite(recording.file + ".full", ENOSPC);
            }
        };
        std::string suffix() const override { return ".full"; }
        bool needsAudio() const override { return true; }
        std::unique_ptr<batch::OutputWriter> write(WholeFile&) const override {
            return std::make_unique<Writer>();
        }
    };
    const Archive archive(4);
    auto request = archive.request("out");
    request.jobs = 1;
    request.outputs.push_back(std::make_shared<FullKind>());
    CHECK_THROWS_WITH(Batch(request).run(detector(), {}), ContainsSubstring("make room"));
    CHECK(Batch(request).alreadyDone() == 1);
    CHECK_FALSE(fs::exists(archive.folder("out/part1/1.wav.csv")));
}

TEST_CASE("a model that fails fails its recordings, other exceptions end the batch", "[unit]") {
    class WrongModel : public fake::FakeModel {
        void run(std::span<const float>, std::span<float> probabilities) override {
            std::ranges::fill(probabilities, 2.0f);
        }
    };
    const Archive archive(2);
    auto how = detector();
    how.makeAnalyzer = [](int) {
        return std::make_unique<detection::Analyzer>(
            std::make_unique<WrongModel>(), frontend::LogMelSettings{}, detection::AnalyzerSettings{});
    };
    const auto summary = Batch(archive.request("out")).run(how, {});
    REQUIRE(summary.failures.size() == 2);
    CHECK_THAT(summary.failures[0].message, ContainsSubstring("no probabilities"));
    how.makeAnalyzer = [](int) -> std::unique_ptr<detection::Analyzer> { throw std::bad_alloc(); };
    CHECK_THROWS_AS(Batch(archive.request("out")).run(how, {}), std::bad_alloc);
    CHECK(archive.run("out").heard == 2);
}

TEST_CASE("a name that two results would share is refused", "[unit]") {
    const test::TemporaryDirectory folder;
    const Archive archive(1);
    auto request = archive.request("out");
    request.inputs = {{archive.in() / "part0" / "0.wav", "events", {}}};
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("events.csv"));
}

TEST_CASE("shards merged are the folder of one run, byte for byte", "[unit]") {
    const Archive archive(7);
    test::writeBytes(archive.in() / "bad.wav", "a shopping list");
    archive.run("whole");
    const auto expected = test::contents(archive.folder("whole"));
    for (const int count : {1, 3, 12}) {
        const auto name = "shards" + std::to_string(count);
        for (int index = 0; index < count; ++index) {
            auto request = archive.request(name);
            std::ranges::reverse(request.inputs); // whatever order somebody's shell gives
            request.shard = batch::Shard{index, count};
            Batch(request).run(detector(), {});
        }
        const auto shards = batch::shardFoldersIn(archive.folder(name));
        REQUIRE(shards.size() == static_cast<std::size_t>(count));
        for (int again = 0; again < 2; ++again) {
            const auto summary = batch::mergeShards(shards, archive.folder("merged" + name));
            CHECK(summary.recordings == 8);
            CHECK(summary.failures.size() == 1);
            CHECK(test::changes(test::contents(archive.folder("merged" + name)), expected) == "");
        }
        // The merged folder is a batch that can go on.
        CHECK(archive.run("merged" + name).heard == 1);
        CHECK(test::changes(test::contents(archive.folder("merged" + name)), expected) == "");
    }
}

TEST_CASE("a merge says which shard is missing, unfinished or different", "[unit]") {
    const Archive archive(6);
    const auto shard = [&](int index, const auto& change) {
        auto request = archive.request("s");
        request.shard = batch::Shard{index, 3};
        change(request);
        Batch(request).run(detector(), {});
    };
    const auto none = [](auto&) {};
    const auto merge = [&] {
        batch::mergeShards(batch::shardFoldersIn(archive.folder("s")), archive.folder("m"));
    };
    const auto says = [](const std::string& text) { return ContainsSubstring(text); };
    shard(0, none);
    shard(2, none);
    CHECK_THROWS_WITH(merge(), says("shard 1 of 3 is missing"));
    {
        auto request = archive.request("s");
        request.shard = batch::Shard{1, 3};
        Batch(request).run(detector(), [](const auto&) { return false; });
    }
    CHECK_THROWS_WITH(merge(), says("shard-1-of-3") && says("not finished"));
    shard(1, [](auto& request) {
        request.fingerprint = {{"threshold", "0.5"}};
        request.restart = true;
    });
    CHECK_THROWS_WITH(merge(), says("threshold was 0.4 and is 0.5"));
    shard(1, [](auto& request) {
        request.restart = true;
        request.joined = {"csv"};
    });
    CHECK_THROWS_WITH(merge(), says("shard-1-of-3") && says("formats"));
    archive.add(6);
    shard(1, none);
    CHECK_THROWS_WITH(merge(), says("knew other recordings"));
    shard(0, none);
    shard(2, none);
    {
        const batch::FolderLock running(archive.folder("s/shard-2-of-3"));
        CHECK_THROWS_WITH(merge(), says("another earshot"));
    }
    fs::remove(archive.folder("s/shard-0-of-3/part0/0.wav.csv"));
    CHECK_THROWS_WITH(merge(), says("0.wav.csv") && says("run it again"));
    shard(0, none);
    CHECK_NOTHROW(merge());
    CHECK_THROWS_AS(batch::mergeShards({archive.in()}, archive.folder("m")), Error);
}

TEST_CASE("a merge keeps what shards keep of recordings that are not named any more", "[unit]") {
    const Archive archive(6);
    const auto shards = [&] {
        for (int index = 0; index < 2; ++index) {
            auto request = archive.request("s");
            request.shard = batch::Shard{index, 2};
            Batch(request).run(detector(), {});
        }
    };
    archive.run("whole");
    shards();
    fs::remove(archive.in() / "part1" / "3.wav");
    archive.run("whole");
    shards();
    const auto summary =
        batch::mergeShards(batch::shardFoldersIn(archive.folder("s")), archive.folder("merged"));
    CHECK(summary.recordings == 6);
    CHECK(summary.failures.size() == 1);
    CHECK(test::changes(test::contents(archive.folder("merged")), test::contents(archive.folder("whole"))) ==
          "");
    CHECK(archive.run("merged").failures.size() == 1);
    CHECK(test::changes(test::contents(archive.folder("merged")), test::contents(archive.folder("whole"))) ==
          "");
}

TEST_CASE("a merge replaces no file of somebody else", "[unit]") {
    const Archive archive(3);
    auto request = archive.request("s");
    request.shard = batch::Shard{0, 1};
    Batch(request).run(detector(), {});
    const auto shards = batch::shardFoldersIn(archive.folder("s"));
    const auto out = archive.folder("merged");
    fs::create_directories(out / "part0");
    test::writeBytes(out / "part0/0.wav.csv", "mine");
    test::writeBytes(out / "events.csv", "mine too");
    const auto before = test::contents(out, {});
    CHECK_THROWS_WITH(batch::mergeShards(shards, out), ContainsSubstring("0.wav.csv") &&
                                                           ContainsSubstring("events.csv") &&
                                                           ContainsSubstring("--overwrite"));
    CHECK(test::changes(test::contents(out, {}), before) == "");
    batch::mergeShards(shards, out, {}, true);
    archive.run("whole");
    CHECK(test::changes(test::contents(out), test::contents(archive.folder("whole"))) == "");
    // The same bytes do no harm, whoever put them there.
    fs::remove_all(out);
    fs::create_directories(out / "part0");
    fs::copy_file(archive.folder("whole/part0/0.wav.csv"), out / "part0/0.wav.csv");
    CHECK_NOTHROW(batch::mergeShards(shards, out));
    CHECK(test::changes(test::contents(out), test::contents(archive.folder("whole"))) == "");
}

TEST_CASE("a merge stays inside its folders, whatever a shard's journal says", "[unit]") {
    const test::TemporaryDirectory victim;
    test::writeBytes(victim / "thesis.txt", "years of work");
    const Archive archive(2);
    const auto attempt = [&](const std::string& sql) {
        fs::remove_all(archive.folder("s"));
        auto request = archive.request("s");
        request.shard = batch::Shard{0, 1};
        Batch(request).run(detector(), {});
        Database(Journal::fileIn(archive.folder("s/shard-0-of-1"))).execute(sql);
        CHECK_THROWS_WITH(batch::mergeShards(batch::shardFoldersIn(archive.folder("s")), archive.folder("s")),
                          ContainsSubstring("shard-0-of-1") && ContainsSubstring("; "));
        CHECK(test::readBytes(victim / "thesis.txt") == "years of work");
    };
    const auto rename = [](const std::string& name) {
        return "UPDATE recordings SET name = '" + name +
               "' WHERE name = 'part0/0.wav'; UPDATE plan SET name = '" + name +
               "' WHERE name = 'part0/0.wav';";
    };
    const std::string outside = fs::relative(victim / "thesis", archive.folder("s")).string();
    for (const std::string& name :
         {outside, "../" + outside, (victim / "thesis").string(), std::string("part0/../../x"),
          std::string("./part0/0.wav"), std::string("part0//0.wav"), std::string(".."), std::string("part0/"),
          std::string(), std::string(".earshot/journal")}) {
        CAPTURE(name);
        attempt(rename(name) +
                "UPDATE recordings SET heard = 0; UPDATE lists SET value = '.txt' WHERE name = 'suffixes'");
        attempt(rename(name));
    }
    for (const char* suffix : {"", "txt", "/../x", "./x", ".a/b", "."}) {
        CAPTURE(suffix);
        attempt(std::string("UPDATE lists SET value = '") + suffix + "' WHERE name = 'suffixes'");
    }
    attempt("UPDATE lists SET value = '../x' WHERE name = 'joined'");
    attempt("INSERT INTO lists VALUES ('missing', 0, '../x'); UPDATE recordings SET name = '../x' WHERE name "
            "= 'part0/0.wav'");
}

TEST_CASE("what is to be forgotten is deleted inside the folder alone, whatever the journal says", "[unit]") {
    const test::TemporaryDirectory victim;
    test::writeBytes(victim / "thesis.txt", "years of work");
    const Archive archive(3);
    for (const bool byName : {true, false}) {
        archive.run("out");
        fs::rename(archive.in() / "part1", archive.folder("away"));
        const std::string outside = fs::relative(victim / "thesis", archive.folder("out")).string();
        Database journal(Journal::fileIn(archive.folder("out")));
        journal.execute("INSERT OR IGNORE INTO targets VALUES ('" + outside + ".txt'), ('part1/1.wav/../../" +
                        outside + ".txt')");
        if (byName)
            journal.execute("UPDATE recordings SET name = '" + outside +
                            "' WHERE name = 'part1/1.wav'; "
                            "UPDATE lists SET value = '.txt' WHERE name = 'suffixes'");
        else
            journal.execute("UPDATE lists SET value = '/../../" + outside + ".txt' WHERE name = 'suffixes'");
        auto request = archive.request("out");
        request.forgetMissing = true;
        CHECK_THROWS_AS(Batch(request), Error);
        CHECK(test::readBytes(victim / "thesis.txt") == "years of work");
        fs::remove_all(archive.folder("out"));
        fs::rename(archive.folder("away"), archive.in() / "part1");
    }
}

TEST_CASE("a plan that makes no sense is an error", "[unit]") {
    const Archive archive(4);
    const auto attempt = [&](const std::string& sql) {
        CAPTURE(sql);
        fs::remove_all(archive.folder("s"));
        for (int index = 0; index < 2; ++index) {
            auto request = archive.request("s");
            request.shard = batch::Shard{index, 2};
            Batch(request).run(detector(), {});
        }
        Database(Journal::fileIn(archive.folder("s/shard-1-of-2"))).execute(sql);
        CHECK_THROWS_WITH(batch::mergeShards(batch::shardFoldersIn(archive.folder("s")), archive.folder("m")),
                          ContainsSubstring("shard-") && ContainsSubstring("; "));
        CHECK_FALSE(fs::exists(archive.folder("m") / "events.csv"));
    };
    attempt("UPDATE plan SET position = position + 1");
    attempt("UPDATE plan SET position = position + 1000");
    attempt("UPDATE plan SET position = -1 WHERE position = 1");
    attempt("DELETE FROM plan WHERE position = 1");
    attempt("UPDATE plan SET name = 'part0/0.wav' WHERE position = 1");
    attempt("UPDATE lists SET value = 'many' WHERE name = 'plan' AND position = 0");
    attempt("UPDATE lists SET value = '4 ' WHERE name = 'plan' AND position = 0");
    attempt("UPDATE lists SET value = '99999999999999999999' WHERE name = 'plan' AND position = 0");
    attempt("ALTER TABLE events RENAME COLUMN onset TO beginning");
    attempt("DELETE FROM lists WHERE name = 'documents'");
    attempt("DROP TABLE events; CREATE VIEW events AS SELECT 1 AS recording");
}

TEST_CASE("a folder of the version before goes on, and its files are known", "[unit]") {
    const Archive archive(4);
    archive.run("out");
    const auto before = test::contents(archive.folder("out"));
    // As version 2 left it: without targets, and killed between a recording's files and its row.
    const auto makeOld = [&] {
        Database journal(Journal::fileIn(archive.folder("out")));
        journal.execute(
            "DROP TABLE targets; ALTER TABLE recordings DROP COLUMN unreachable; PRAGMA user_version = 2");
        journal.execute(
            "DELETE FROM events WHERE recording IN (SELECT id FROM recordings WHERE name = 'part1/3.wav'); "
            "DELETE FROM recordings WHERE name = 'part1/3.wav'");
    };
    makeOld();
    // Its tables had other columns.
    Database(Journal::fileIn(archive.folder("out"))).execute("DELETE FROM lists WHERE name = 'documents'");
    test::writeBytes(archive.folder("out/part0/2.wav.csv"), "the old table");
    const auto lock = archive.folder("out/.earshot/lock");
    fs::last_write_time(lock, fs::last_write_time(lock) - std::chrono::hours(1));
    CHECK(archive.run("out").heard == 1);
    CHECK(test::changes(test::contents(archive.folder("out")), before) == "");
    // What was there before the batch began is somebody's own.
    makeOld();
    const auto other = archive.folder("out/part1/3.wav.csv");
    test::writeBytes(other, "mine");
    fs::last_write_time(other, fs::last_write_time(lock) - std::chrono::hours(1));
    CHECK_THROWS_WITH(archive.run("out"), ContainsSubstring("3.wav.csv"));
    CHECK(test::readBytes(other) == "mine");
}
