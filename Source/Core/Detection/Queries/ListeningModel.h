// The model that the detector uses: a model and its classes, or a CLAP model and the queries that replace
// them (Queries.h), read from files. Immutable once made: any thread.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Queries/Queries.h"
#include "Core/Detection/Queries/TextVectors.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Weights.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::detection {

// A text to listen for, and the name of its class.
struct TextPrompt {
    std::string text, name;
    int id = 0; // of a word whose notes have a number of their own (Labels::key): 1 or more

    bool operator==(const TextPrompt&) const = default;
};

// "glass breaking", or with a name of its own "a dog barks=Dog"; blanks around either do not count. Throws
// earshot::Error if either is empty.
TextPrompt parseTextPrompt(const std::string& given);

// Texts to listen for.
struct TextChoice {
    std::vector<TextPrompt> texts;
    std::optional<std::string> file; // more of them, one a line, as parseTextPrompt() reads them
    // What stands for everything else: these compete with the texts, but are no classes.
    std::vector<std::string> negatives = {"silence", "background noise", "a sound"};
    bool plain = false; // takes texts as they are, without the authors' words (TextHalf::prompt)
    // Called while texts are embedded, with the share that is done, 0 to 1. It may throw, which ends that.
    std::function<void(double share)> progress = {};
    // Vectors that are known, and to which new ones are added, of texts that are not `plain`. With them,
    // texts may come and go: a text that cannot be embedded is left out, with a notice, and a model that is
    // no CLAP model has its own classes alone. A CLAP model that can embed texts is ready for the first one,
    // and its columns hold its own classes too. None: these are errors.
    std::shared_ptr<TextVectors> known;

    bool given() const { return file || !texts.empty(); }
};

// What is listened for in place of the model's classes: texts, or a file of vectors.
struct QueryChoice {
    TextChoice listen;
    std::optional<std::string> file;  // NPY, (queries, values)
    std::optional<std::string> names; // file of names; none: `file` with .txt or .csv in place of .npy
    std::optional<QueryScores> scores;
    std::optional<QueryTimes> times;
    bool joins = false; // beside the model's classes

    bool given() const { return file || listen.given(); }
    QueryListening how() const {
        return {.scores = scores.value_or(QueryScores::softmax),
                .times = times.value_or(QueryListening().times),
                .joins = joins,
                .keepsClasses = listen.known != nullptr};
    }
};

// Whether texts can be listened for with a model's file.
struct TextSupport {
    bool possible = false;
    std::string hint;  // what is missing, and what to do; empty if it is possible
    std::string space; // of the model's vectors (ClapProjectionWeights::digest); empty: it has none
};
TextSupport textSupport(const model::Weights& weights, const StopToken& stop = {});

struct ListeningModel {
    std::shared_ptr<const model::Weights> weights;
    Labels labels;
    std::function<std::unique_ptr<TokenModel>()> makeTokenModel;
    std::shared_ptr<const ColumnScorer> scorer; // of its token models; null: no queries
    PassShape shape;                            // of one pass of its token models
    // Where the token models are ready for queries, but have none yet: makes one that is not, as without
    // TextChoice::known. Null otherwise.
    std::function<std::unique_ptr<TokenModel>()> makePlainModel = {};
    // Identifies the queries in results: "none", or a digest and how they are scored. The digest is that of
    // texts with their prompts and rivals, or of a file's vectors and names.
    std::string queries = "none";
    std::string notice = {}; // which texts are not listened for, and why; usually empty
    // How many texts were embedded just now of which the model takes the beginning alone: they are too long.
    std::size_t cutTexts = 0;

    double secondsPerToken() const;
};

// Returns the files that the queries may be read from, whether or not they exist.
std::vector<std::filesystem::path> filesOf(const QueryChoice& choice);

// Embeds texts with the text half in the model's file, on tensor::threadCount() threads. Their vectors are
// rounded to float16, as projects keep them, so that all programs give the same scores. Throws
// earshot::Error if files cannot be read or do not belong together, or if the file has no text half; Stopped
// after a stop request.
ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice, const StopToken& stop = {});

} // namespace earshot::detection
