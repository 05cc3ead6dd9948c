#include "Cli/Evaluate/ResamplingReport.h"

#include "Cli/Output/Terminal.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace earshot::cli {

namespace {

using evaluation::Interval;
using evaluation::mainScoreCount;
using evaluation::Resampled;
using Json = nlohmann::ordered_json;

struct ScoreName {
    const char* key;
    const char* text;
};
// By MainScore.
constexpr std::array<ScoreName, mainScoreCount> scoreNames = {{
    {"event_f1_200ms", "Events within 0.2 s / 20 %, F1"},
    {"event_f1_500ms", "Events within 0.5 s / 50 %, F1"},
    {"segment_f1_1s", "Seconds, F1"},
    {"event_macro_f1_200ms", "Events within 0.2 s, mean of F1"},
    {"event_macro_f1_500ms", "Events within 0.5 s, mean of F1"},
    {"segment_macro_f1_1s", "Seconds, mean of F1"},
    {"psds1", "PSDS 1"},
    {"psds2", "PSDS 2"},
    {"mean_average_precision", "Mean average precision"},
    {"false_alarms_per_hour", "False alarms an hour"},
    {"event_error_rate_200ms", "Events within 0.2 s, error rate"},
    {"event_error_rate_500ms", "Events within 0.5 s, error rate"},
    {"segment_error_rate_1s", "Seconds, error rate"},
    {"clip_accuracy_by_peak", "Clip accuracy by the peak"},
    {"clip_accuracy_by_mean", "Clip accuracy by the mean"},
}};
constexpr std::size_t nameWidth = 32;

bool isDefined(const EvaluationReport& report, std::size_t score) {
    return !std::isnan(report.resampled->scores[score]);
}

// "0.125", or "-" for what is not defined.
std::string shown(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", value); }
std::string inCsv(double value) { return std::isnan(value) ? "" : fmt::format("{:.6f}", value); }

std::string range(const Interval& interval) { return shown(interval.low) + " to " + shown(interval.high); }

std::string intervalTable(const EvaluationReport& report) {
    std::string text =
        fmt::format("\n95 % intervals over {} recordings (percentile bootstrap, {} draws, seed {})\n",
                    report.recordings, report.draws, report.seed);
    for (std::size_t s = 0; s < mainScoreCount; ++s)
        if (isDefined(report, s))
            text += fmt::format("{}  {:>8}  {:>20}\n", padded(scoreNames[s].text, nameWidth),
                                shown(report.resampled->scores[s]), range(report.resampled->intervals[s]));
    return text;
}

std::string comparisonTable(const EvaluationReport& report) {
    const auto& [models, differences] = *report.comparison;
    std::string text = fmt::format(
        "\nA: {} ({})\nB: {} ({}; thresholds: {})\nOn the {} sounds that both know, paired over {} "
        "recordings: "
        "95 % intervals by {} draws of\nrecordings (bootstrap), p by as many random exchanges of the models' "
        "results; seed {}\n\n",
        displayText(report.model), report.precision, displayText(report.compared.model),
        report.compared.precision, report.compared.thresholds, report.compared.sounds, report.recordings,
        report.draws, report.seed);
    text += fmt::format("{}  {:>8}  {:>8}  {:>8}  {:>18}  {:>6}\n", padded("", nameWidth), "A", "B", "B - A",
                        "95 % interval", "p");
    bool differ = false;
    for (std::size_t s = 0; s < mainScoreCount; ++s) {
        if (!isDefined(report, s)) continue;
        const auto& difference = differences[s];
        text += fmt::format("{}  {:>8}  {:>8}  {:>8}  {:>18}  {:>6.3f}{}\n",
                            padded(scoreNames[s].text, nameWidth), shown(models[0].scores[s]),
                            shown(models[1].scores[s]), shown(difference.value), range(difference.interval),
                            difference.pValue, difference.differ() ? "  differ" : "");
        differ = differ || difference.differ();
    }
    return text + (differ ? "\"differ\": chance alone makes such a difference in fewer than 1 of 20 cases\n"
                          : "Chance alone may make these differences: no score has p below 0.05\n");
}

Json json(const Resampled& resampled, std::size_t score) {
    return {{"value", resampled.scores[score]},
            {"low", resampled.intervals[score].low},
            {"high", resampled.intervals[score].high}};
}

Json comparisonOf(const EvaluationReport& report) {
    const auto& [models, differences] = *report.comparison;
    Json scores;
    for (std::size_t s = 0; s < mainScoreCount; ++s) {
        if (!isDefined(report, s)) continue;
        const auto& difference = differences[s];
        scores[scoreNames[s].key] = {{"first", json(models[0], s)},
                                     {"second", json(models[1], s)},
                                     {"difference", difference.value},
                                     {"difference_low", difference.interval.low},
                                     {"difference_high", difference.interval.high},
                                     {"p_value", difference.pValue},
                                     {"differ", difference.differ()}};
    }
    return {{"first", report.model},
            {"second", report.compared.model},
            {"second_precision", report.compared.precision},
            {"second_thresholds", report.compared.thresholds},
            {"sounds_both_know", report.compared.sounds},
            {"difference_is", "second less first"},
            {"interval", "percentile bootstrap, the same recordings for both"},
            {"test", "approximate randomization of recordings, two-sided"},
            {"scores", scores}};
}

} // namespace

std::string resamplingTable(const EvaluationReport& report) {
    if (!report.resampled) return {};
    return report.comparison ? comparisonTable(report) : intervalTable(report);
}

void addResampling(Json& document, const EvaluationReport& report) {
    if (!report.resampled) return;
    Json scores;
    for (std::size_t s = 0; s < mainScoreCount; ++s)
        if (isDefined(report, s)) scores[scoreNames[s].key] = json(*report.resampled, s);
    document["intervals"] = {{"method", "percentile bootstrap over recordings"},
                             {"level", evaluation::intervalLevel},
                             {"draws", report.draws},
                             {"seed", report.seed},
                             {"scores", scores}};
    if (report.comparison) document["comparison"] = comparisonOf(report);
}

std::string resamplingCsv(const EvaluationReport& report) {
    std::string text = "score,value,low,high";
    if (report.comparison)
        text += ",other,other_low,other_high,difference,difference_low,difference_high,p_value,differ";
    text += "\n";
    const auto add = [&](double value) { text += "," + inCsv(value); };
    const auto addAll = [&](double value, const Interval& interval) {
        add(value);
        add(interval.low);
        add(interval.high);
    };
    for (std::size_t s = 0; s < mainScoreCount; ++s) {
        if (!isDefined(report, s)) continue;
        text += scoreNames[s].key;
        addAll(report.resampled->scores[s], report.resampled->intervals[s]);
        if (report.comparison) {
            const Resampled& other = report.comparison->models[1];
            const auto& difference = report.comparison->differences[s];
            addAll(other.scores[s], other.intervals[s]);
            addAll(difference.value, difference.interval);
            add(difference.pValue);
            text += difference.differ() ? ",yes" : ",no";
        }
        text += "\n";
    }
    return text;
}

} // namespace earshot::cli
