// The report of `earshot evaluate`, and its forms for programs: JSON with everything, CSV with one table.
#include "Cli/Evaluate/EvaluationReport.h"

#include "Core/Base/Csv.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace earshot::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t mistakesListed = 100;

Json json(const evaluation::Counts& counts) {
    return {{"f1", counts.f1()},
            {"precision", counts.precision()},
            {"recall", counts.recall()},
            {"true_positives", counts.truePositives},
            {"false_positives", counts.falsePositives},
            {"false_negatives", counts.falseNegatives}};
}

Json json(const evaluation::Counts& counts, double macro) {
    Json object = json(counts);
    object["macro_f1"] = macro;
    return object;
}

Json mistakes(const EvaluationReport& report, const std::vector<std::vector<std::int64_t>>& table) {
    Json list = Json::array();
    for (const Mistake& mistake : largestMistakes(report, table, mistakesListed))
        list.push_back({{"label", report.labels[static_cast<std::size_t>(mistake.truth)]},
                        {"heard_as", report.labels[static_cast<std::size_t>(mistake.heard)]},
                        {"count", mistake.count}});
    return list;
}

Json classList(const EvaluationReport& report) {
    Json list = Json::array();
    for (const int c : classesByScore(report)) {
        const auto& own = report.scores.classes[static_cast<std::size_t>(c)];
        Json object = {{"label", report.labels[static_cast<std::size_t>(c)]}};
        if (report.timed()) {
            object["annotated"] = own.annotated;
            object["events_200ms"] = json(own.events);
            object["events_500ms"] = json(own.looseEvents);
            object["segments_1s"] = json(own.segments);
            object["threshold"] = own.threshold;
        }
        object["average_precision"] = own.averagePrecision ? Json(*own.averagePrecision) : Json();
        list.push_back(object);
    }
    return list;
}

Json sweepList(const EvaluationReport& report) {
    Json list = Json::array();
    for (const auto& point : report.sweep)
        list.push_back({{"threshold", point.threshold},
                        {"events_200ms", json(point.events)},
                        {"events_500ms", json(point.looseEvents)},
                        {"segments_1s", json(point.segments)},
                        {"false_alarms_per_hour", point.falseAlarmsPerHour}});
    return list;
}

void addScores(Json& document, const EvaluationReport& report) {
    const evaluation::Scores& scores = report.scores;
    document["thresholds"] = report.thresholds;
    document["merge_gap"] = report.mergeGap;
    if (report.timed()) {
        document["events_200ms"] = json(scores.events, scores.eventMacroF1);
        document["events_500ms"] = json(scores.looseEvents, scores.looseEventMacroF1);
        document["segments_1s"] = json(scores.segments, scores.segmentMacroF1);
        document["psds1"] = scores.psds1;
        document["psds2"] = scores.psds2;
        document["false_alarms_per_hour"] = scores.falseAlarmsPerHour;
    }
    document["mean_average_precision"] = scores.meanAveragePrecision;
    if (report.byPeak && report.byMean)
        document["clips"] = {{"count", report.byPeak->clips},
                             {"accuracy_by_peak", report.byPeak->accuracy()},
                             {"accuracy_by_mean", report.byMean->accuracy()},
                             {"mistakes_by_peak", mistakes(report, report.byPeak->confusion)}};
    document["classes"] = classList(report);
    if (report.timed()) document["mistakes_in_seconds"] = mistakes(report, scores.confusion);
    if (!report.sweep.empty()) document["sweep"] = sweepList(report);
}

} // namespace

std::vector<Mistake> largestMistakes(const EvaluationReport& report,
                                     const std::vector<std::vector<std::int64_t>>& table, std::size_t most) {
    std::vector<Mistake> mistakes;
    const std::size_t classes = std::min(report.labels.size(), table.size());
    for (std::size_t truth = 0; truth < classes; ++truth)
        for (std::size_t heard = 0; heard < classes; ++heard)
            if (truth != heard && table[truth][heard] > 0)
                mistakes.push_back({static_cast<int>(truth), static_cast<int>(heard), table[truth][heard]});
    std::ranges::stable_sort(mistakes, std::ranges::greater{}, &Mistake::count);
    if (mistakes.size() > most) mistakes.resize(most);
    return mistakes;
}

std::vector<int> classesByScore(const EvaluationReport& report) {
    std::vector<int> classes;
    const auto& scores = report.scores.classes;
    for (std::size_t c = 0; c < scores.size(); ++c)
        if (scores[c].averagePrecision || scores[c].segments != evaluation::Counts{})
            classes.push_back(static_cast<int>(c));
    const auto rank = [&](int c) {
        const auto& own = scores[static_cast<std::size_t>(c)];
        return std::tuple(own.looseEvents.f1(), own.averagePrecision.value_or(-1.0));
    };
    std::ranges::stable_sort(classes, std::ranges::greater{}, rank);
    return classes;
}

std::string jsonText(const EvaluationReport& report) {
    Json document;
    document["model"] = report.model;
    if (!report.data.empty())
        document["data"] = {{"name", report.data},
                            {"kind", report.scenes ? "scenes" : "recordings"},
                            {"recordings", report.recordings},
                            {"seconds", report.seconds},
                            {"times_annotated", report.annotated},
                            {"times_by_envelope", report.byEnvelope},
                            {"times_unknown", report.untimed},
                            {"unusable_files", report.unheard},
                            {"complete", report.complete},
                            {"labels_unknown_to_model", report.unknown},
                            {"classes_not_in_data", report.absent}};
    if (report.recordings > 0) addScores(document, report);
    Json alarms = Json::array();
    for (const FalseAlarms& heard : report.falseAlarms)
        alarms.push_back({{"in", heard.what},
                          {"recordings", heard.recordings},
                          {"seconds", heard.seconds},
                          {"false_alarms", heard.alarms},
                          {"false_alarms_per_hour", heard.perHour()},
                          {"of_classes_named_noise_or_hum", heard.fitting},
                          {"most_often", heard.mostOften}});
    if (!alarms.empty()) document["nothing_to_hear"] = alarms;
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csvText(const EvaluationReport& report) {
    std::string text;
    if (!report.sweep.empty()) {
        text =
            "threshold,event_f1_200ms,event_f1_500ms,segment_f1_1s,event_precision_500ms,event_recall_500ms,"
            "false_alarms_per_hour\n";
        for (const auto& point : report.sweep)
            text += fmt::format("{:.2f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.2f}\n", point.threshold,
                                point.events.f1(), point.looseEvents.f1(), point.segments.f1(),
                                point.looseEvents.precision(), point.looseEvents.recall(),
                                point.falseAlarmsPerHour);
        return text;
    }
    text = "label,annotated,event_f1_200ms,event_f1_500ms,segment_f1_1s,average_precision,threshold\n";
    for (const int c : classesByScore(report)) {
        const auto& own = report.scores.classes[static_cast<std::size_t>(c)];
        text += csvField(report.labels[static_cast<std::size_t>(c)]);
        text += report.timed() ? fmt::format(",{},{:.4f},{:.4f},{:.4f}", own.annotated, own.events.f1(),
                                             own.looseEvents.f1(), own.segments.f1())
                               : std::string(",,,,");
        text += own.averagePrecision ? fmt::format(",{:.4f}", *own.averagePrecision) : std::string(",");
        text += report.timed() ? fmt::format(",{:.4f}\n", own.threshold) : std::string(",\n");
    }
    return text;
}

} // namespace earshot::cli
