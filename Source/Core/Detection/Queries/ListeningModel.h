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

// Texts to listen for.
struct TextChoice {
    std::vector<std::string> texts;  // "glass breaking", or with a name of its own "a dog barks=Dog"
    std::optional<std::string> file; // more of them, one a line
    // What stands for everything else: these compete with the texts, but are no classes.
    std::vector<std::string> rivals = {"silence", "background noise", "a sound"};
    bool plain = false; // takes texts as they are, without the authors' words (TextHalf::prompt)

    bool given() const { return file || !texts.empty(); }
};

// What is listened for in place of the model's classes: texts, or a file of vectors.
struct QueryChoice {
    TextChoice listen;
    std::optional<std::string> file;  // NPY, (queries, values)
    std::optional<std::string> names; // file of names; none: `file` with .txt or .csv in place of .npy
    std::optional<QueryScores> scores;

    bool given() const { return file || listen.given(); }
    QueryScores how() const { return scores.value_or(QueryScores::softmax); }
};

struct ListeningModel {
    std::shared_ptr<const model::Weights> weights;
    Labels labels;
    std::function<std::unique_ptr<TokenModel>()> makeTokenModel;
    PassShape shape; // of one pass of its token models
    // Identifies the queries in results: "none", or a digest and how they are scored. The digest is that of
    // texts with their prompts and rivals, or of a file's vectors and names.
    std::string queries = "none";

    double secondsPerToken() const;
};

// Returns the files that the queries may be read from, whether or not they exist.
std::vector<std::filesystem::path> filesOf(const QueryChoice& choice);

// Embeds texts with the text half in the model's file, on tensor::threadCount() threads. Throws
// earshot::Error if files cannot be read or do not belong together, or if the file has no text half.
ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice);

} // namespace earshot::detection
