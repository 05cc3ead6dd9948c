// Scores a finished model. Thresholds, rules and boxes (BoxFit) are chosen on validation scenes and
// recordings, scores are taken on others, and false alarms on noise. It uses the product's own analyzer and
// the written model file.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Events/Labels.h"
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
    std::vector<float> thresholds;                     // one for each class
    detection::AuthorRules rules;                      // for all classes
    evaluation::Scores scores;                         // with these thresholds
    std::shared_ptr<const detection::BoxScorer> boxes; // null: there was too little to learn from
    std::optional<evaluation::Scores> boxScores;       // with them, at their least confidence
    double noiseAlarmsPerHour = 0.0;    // detections in noise, hum and silence, with the thresholds;
    double boxNoiseAlarmsPerHour = 0.0; // and as boxes;
    // detections of these classes are no alarms, because noise may be what they name
    std::vector<int> notAlarms;
    double noiseHours = 0.0;
};

struct ScoringTask {
    std::filesystem::path model;
    const SceneMixer* scenes = nullptr;      // or null: none
    const SceneMixer* clearScenes = nullptr; // every second scene that chooses is one of these; null: none
    std::size_t choosing = 0; // scenes 0 to choosing - 1 choose thresholds and rules, and teach boxes;
    std::size_t count = 0;    // the next `count` are scored
    const ClipStore* store = nullptr; // its validation recordings (ClipRoles.h) choose and are scored in turn
    double noiseHours = 0.0;
    std::vector<int> noiseClasses; // classes that may name noise
    int threads = 1;
    std::uint64_t seed = 1;
};

// Calls progress(done, total), in recordings, on the calling thread. If it returns false, nothing is scored.
std::optional<FinalScores> scoreModel(const ScoringTask& task,
                                      const std::function<bool(std::size_t, std::size_t)>& progress);

} // namespace earshot::training
