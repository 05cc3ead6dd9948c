// The options of `earshot train`. Main thread.
#pragma once

#include "Cli/Options.h"
#include "Core/Training/Run/RunSettings.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

struct TrainOptions {
    std::vector<std::string> data;
    std::string labelColumn;                                     // of tables; empty: found
    audio::ReadOptions recordings;                               // how they are read
    std::vector<std::string> distractors, only, withoutLicences; // (comma-separated lists)
    int validPercent = 20;
    int minClips = 4;

    std::string output;
    bool overwrite = false;
    bool resume = false;
    std::string licence;
    training::Storage storage = training::Storage::float16;

    std::optional<std::string> from;
    model::ReadingChoice reading; // of it
    std::optional<std::string> freeze;
    std::optional<double> unfreezeOver;
    int width = 40;
    std::vector<int> depths = {2, 2, 4, 2};
    std::vector<int> heads = {2, 4, 8, 16};
    model::BlockKind blocks = model::BlockKind::v1;
    std::vector<int> fineHead; // width and layers, or empty

    // Unset options take the defaults of the kind of training: a new network, with --from, or a frozen
    // encoder.
    std::optional<int> epochs, scenesPerEpoch, validScenes, validateEvery, batch;
    std::optional<double> rate, average;
    std::optional<double> minutes;
    double warmUp = 0.05; // share of the steps
    double weightDecay = 0.05;
    double clip = 1.0;
    double dropPath = 0.1;
    double labelSmoothing = 0.0;
    double newestWeight = 1.0, positiveWeight = 1.0;
    double mixup = 0.0;
    double mixupAlpha = 0.5;
    SceneOptions scenes;
    double filterRange = 6.0; // dB
    double variation = 1.0, lateOnsets = 0.0, cleanClips = 0.0;
    std::optional<std::string> softLabels, embeddings; // tables of a teacher
    double softShare = 0.5, unlabelledShare = 0.25, embeddingWeight = 1.0;
    std::string teacher;
    std::uint64_t seed = 1;
    int threads = 1;
    std::string arithmetic = "auto";
    bool quiet = false;
};

void addTrainOptions(CLI::App& command, TrainOptions& options);

// Returns the settings of the run. Throws UsageError if options contradict one another.
training::RunSettings runSettings(const TrainOptions& options);

} // namespace earshot::cli
