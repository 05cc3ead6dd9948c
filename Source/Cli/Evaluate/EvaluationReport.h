// The results of `earshot evaluate` and the documents that show them. Pure functions: any thread.
#pragma once

#include "Cli/Evaluate/EvaluatedModel.h"
#include "Core/Evaluation/Resampling.h"
#include "Core/Evaluation/Scores.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// Detections in recordings without any sound of the model: each one is a false alarm.
struct FalseAlarms {
    std::string what; // "white noise", "clips of other sounds"
    std::size_t recordings = 0;
    double seconds = 0.0;
    std::int64_t alarms = 0;
    std::int64_t fitting = 0; // alarms of classes that the noise may rightly be called ("Noise", "Hum")
    std::string mostOften;    // label of the class with the most alarms, or empty

    double perHour() const { return perHour(alarms); }
    double perHour(std::int64_t count) const {
        return seconds > 0.0 ? static_cast<double>(count) * 3600.0 / seconds : 0.0;
    }
};

// The other model of --against.
struct ComparedModel {
    std::string model;      // its file
    std::string precision;  // "bfloat16"
    std::string thresholds; // for people
    std::size_t sounds = 0; // that both models know, which alone are scored
};

struct EvaluationReport {
    std::string model;     // its file
    std::string precision; // "bfloat16"
    std::vector<std::string> labels;
    std::string data; // "clips/manifest.csv, valid"; empty for noise alone
    bool scenes = false;
    // Scored recordings: the model knows a sound in them, or the data says that there is none
    std::size_t recordings = 0;
    double seconds = 0.0; // length of these recordings
    UsedRecordings used;
    bool complete = true; // false: stopped by the user

    double mergeGap = 0.0;            // seconds; shorter pauses are part of a sound, annotated or detected
    std::vector<std::size_t> sources; // by class: how many independent ones the data has
    std::vector<std::string> unknown; // labels that the model does not know
    std::vector<std::string> absent;  // classes of the model that the data lacks
    std::string thresholds;           // for people: "the model's own"

    // Whether events and segments have scores.
    bool timed() const { return used.annotated + used.byEnvelope > 0; }
    evaluation::Scores scores;
    std::optional<evaluation::ClipAccuracy> byPeak, byMean; // set if there are clips of one sound
    std::vector<evaluation::SweepPoint> sweep;
    std::vector<FalseAlarms> falseAlarms;
    std::size_t draws = 0; // of resampled
    std::uint64_t seed = 1;
    std::optional<evaluation::Resampled> resampled;
    ComparedModel compared;
    std::unique_ptr<evaluation::ModelComparison> comparison; // with the first model's part in resampled
};

// Counts how often the model took one class for another.
struct Mistake {
    int truth = 0;
    int heard = 0;
    std::int64_t count = 0;
};
// Returns the mistakes that count most in table[true class][detected class]; its diagonal is no mistake.
std::vector<Mistake> largestMistakes(const EvaluationReport& report,
                                     const std::vector<std::vector<std::int64_t>>& table, std::size_t most);

// Returns the classes that occur or are detected, those of the data and the best first: by event F1 (0.5 s)
// if events are timed, then by average precision.
std::vector<int> classesByScore(const EvaluationReport& report);

// Each function returns a whole document.
std::string tableText(const EvaluationReport& report);
std::string jsonText(const EvaluationReport& report);
// CSV has one row for each sound, for each threshold of the sweep, or for each score if they have intervals.
std::string csvText(const EvaluationReport& report);

} // namespace earshot::cli
