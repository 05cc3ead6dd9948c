// The results of `earshot evaluate` and the documents that show them. Pure functions: any thread.
#pragma once

#include "Core/Evaluation/Scores.h"

#include <cstddef>
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

struct EvaluationReport {
    std::string model; // its file
    std::vector<std::string> labels;
    std::string data; // "clips/manifest.csv, valid"; empty for noise alone
    bool scenes = false;
    // Scored recordings: the model knows a sound in them, or the data says that there is none
    std::size_t recordings = 0;
    double seconds = 0.0;       // length of these recordings
    std::size_t annotated = 0;  // number of them that the data gives times for
    std::size_t byEnvelope = 0; // clips of one sound, timed by their energy envelope
    std::size_t untimed = 0;    // without times; they count for average precision and clip accuracy only
    std::size_t unheard = 0;    // recordings that could not be read
    bool complete = true;       // false: stopped by the user

    double mergeGap = 0.0;            // seconds; shorter pauses are part of a sound, annotated or detected
    std::vector<std::size_t> sources; // by class: how many independent ones the data has
    std::vector<std::string> unknown; // labels that the model does not know
    std::vector<std::string> absent;  // classes of the model that the data lacks
    std::string thresholds;           // for people: "the model's own"

    bool timed() const { return annotated + byEnvelope > 0; } // whether events and segments have scores
    evaluation::Scores scores;
    std::optional<evaluation::ClipAccuracy> byPeak, byMean; // set if there are clips of one sound
    std::vector<evaluation::SweepPoint> sweep;
    std::vector<FalseAlarms> falseAlarms;
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

// Returns the classes that occur or are detected, the best first: by event F1 (0.5 s) if events are timed,
// then by average precision.
std::vector<int> classesByScore(const EvaluationReport& report);

// Each function returns a whole document.
std::string tableText(const EvaluationReport& report);
std::string jsonText(const EvaluationReport& report);
// CSV has one row for each sound, or for each threshold of the sweep.
std::string csvText(const EvaluationReport& report);

} // namespace earshot::cli
