// The recordings of `earshot evaluate`, with their labels as classes of the model. Main thread.
#pragma once

#include "Cli/Evaluate/EvaluateOptions.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Evaluation/Recording.h"
#include "Core/Training/Data/DataSet.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// How onsets and offsets of a recording are known.
enum class Timing {
    annotated, // from the data
    envelope,  // a clip of one sound: from its energy envelope
    unknown,   // several sounds without times: only the classes are known
};

struct KnownRecording {
    std::filesystem::path file;
    Timing timing = Timing::unknown;
    std::vector<evaluation::Annotation> annotations; // Timing::annotated: of the model's classes alone
    std::vector<int> labels;                         // its classes in the model, ascending
    // True if it holds nothing that the model knows: it only shows false alarms.
    bool foreign() const { return timing != Timing::annotated && labels.empty(); }
};

struct EvaluationData {
    training::DataSet set;            // the chosen part alone; every clip is in Split::valid
    std::vector<int> classOf;         // by label of the set: the class of the model, or -1
    std::vector<std::string> unknown; // labels without a class of the model
    std::vector<std::string> absent;  // classes of the model that the data lack
    std::string part;                 // "valid", "train" or "all"
    std::vector<KnownRecording> recordings;
};

// Chooses the part: `set` and `part`. Throws earshot::Error if it is empty.
EvaluationData readEvaluationData(const EvaluateOptions& options);
// Adds the model's classes. Throws earshot::Error if the model knows no label.
void relateTo(const detection::Labels& labels, EvaluationData& data);

// Turns clips of unknown sounds into sounds of no class, for mixing scenes.
void makeDistractors(EvaluationData& data);

// The stretches in which a clip of one sound sounds, by its energy envelope (training::activityOf). Empty for
// recordings that are silent or longer than ten minutes. Throws earshot::Error when the file cannot be read.
std::vector<evaluation::Annotation> timedByEnvelope(const std::filesystem::path& file, int label);

} // namespace earshot::cli
