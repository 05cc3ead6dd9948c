#include "Core/Batch/Batch.h"

#include "Core/Base/Error.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Merge.h"
#include "Core/Detection/FakeModels.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <algorithm>
#include <atomic>
#include <chrono>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

namespace {

// Hears loud and quiet; counts the recordings it was made for.
batch::Listening listening() {
    batch::Listening how;
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
        request.outputs = {batch::documentKind(formats::EventFormat::csv),
                           batch::documentKind(formats::EventFormat::midi)};
        request.joined = {"csv", "jsonl", "sqlite"};
        request.model = {.file = "m", .sha256 = "s", .licence = "l", .labels = {"Loud", "Quiet, or none"}};
        return request;
    }

    batch::BatchSummary run(const std::string& name) const {
        return Batch(request(name)).run(listening(), {});
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
        Batch(request).run(listening(), {});
        CHECK(test::contents(request.folder) == expected);
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
        const auto summary = pieces.run(listening(), [&](const batch::BatchProgress& progress) {
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
    CHECK(test::contents(archive.folder("pieces")) == test::contents(archive.folder("whole")));
    CHECK(archive.run("pieces").heard == 0);
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

TEST_CASE("new and changed recordings are heard, vanished ones leave the joined files", "[unit]") {
    const Archive archive(4);
    archive.run("out");
    archive.add(4);
    CHECK(archive.run("out").heard == 1);

    const auto changed = archive.in() / "part1" / "1.wav";
    fs::last_write_time(changed, fs::last_write_time(changed) + std::chrono::seconds(2));
    CHECK(archive.run("out").heard == 1);

    fs::remove(archive.in() / "part0" / "0.wav");
    const auto summary = archive.run("out");
    CHECK(summary.heard == 0);
    CHECK(summary.vanished == 1);
    const auto joined = test::readBytes(archive.folder("out") / "events.csv");
    CHECK(joined.find("part0/0.wav") == std::string::npos);
    archive.run("fresh");
    CHECK(joined == test::readBytes(archive.folder("fresh") / "events.csv"));
}

TEST_CASE("other settings are refused until all is done again", "[unit]") {
    const Archive archive(2);
    archive.run("out");
    auto request = archive.request("out");
    request.fingerprint = {{"threshold", "0.5"}};
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("threshold was 0.4 and is 0.5 now") &&
                                          ContainsSubstring("--restart"));
    request.restart = true;
    CHECK(Batch(request).run(listening(), {}).heard == 2);
    request.restart = false;
    CHECK(Batch(request).run(listening(), {}).heard == 0);
}

TEST_CASE("formats asked for later, and files that were removed, come from the journal", "[unit]") {
    const Archive archive(3);
    archive.run("out");
    auto request = archive.request("out");
    request.outputs.push_back(batch::documentKind(formats::EventFormat::raven));
    request.joined.push_back("raven");
    fs::remove(archive.folder("out") / "part0" / "2.wav.csv");
    CHECK(Batch(request).run(listening(), {}).heard == 0);
    request.folder = archive.folder("fresh");
    Batch(request).run(listening(), {});
    CHECK(test::contents(archive.folder("out")) == test::contents(archive.folder("fresh")));
}

TEST_CASE("results may lie beside the recordings", "[unit]") {
    const Archive archive(3);
    archive.run("out");
    auto expected = test::contents(archive.folder("out"));
    expected.merge(test::contents(archive.in()));
    auto request = archive.request("out");
    request.folder = archive.in();
    Batch(request).run(listening(), {});
    CHECK(test::contents(archive.in()) == expected);
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
    CHECK(test::contents(archive.folder("out")) == test::contents(archive.folder("fresh")));
}

TEST_CASE("results that cannot be written end the batch, and what was done stays", "[unit]") {
    const Archive archive(4);
    // A file where a folder has to be stands in for a full disk.
    fs::create_directories(archive.folder("out"));
    test::writeBytes(archive.folder("out") / "part1", "in the way");
    auto request = archive.request("out");
    request.jobs = 1;
    CHECK_THROWS_AS(Batch(request).run(listening(), {}), WriteError);
    fs::remove(archive.folder("out") / "part1");
    CHECK(archive.run("out").heard == 2);
    archive.run("fresh");
    CHECK(test::contents(archive.folder("out")) == test::contents(archive.folder("fresh")));
}

TEST_CASE("a model that fails fails its recordings, other exceptions end the batch", "[unit]") {
    class WrongModel : public fake::FakeModel {
        void run(std::span<const float>, std::span<float> probabilities) override {
            std::ranges::fill(probabilities, 2.0f);
        }
    };
    const Archive archive(2);
    auto how = listening();
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
            Batch(request).run(listening(), {});
        }
        const auto shards = batch::shardFoldersIn(archive.folder(name));
        REQUIRE(shards.size() == static_cast<std::size_t>(count));
        for (int again = 0; again < 2; ++again) {
            const auto summary = batch::mergeShards(shards, archive.folder("merged" + name));
            CHECK(summary.recordings == 8);
            CHECK(summary.failures.size() == 1);
            CHECK(test::contents(archive.folder("merged" + name)) == expected);
        }
        // The merged folder is a batch that can go on.
        CHECK(archive.run("merged" + name).heard == 1);
        CHECK(test::contents(archive.folder("merged" + name)) == expected);
    }
}

TEST_CASE("a merge says which shard is missing, unfinished or different", "[unit]") {
    const Archive archive(6);
    const auto shard = [&](int index, const auto& change) {
        auto request = archive.request("s");
        request.shard = batch::Shard{index, 3};
        change(request);
        Batch(request).run(listening(), {});
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
        Batch(request).run(listening(), [](const auto&) { return false; });
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
