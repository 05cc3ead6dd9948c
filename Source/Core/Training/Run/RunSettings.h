// The settings of a training run, the places of its files, and its progress reports. Plain values.
#pragma once

#include "Core/Evaluation/Scores.h"
#include "Core/Training/Data/DataSet.h"
#include "Core/Training/Data/SceneSettings.h"
#include "Core/Training/Data/TeacherTable.h"
#include "Core/Training/Network/Learner.h"
#include "Core/Training/Run/TrainingLog.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace earshot::training {

// The size of a fine head (Model/Network/FineHead.h).
struct FineHeadSize {
    int width = 0, layers = 0;

    void applyTo(model::Config& config) const {
        config.head = model::HeadKind::fine;
        config.headWidth = width;
        config.headLayers = layers;
    }
};

struct RunSettings {
    DataChoice data;
    TeacherFiles teacher;
    std::string teacherName; // of whoever made the tables, for the card: name, licence
    SceneSettings scenes;    // for training; validation scenes are the same for every run: SceneSettings{}
    float variation = 1.0f;  // of the training scenes, as SceneSettings::vary() takes it
    std::filesystem::path output; // the model; all other files lie beside it (RunFiles)
    bool overwrite = false;
    bool resume = false;

    std::optional<model::ModelSource> from; // a model to start from
    bool freezeEncoder = false;             // train the head alone
    double unfreezeOver = 0.0;              // share of the steps after which the whole network trains
    model::Config network;                  // if there is no `from`; its classes follow from the data
    std::optional<FineHeadSize> fineHead;   // if there is a `from`: takes the place of its head

    int epochs = 40;
    int scenesPerEpoch = 2000;
    std::optional<double> minutes; // sets `epochs` by the speed of the first steps
    int validScenes = 200;
    int validateEvery = 1; // epochs
    double warmUpShare = 0.05;
    TrainerSettings trainer; // the run itself sets steps, warmUp and unfreezeAt
    Storage storage = Storage::float16;

    std::string licence;     // of the weights, for the metadata and the card
    std::string commandLine; // for the card
};

struct RunFiles {
    explicit RunFiles(const std::filesystem::path& model);

    std::filesystem::path model;
    std::filesystem::path log;        // NAME.csv
    std::filesystem::path curves;     // NAME.svg
    std::filesystem::path card;       // NAME.md
    std::filesystem::path problems;   // NAME.problems.txt, written if there are problems
    std::filesystem::path checkpoint; // NAME.training.safetensors
};

enum class RunPhase { reading, listening, measuring, training, validating, scoring };

struct RunProgress {
    RunPhase phase = RunPhase::reading;
    std::int64_t done = 0, total = 0; // clips, scenes or steps
    int epoch = 0, epochs = 0;        // training: from 1
    double loss = 0.0;                // mean of the last steps
    double examplesPerSecond = 0.0;
    std::optional<double> secondsLeft; // of the training
};

// Called on the thread of the run.
struct RunObserver {
    std::function<void(const std::string&)> note; // a line
    std::function<void(const RunProgress&)> progress;
    std::function<void(const LogRow&, int epochs)> epochDone;
    std::function<bool()> stopped; // called between steps
};

struct RunResult {
    bool stopped = false; // by the observer; the checkpoint allows to go on
    int epochs = 0;
    double seconds = 0.0;
    std::optional<evaluation::Scores> scores; // of the finished model
};

} // namespace earshot::training
