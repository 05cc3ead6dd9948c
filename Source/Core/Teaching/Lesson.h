// Teaches new sounds to a model from a few examples of each. The examples are mixed into scenes, with other
// sounds and noise; the network hears them once; a row of the head's last layer is fitted for each new sound
// (ClassRow). What the model knew before stays as it was, to the bit (TaughtModel).
//
// LessonClips chooses among the examples and adds other sounds.
// One thread at a time; the lesson has a pool of its own.
#pragma once

#include "Core/Teaching/TaughtModel.h"
#include "Core/Training/Data/DataSet.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::teaching {

// How a row is made (ClassRow.h). Trained ones are the better ones (Tests/Benchmark/few_examples.py).
enum class RowKind { trained, prototype };

struct LessonSettings {
    model::ModelSource model; // a taught one is taught anew, as it was before
    RowKind rows = RowKind::trained;
    int threads = 1;
    double scenes = 1.0; // of the usual number: fewer take less time and tell less well
    std::uint64_t seed = 1;
    // The table of other sounds; empty: that of Models/others. A lesson without it hears noise alone.
    std::filesystem::path others;
    // Called on the lesson's thread with what is done, 0 to 1. If it returns false, the lesson throws
    // earshot::Error "stopped".
    std::function<bool(double)> progress;
};

// How reliably a sound is found in examples that its row was not fitted to.
struct Reliability {
    double found = 0.0;              // share of the times it sounds
    double falseAlarmsPerHour = 0.0; // among other sounds and noise
};

struct LearntSound {
    std::string label; // of its examples
    std::string name;  // of its class: the label, or another if the model knows a class of that name
    int examples = 0;  // files or stretches
    int sources = 0;   // groups (training::Clip::group)
    double seconds = 0.0;
    std::optional<Reliability> reliability;
    std::vector<std::string> alsoDetected; // the model's sounds that its examples are detected as, too
};

// Fewer sources are too few to judge a sound by.
inline constexpr int minSources = 3;

class Lesson {
  public:
    // examples: with a label for each new sound; clips without one are sounds that are none of them. Its
    // splits do not count. Decodes and hears everything. Throws earshot::Error if there is nothing to learn
    // from, and for models that cannot be taught.
    Lesson(training::DataSet examples, const LessonSettings& settings);
    ~Lesson();
    Lesson(const Lesson&) = delete;
    Lesson& operator=(const Lesson&) = delete;

    const std::string& modelName() const; // of the model before anything was taught
    // Files that were left out.
    const std::vector<training::Problem>& problems() const;
    // As LessonClips::limits.
    const std::vector<std::string>& limits() const;
    // Fits the rows and writes the model. identity: see TaughtNote::examples.
    void write(const std::filesystem::path& model, const std::string& identity);
    // Judges by at most five folds over sources. Takes some seconds for ten sounds.
    std::vector<LearntSound> judge();
    // The model's card: its sounds, their examples and licences. judged: of judge(); empty before.
    std::string card(const std::filesystem::path& model, const std::vector<LearntSound>& judged) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::teaching
