// What a batch does when recordings cannot be read, results not written, or the model fails.
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Core/Detection/FakeModels.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

TEST_CASE("what cannot be read is listed and tried again, the rest is done", "[unit]") {
    const test::BatchArchive archive(3);
    archive.addBad();
    const auto first = archive.run("out");
    CHECK(first.done == 4);
    CHECK(first.tried == 4);
    CHECK(first.heard == 3);
    REQUIRE(first.failures.size() == 1);
    CHECK(first.failures[0].name == "bad.wav");
    const auto files = archive.contents("out");
    CHECK_THAT(files.at("failed.csv"),
               Catch::Matchers::StartsWith("file,error\n") && ContainsSubstring("bad.wav"));
    CHECK(files.count("bad.wav.csv") == 0);
    CHECK(archive.run("out").tried == 1);

    test::writeAudio(archive.in() / "bad.wav", test::AudioFormat::wavPcm16, 32000, 1, test::noise(32000, 1));
    CHECK(archive.run("out").failures.empty());
    CHECK_FALSE(fs::exists(archive.folder("out") / "failed.csv"));
    CHECK(fs::exists(archive.folder("out") / "bad.wav.csv"));

    // And back: its old results would be a lie.
    test::writeBytes(archive.in() / "bad.wav", "a shopping list again");
    archive.run("out");
    CHECK_FALSE(fs::exists(archive.folder("out") / "bad.wav.csv"));
}

TEST_CASE("results that cannot be written fail their recordings alone", "[unit]") {
    const test::BatchArchive archive(4);
    // A file where a folder has to be.
    fs::create_directories(archive.folder("out"));
    test::writeBytes(archive.folder("out") / "part1", "in the way");
    auto request = archive.request("out");
    request.jobs = 1;
    const auto summary = test::runBatch(request);
    REQUIRE(summary.failures.size() == 2);
    CHECK(summary.failures[0].name == "part1/1.wav");
    CHECK_FALSE(summary.failures[0].unreachable);
    CHECK_THAT(summary.failures[0].message,
               ContainsSubstring("out/part1") && ContainsSubstring("cannot be written"));
    CHECK(test::readBytes(archive.folder("out/part1")) == "in the way");
    fs::remove(archive.folder("out") / "part1");
    CHECK(archive.run("out").heard == 2);
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
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
    const test::BatchArchive archive(4);
    auto request = archive.request("out");
    request.jobs = 1;
    request.outputs.push_back(std::make_shared<FullKind>());
    CHECK_THROWS_WITH(test::runBatch(request), ContainsSubstring("make room"));
    CHECK(Batch(request).alreadyDone() == 1);
    CHECK_FALSE(fs::exists(archive.folder("out/part1/1.wav.csv")));
}

TEST_CASE("a model that fails fails its recordings, other exceptions end the batch", "[unit]") {
    class WrongModel : public fake::FakeModel {
        void run(std::span<const float>, std::span<float> probabilities) override {
            std::ranges::fill(probabilities, 2.0f);
        }
    };
    const test::BatchArchive archive(2);
    auto how = test::batchDetector<WrongModel>();
    const auto summary = Batch(archive.request("out")).run(how, {});
    REQUIRE(summary.failures.size() == 2);
    CHECK_THAT(summary.failures[0].message, ContainsSubstring("no probabilities"));
    how.makeAnalyzer = [](int) -> std::unique_ptr<detection::Analyzer> { throw std::bad_alloc(); };
    CHECK_THROWS_AS(Batch(archive.request("out")).run(how, {}), std::bad_alloc);
    CHECK(archive.run("out").heard == 2);
}
