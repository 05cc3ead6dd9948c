// The recordings that `earshot evaluate` listens to, and what is known of each in the model's classes. Main
// thread.
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

// How it is known when the sounds of a recording begin and end.
enum class Timing {
    annotated, // the data says so
    envelope,  // a clip of one sound: where its energy is
    unknown,   // several sounds, no times: only that they are in it
};

struct KnownRecording {
    std::filesystem::path file;
    Timing timing = Timing::unknown;
    std::vector<evaluation::Annotation> annotations; // Timing::annotated: the model's classes alone
    std::vector<int> labels;                         // the model's classes in it, ascending
    // Nothing in it that the model knows: good for false alarms alone.
    bool foreign() const { return timing != Timing::annotated && labels.empty(); }
};

struct EvaluationData {
    training::DataSet set;            // the chosen part alone; every clip of it in Split::valid
    std::vector<int> classOf;         // by label of the set: the model's class, or -1
    std::vector<std::string> unknown; // labels that the model does not know
    std::vector<std::string> absent;  // the model's classes that are not in the data
    std::string part;                 // "valid", "train" or "all"
    std::vector<KnownRecording> recordings;
};

// The chosen part: `set` and `part`. Throws earshot::Error when there is nothing to listen to.
EvaluationData readEvaluationData(const EvaluateOptions& options);
// Adds what the model knows of it. Throws earshot::Error when that is no label at all.
void relateTo(const detection::Labels& labels, EvaluationData& data);

// Clips of sounds that the model does not know become sounds of no class, to mix scenes with.
void makeDistractors(EvaluationData& data);

// Where a clip of one sound sounds, by its energy envelope (training::activityOf). Empty for recordings that
// are silent, or longer than ten minutes: no clips. Throws earshot::Error when it cannot be read.
std::vector<evaluation::Annotation> timedByEnvelope(const std::filesystem::path& file, int label);

} // namespace earshot::cli
