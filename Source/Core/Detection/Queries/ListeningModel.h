// A model with its classes, or a CLAP model with queries as classes (Queries.h), read from files. Immutable
// once made: any thread.
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

// The files of queries and the way to score them. Without `file`, the model's own classes are used.
struct QueryChoice {
    std::optional<std::string> file;  // NPY, (queries, values)
    std::optional<std::string> names; // else FILE with .txt or .csv for .npy
    std::optional<QueryScores> scores;

    QueryScores how() const { return scores.value_or(QueryScores::softmax); }
};

struct ListeningModel {
    std::shared_ptr<const model::Weights> weights;
    Labels labels;
    std::function<std::unique_ptr<TokenModel>()> makeTokenModel;
    PassShape shape; // of its passes
    // The part of the settings that results depend on besides the model: "none", or the queries' digest and
    // their score.
    std::string queries = "none";

    double secondsPerToken() const;
};

// The files from which queries may be read, whether or not they exist.
std::vector<std::filesystem::path> filesOf(const QueryChoice& choice);

// Throws earshot::Error when files cannot be read or do not belong together.
ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice);

} // namespace earshot::detection
