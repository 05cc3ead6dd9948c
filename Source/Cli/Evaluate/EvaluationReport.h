// What `earshot evaluate` found, and the forms in which it is written. Pure functions: any thread.
#pragma once

#include "Core/Evaluation/Scores.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// Detections in sounds that are none of the model's: whatever it says is a false alarm.
struct FalseAlarms {
    std::string what; // "white noise", "clips of other sounds"
    std::size_t recordings = 0;
    double seconds = 0.0;
    std::int64_t alarms = 0;
    std::int64_t fitting = 0; // of these, of classes that the noise could well be called ("Noise", "Hum")
    std::string mostOften;    // label of the class that is alarmed most, or empty

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
    std::size_t recordings = 0; // scored: with something the model knows, or known to have nothing
    double seconds = 0.0;       // of them
    std::size_t annotated = 0;  // of these recordings: with times from the data
    std::size_t byEnvelope = 0; // clips of one sound, timed by their energy envelope
    std::size_t untimed = 0;    // for average precision and clip accuracy alone
    std::size_t unheard = 0;    // could not be read
    bool complete = true;       // false: stopped by the user

    double mergeGap = 0.0;            // seconds; pauses below it are part of a sound, annotated or found
    std::vector<std::string> unknown; // labels that the model does not know
    std::vector<std::string> absent;  // classes that are not in the data
    std::string thresholds;           // how they were chosen, for people: "the model's own"

    bool timed() const { return annotated + byEnvelope > 0; } // whether events and segments have scores
    evaluation::Scores scores;
    std::optional<evaluation::ClipAccuracy> byPeak, byMean; // where there are clips of one sound
    std::vector<evaluation::SweepPoint> sweep;
    std::vector<FalseAlarms> falseAlarms;
};

// Off the diagonal, the most frequent first: what was taken for what. `table`: true by heard.
struct Mistake {
    int truth = 0;
    int heard = 0;
    std::int64_t count = 0;
};
std::vector<Mistake> largestMistakes(const EvaluationReport& report,
                                     const std::vector<std::vector<std::int64_t>>& table, std::size_t most);

// Classes that occur or were heard, the best first: by event F1 (0.5 s) where events are timed, then by
// average precision.
std::vector<int> classesByScore(const EvaluationReport& report);

// Whole documents.
std::string tableText(const EvaluationReport& report);
std::string jsonText(const EvaluationReport& report);
std::string csvText(const EvaluationReport& report); // a row per sound, or per threshold of the sweep

} // namespace earshot::cli
