// The recordings that `earshot evaluate` analyses, and their annotations and labels as classes of the model.
// Main thread.
#pragma once

#include "Cli/Evaluate/EvaluateOptions.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Evaluation/Recording.h"
#include "Core/Training/Data/DataSet.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// The source of the onsets and offsets in a recording.
enum class Timing {
    annotated, // the data gives times
    envelope,  // a clip of one sound, timed by its energy
    unknown,   // several sounds without times
};

struct KnownRecording {
    std::filesystem::path file;
    audio::ReadOptions reading;
    Timing timing = Timing::unknown;
    std::vector<evaluation::Annotation> annotations; // with Timing::annotated; classes of the model only
    std::vector<int> labels;                         // classes of the model, ascending
    // Whether the recording holds no sound that the model knows. It then serves average precision, and to
    // count false alarms.
    bool foreign() const { return timing != Timing::annotated && labels.empty(); }
};

struct EvaluationData {
    training::DataSet set;            // the chosen part only; every clip is in Split::valid
    std::vector<int> classOf;         // for each label of the set: the model's class, or -1
    std::vector<std::size_t> sources; // for each class of the model: how many the data has
    std::vector<std::string> unknown; // labels that the model does not know
    std::vector<std::string> absent;  // classes of the model that the data lacks
    std::string part;                 // "valid", "train" or "all"
    std::vector<KnownRecording> recordings;
};

// Reads the chosen part into `set` and `part`. If the data name no split, the clips are drawn as the model's
// training drew them. Throws earshot::Error if the part has no recordings.
EvaluationData readEvaluationData(const EvaluateOptions& options, const std::filesystem::path& model);
// Fills the rest by mapping the data's labels to the model's classes. scored: the classes that are; none:
// all. Throws earshot::Error if the model knows none of the labels, unless the data says of each recording
// that it holds no sound.
void relateTo(const detection::Labels& labels, EvaluationData& data, const std::vector<int>& scored = {});

// Turns clips of sounds that the model does not know into sounds of no class, for scenes. Clips that mix both
// are left out.
void makeDistractors(EvaluationData& data);

// Returns the times at which a clip of one sound is active, by its energy envelope (training::activityOf).
// Returns none for recordings that are silent or longer than ten minutes, which are no clips. Throws
// earshot::Error if it cannot be read.
std::vector<evaluation::Annotation> timedByEnvelope(const KnownRecording& recording);

} // namespace earshot::cli
