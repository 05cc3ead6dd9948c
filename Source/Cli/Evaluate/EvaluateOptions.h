// The options of `earshot evaluate`. The command line fills them; everything else reads them.
#pragma once

#include "Cli/EventChoice.h"
#include "Cli/Options.h"
#include "Cli/QueryOptions.h"
#include "Core/Model/Precision/Precision.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

enum class DataPart { automatic, train, valid, all };

enum class ResultFormat { table, csv, json };

struct EvaluateOptions {
    ModelOptions model;
    std::vector<std::string> data; // folders or tables of labels
    std::string labelColumn;       // of tables; empty: found
    audio::ReadOptions reading;    // of the recordings
    DataPart part = DataPart::automatic;
    std::string thresholds = "model"; // "model", "best" or a probability
    ConfidenceOption confidence;      // replaces thresholds
    ShapingOptions shaping;           // as for analyze; annotations are joined by the same gap
    std::optional<double> hop;        // seconds
    int scenes = 0;
    double sceneSeconds = 30.0;
    SceneOptions sceneOptions;
    std::uint64_t seed = 1;
    QueryOptions queries;
    double noiseHours = 0.0;
    bool sweep = false;
    int bootstrap = 0;                  // draws; 0: no intervals
    std::optional<std::string> against; // another model's file
    ResultFormat format = ResultFormat::table;
    std::optional<std::string> writeBound; // a copy of the model with a bound for two steps
    std::optional<std::string> output;
    bool overwrite = false;
    int threads = 1;
    model::Precision precision = model::Precision::automatic;
    bool quiet = false;
};

// `options` must outlive the parsing.
void addEvaluateOptions(CLI::App& command, EvaluateOptions& options);

} // namespace earshot::cli
