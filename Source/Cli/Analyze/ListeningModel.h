// What `earshot analyze` listens with: a model and its classes, or a CLAP model and the queries that take
// their place (Detection/Queries/Queries.h). Immutable once made: any thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Queries/Queries.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Weights.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace earshot::cli {

struct QueryOptions {
    std::optional<std::string> file;  // NPY, (queries, values)
    std::optional<std::string> names; // else FILE with .txt or .csv for .npy
    std::optional<detection::QueryScores> scores;

    detection::QueryScores how() const { return scores.value_or(detection::QueryScores::softmax); }
};
void declareQueryOptions(CLI::App& command, QueryOptions& options);

struct ListeningModel {
    std::shared_ptr<const model::Weights> weights;
    detection::Labels labels;
    std::function<std::unique_ptr<detection::TokenModel>()> makeTokenModel;
    detection::PassShape shape; // of its passes
    // What results depend on beside the model: "none", or the queries' digest and how they are scored.
    std::string queries = "none";

    double secondsPerToken() const;
};

// The files that the queries may be read from, whether or not they are there.
std::vector<std::filesystem::path> filesOf(const QueryOptions& options);

// Throws UsageError for options that need --queries; before anything is loaded.
void checkUsage(const QueryOptions& options);
// Throws earshot::Error when files cannot be read or do not belong together.
ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryOptions& options);

} // namespace earshot::cli
