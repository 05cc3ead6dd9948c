// How a finished model does: thresholds chosen and boxes learnt (BoxFit) on validation scenes and recordings,
// scores on others, false alarms on noise. Through the product's own analyzer and the model file as it was
// written.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Core/Evaluation/Scores.h"
#include "Core/Training/Scenes/SceneMixer.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::training {

struct FinalScores {
    std::vector<float> thresholds;                     // one per class
    evaluation::Scores scores;                         // with them
    std::shared_ptr<const detection::BoxScorer> boxes; // null: too little to learn them from
    std::optional<evaluation::Scores> boxScores;       // with them, at their least confidence
    double noiseAlarmsPerHour = 0.0;    // detections in noise, hum and silence, with the thresholds;
    double boxNoiseAlarmsPerHour = 0.0; // and as boxes;
    std::vector<int> notAlarms;         // not of these classes: noise is what they name
    double noiseHours = 0.0;
};

struct ScoringTask {
    std::filesystem::path model;
    const SceneMixer* scenes = nullptr; // or null: none
    std::size_t choosing = 0;           // scenes 0 to choosing - 1 choose thresholds and teach boxes,
    std::size_t count = 0;              // the next `count` are scored
    const ClipStore* store =
        nullptr; // its validation recordings (ClipRoles.h) do the one and the other in turn
    double noiseHours = 0.0;
    std::vector<int> noiseClasses; // that noise may be taken for
    int threads = 1;
    std::uint64_t seed = 1;
};

// progress(done, total): recordings; on the calling thread.
FinalScores scoreModel(const ScoringTask& task,
                       const std::function<void(std::size_t, std::size_t)>& progress);

} // namespace earshot::training
