// A model that `earshot evaluate` scores, and what it finds in the data. Main thread.
#pragma once

#include "Cli/Evaluate/EvaluateOptions.h"
#include "Cli/Evaluate/EvaluationData.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Evaluation/ModelOutput.h"
#include "Core/Model/ModelSource.h"
#include "Core/Training/Run/Validation.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// How the recordings of the data were used.
struct UsedRecordings {
    std::size_t annotated = 0;               // the data gives times for them
    std::size_t byEnvelope = 0;              // clips of one sound, timed by their energy envelope
    std::size_t untimed = 0;                 // without times; for average precision and clip accuracy only
    std::size_t unheard = 0;                 // could not be read
    std::map<int, std::size_t> moments = {}; // by class: annotated sounds of no length
};

class EvaluatedModel {
  public:
    EvaluatedModel(const EvaluateOptions& options, const model::ModelSource& model);

    std::string name() const { return weights_->file().filename().string(); }
    const std::filesystem::path& file() const { return weights_->file(); }
    std::string precision() const;
    const detection::Labels& labels() const { return labels_; }
    const evaluation::DetectorSettings& detector() const { return detector_; }
    training::Listener& listener() { return listener_; }

    // Scores these classes alone, and joins pauses below this many seconds, whatever the model's own rule.
    void scoreOnly(std::vector<int> classes, double mergeGap);
    // Runs the model over the recordings or scenes, after relating them to its classes. Stops when the user
    // interrupts. only: the places in data.recordings that another model could read, and whose problems are
    // known; null: all.
    void analyse(EvaluationData& data, const std::vector<std::size_t>* only = nullptr);
    // Those that were heard.
    const std::vector<std::size_t>& places() const { return places_; }
    // Chooses the thresholds by the options. Returns a description for people.
    std::string chooseThresholds();

    // The following are valid after that.
    const std::vector<float>& thresholds() const { return thresholds_; }
    // The model knows a sound in them, or the data says that there is none.
    const std::vector<evaluation::Scored>& recordings() const { return recordings_; }
    const std::vector<evaluation::Scored>& foreign() const { return foreign_; } // of unknown sounds
    const UsedRecordings& used() const { return used_; }
    evaluation::ModelOutput output() const;
    // The bound of the two steps, by these recordings; none: too few events. For --write-bound.
    std::optional<float> chooseBound() const;

  private:
    void chooseSebbs();
    void hearScenes(EvaluationData& data);
    void hearRecordings(const EvaluationData& data);
    void hearOne(const KnownRecording& known);
    std::vector<evaluation::Annotation> withinRecording(const KnownRecording& known, double duration);

    const EvaluateOptions& options_;
    std::shared_ptr<const model::Weights> weights_;
    detection::ListeningModel heard_;
    detection::Labels labels_;
    std::unique_ptr<detection::TokenModel> model_;
    training::Listener listener_;
    evaluation::DetectorSettings detector_;
    std::vector<float> thresholds_;
    std::vector<evaluation::Scored> recordings_, foreign_;
    std::vector<std::size_t> places_;
    UsedRecordings used_;
    bool again_ = false;
    // Hears the recordings in windows that do not overlap; null without --write-bound.
    std::unique_ptr<detection::TokenModel> lookingModel_;
    std::optional<training::Listener> looking_;
    std::vector<evaluation::Scored> looks_; // of recordings_
};

// Lists what the data could not give; --quiet, the errors alone. Returns how many recordings are not read.
std::size_t listProblems(const EvaluateOptions& options, const training::DataSet& set);

} // namespace earshot::cli
