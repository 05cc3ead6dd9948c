// The model that the detector uses: a model and its classes, or a CLAP model and the queries that replace
// them (Queries.h), read from files. Immutable once made: any thread.
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

namespace earshot::detection {

// The files of queries, and how they are scored. Without `file` the model's own classes are used.
struct QueryChoice {
    std::optional<std::string> file;  // NPY, (queries, values)
    std::optional<std::string> names; // file of names; none: `file` with .txt or .csv in place of .npy
    std::optional<QueryScores> scores;

    QueryScores how() const { return scores.value_or(QueryScores::softmax); }
};

struct ListeningModel {
    std::shared_ptr<const model::Weights> weights;
    Labels labels;
    std::function<std::unique_ptr<TokenModel>()> makeTokenModel;
    PassShape shape; // of one pass of its token models
    // Identifies the queries in results: "none", or the queries' digest and how they are scored.
    std::string queries = "none";

    double secondsPerToken() const;
};

// Returns the files that the queries may be read from, whether or not they exist.
std::vector<std::filesystem::path> filesOf(const QueryChoice& choice);

// Throws earshot::Error if files cannot be read or do not belong together.
ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice);

} // namespace earshot::detection
