// Recordings in a temporary folder, with batches over them beside it. Shared by the tests of batches.
#pragma once

#include "Core/Base/Database.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Merge.h"
#include "Core/Detection/FakeModels.h"
#include "Support/AudioMaker.h"
#include "Support/Folders.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace earshot::test {

// Hears loud and quiet.
template <typename Model = fake::LevelModel>
detection::Detector batchDetector() {
    detection::Detector detector;
    detector.makeAnalyzer = [](int) {
        return std::make_unique<detection::Analyzer>(std::make_unique<Model>(), frontend::LogMelSettings{},
                                                     detection::AnalyzerSettings{});
    };
    detector.modelRate = 32000.0;
    detector.how.events.rule.on = 0.4f;
    detector.how.events.rule.off = 0.35f;
    detector.labels = {"Loud", "Quiet, or none"};
    detector.minHz = 50.0;
    detector.maxHz = 14000.0;
    return detector;
}

inline batch::BatchSummary runBatch(const batch::BatchRequest& request) {
    return batch::Batch(request).run(batchDetector(), {});
}

class BatchArchive {
  public:
    explicit BatchArchive(int recordings) {
        for (int i = 0; i < recordings; ++i) add(i);
    }

    // "part0/0.wav", "part1/1.wav", "part0/2.wav" and so on.
    void add(int i) const {
        const auto file = in() / ("part" + std::to_string(i % 2)) / (std::to_string(i) + ".wav");
        std::filesystem::create_directories(file.parent_path());
        auto samples =
            noise(static_cast<std::size_t>(16000 * (1 + i % 4)), static_cast<std::uint32_t>(i + 1));
        std::fill_n(samples.begin(), samples.size() / 3, 0.0f);
        writeAudio(file, AudioFormat::wavPcm16, 32000, 1, samples);
    }
    void addBad() const { writeBytes(in() / "bad.wav", "a shopping list"); }

    std::filesystem::path in() const { return folder_ / "in"; }
    std::filesystem::path folder(const std::string& name) const { return folder_ / name; }
    std::map<std::string, std::string> contents(const std::string& name) const {
        return test::contents(folder(name));
    }
    // Says how one folder differs from another; empty if it does not.
    std::string changes(const std::string& name, const std::string& expected) const {
        return test::changes(contents(name), contents(expected));
    }

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
    batch::BatchRequest shard(const std::string& name, int index, int count) const {
        auto part = request(name);
        part.shard = batch::Shard{index, count};
        return part;
    }

    batch::BatchSummary run(const std::string& name) const { return runBatch(request(name)); }
    void runShards(const std::string& name, int count) const {
        for (int index = 0; index < count; ++index) runBatch(shard(name, index, count));
    }
    batch::MergeSummary merge(const std::string& shards, const std::string& to) const {
        return batch::mergeShards(batch::shardFoldersIn(folder(shards)), folder(to));
    }
    void editJournal(const std::string& name, const std::string& sql) const {
        Database(batch::Journal::fileIn(folder(name))).execute(sql);
    }

  private:
    TemporaryDirectory folder_;
};

} // namespace earshot::test
