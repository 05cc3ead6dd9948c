// Scores a finished model. Thresholds, rules and boxes (SebbFit) are chosen on validation scenes and
// recordings, scores are taken on others, and false alarms on noise. It uses the product's own analyzer and
// the written model file.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Evaluation/Recording.h"
#include "Core/Evaluation/Scores.h"
#include "Core/Training/Scenes/SceneMixer.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

struct FinalScores {
    std::vector<float> thresholds;                      // one for each class
    detection::AuthorRules rules;                       // for all classes
    evaluation::Scores scores;                          // with these thresholds
    std::shared_ptr<const detection::SebbScorer> sebbs; // null: there was too little to learn from
    std::optional<evaluation::Scores> boxScores;        // with them, at their least confidence
    // of the two steps (Detection/Windows/CoarseBound.h), with these thresholds; none: too few events
    std::optional<float> coarseBound;
    double noiseAlarmsPerHour = 0.0;    // detections in noise, hum and silence, with the thresholds;
    double boxNoiseAlarmsPerHour = 0.0; // and as boxes;
    // detections of these classes are no alarms, because noise may be what they name
    std::vector<int> notAlarms;
    double noiseHours = 0.0;

    // Of rules, boxes and bound, as a model's file has them.
    std::map<std::string, std::string> metadata() const;
};

struct ScoringTask {
    std::filesystem::path model;
    const SceneMixer* scenes = nullptr;      // or null: none
    const SceneMixer* clearScenes = nullptr; // every second scene that chooses is one of these; null: none
    const SceneMixer* longScenes = nullptr;  // of some windows each, for the bound; null: none is chosen
    std::size_t longCount = 0;
    std::size_t choosing = 0; // scenes 0 to choosing - 1 choose thresholds and rules, and teach boxes;
    std::size_t count = 0;    // the next `count` are scored
    const ClipStore* store = nullptr; // its validation recordings (ClipRoles.h) choose and are scored in turn
    double noiseHours = 0.0;
    std::vector<int> noiseClasses; // classes that may name noise
    int threads = 1;
    std::uint64_t seed = 1;
};

// Chooses the bound of a model by what it says of the same recordings with every window (full) and with
// windows that do not overlap (looks). thresholds: of the classes. None: too few events.
std::optional<float> chooseBound(std::span<const evaluation::Scored> full,
                                 std::span<const evaluation::Scored> looks, std::span<const float> thresholds,
                                 const evaluation::DetectorSettings& detector);

// Calls progress(done, total), in recordings, on the calling thread. If it returns false, nothing is scored.
std::optional<FinalScores> scoreModel(const ScoringTask& task,
                                      const std::function<bool(std::size_t, std::size_t)>& progress);

} // namespace earshot::training
