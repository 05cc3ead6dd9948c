// The results of `earshot evaluate` and their forms. Pure functions: any thread.
#pragma once

#include "Core/Evaluation/Scores.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// Detections in sounds that the model has no class for: every detection is a false alarm.
struct FalseAlarms {
    std::string what; // "white noise", "clips of other sounds"
    std::size_t recordings = 0;
    double seconds = 0.0;
    std::int64_t alarms = 0;
    std::int64_t fitting = 0; // of these, those of classes that may rightly name the noise ("Noise", "Hum")
    std::string mostOften;    // label of the class with most alarms; may be empty

    double perHour() const { return perHour(alarms); }
    double perHour(std::int64_t count) const {
        return seconds > 0.0 ? static_cast<double>(count) * 3600.0 / seconds : 0.0;
    }
};

struct EvaluationReport {
    std::string model; // its file
    std::vector<std::string> labels;
    std::string data; // "clips/manifest.csv, valid"; empty when there was only noise
    bool scenes = false;
    std::size_t recordings = 0; // scored ones: with a class of the model, or known to have none
    double seconds = 0.0;       // of these recordings
    std::size_t annotated = 0;  // of these recordings: those with times from the data
    std::size_t byEnvelope = 0; // clips of one sound, timed by their energy envelope
    std::size_t untimed = 0;    // they count for average precision and clip accuracy alone
    std::size_t unheard = 0;    // they could not be read
    bool complete = true;       // false: stopped by the user

    double mergeGap = 0.0; // seconds; shorter pauses are part of a sound, in annotations and detections
    std::vector<std::string> unknown; // labels that the model does not know
    std::vector<std::string> absent;  // classes that are not in the data
    std::string thresholds;           // how they were chosen, for the user: "the model's own"

    bool timed() const { return annotated + byEnvelope > 0; } // whether events and segments have scores
    evaluation::Scores scores;
    std::optional<evaluation::ClipAccuracy> byPeak, byMean; // if there are clips of one sound
    std::vector<evaluation::SweepPoint> sweep;
    std::vector<FalseAlarms> falseAlarms;
};

// The confusions, the most frequent first. `table`: true class by detected class.
struct Mistake {
    int truth = 0;
    int heard = 0;
    std::int64_t count = 0;
};
std::vector<Mistake> largestMistakes(const EvaluationReport& report,
                                     const std::vector<std::vector<std::int64_t>>& table, std::size_t most);

// Classes that occur or were detected, the best first: by event F1 (0.5 s) if events have times, then by
// average precision.
std::vector<int> classesByScore(const EvaluationReport& report);

// Whole documents.
std::string tableText(const EvaluationReport& report);
std::string jsonText(const EvaluationReport& report);
// a row for each sound, or for each threshold of the sweep
std::string csvText(const EvaluationReport& report);

} // namespace earshot::cli
