// The report of `earshot evaluate` as text for people, and as JSON and CSV for programs.
#include "Cli/Evaluate/EvaluationReport.h"

#include "Cli/Evaluate/ResamplingReport.h"
#include "Cli/Output/Terminal.h"
#include "Core/Base/Csv.h"
#include "Core/Base/Unicode.h"

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

Json json(const evaluation::Counts& counts, double macro, const evaluation::Errors& errors) {
    Json object = json(counts);
    object["macro_f1"] = macro;
    object["error_rate"] = errors.rate(); // null if nothing is annotated
    object["substitutions"] = errors.substitutions;
    object["deletions"] = errors.deletions;
    object["insertions"] = errors.insertions;
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

// Whether the data has it. Other classes are listed apart: they have no part in the mean of F1.
bool isInData(const evaluation::ClassScores& own) { return own.annotated > 0 || own.averagePrecision; }

const std::string& label(const EvaluationReport& report, int c) {
    return report.labels[static_cast<std::size_t>(c)];
}

std::vector<int> detectedAlone(const EvaluationReport& report) {
    auto classes = classesByScore(report);
    std::erase_if(classes,
                  [&](int c) { return isInData(report.scores.classes[static_cast<std::size_t>(c)]); });
    return classes;
}

Json momentsByLabel(const EvaluationReport& report) {
    Json moments = Json::object();
    for (const auto& [c, count] : report.used.moments) moments[label(report, c)] = count;
    return moments;
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
        object["sources"] = report.sources[static_cast<std::size_t>(c)];
        list.push_back(object);
    }
    return list;
}

Json partOf(const EvaluationReport& report, const evaluation::PartScores& part) {
    Json object = {{"classes", part.classes}};
    if (report.timed()) {
        object["events_200ms"] = json(part.events);
        object["events_500ms"] = json(part.looseEvents);
        object["segments_1s"] = json(part.segments);
    }
    object["mean_average_precision"] = part.meanAveragePrecision;
    return object;
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
        document["events_200ms"] = json(scores.events, scores.eventMacroF1, scores.eventErrors);
        document["events_500ms"] =
            json(scores.looseEvents, scores.looseEventMacroF1, scores.looseEventErrors);
        document["segments_1s"] = json(scores.segments, scores.segmentMacroF1, scores.segmentErrors);
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
    const auto parts = evaluation::partsBySources(scores, report.sources);
    document["by_sources"] = {{"fewest_of_many", evaluation::minSources},
                              {"many", partOf(report, parts.many)},
                              {"few", partOf(report, parts.few)}};
    document["classes"] = classList(report);
    Json alone = Json::array();
    for (const int c : detectedAlone(report)) alone.push_back(label(report, c));
    document["classes_detected_but_not_in_data"] = alone;
    if (report.timed()) document["mistakes_in_seconds"] = mistakes(report, scores.confusion);
    if (!report.sweep.empty()) document["sweep"] = sweepList(report);
}

constexpr std::size_t mistakesShown = 12;
constexpr std::size_t pageWidth = 100;

std::string howMany(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", groupedDigits(static_cast<long long>(count)), count == 1 ? one : many);
}

// A heading, then names, on as many lines as they need.
std::string nameList(const std::string& heading, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    std::string text = heading + ": ";
    std::size_t used = displayWidth(text);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = displayText(names[i]) + (i + 1 < names.size() ? ", " : "");
        if (used + displayWidth(name) > pageWidth) {
            text += "\n  ";
            used = 2;
        }
        text += name;
        used += displayWidth(name);
    }
    return text + "\n";
}

std::string momentLine(const EvaluationReport& report) {
    std::size_t all = 0;
    std::string names;
    for (const auto& [c, count] : report.used.moments) {
        all += count;
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", displayText(label(report, c)), count);
    }
    return fmt::format("  {} of no length, which events and seconds count and PSDS cannot: {}\n",
                       howMany(all, "annotated sound", "annotated sounds"), names);
}

std::string heading(const EvaluationReport& report) {
    std::string text = displayText(report.model);
    if (report.data.empty()) return text + "\n";
    text += fmt::format(" on {}: {}, {}{}\n", displayText(report.data),
                        report.scenes ? howMany(report.recordings, "mixed scene", "mixed scenes")
                                      : howMany(report.recordings, "recording", "recordings"),
                        clockTime(report.seconds), report.complete ? "" : ", stopped before the end");
    if (!report.scenes) {
        if (report.used.annotated > 0)
            text += fmt::format("  {} with the times of their sounds\n",
                                howMany(report.used.annotated, "recording", "recordings"));
        if (report.used.byEnvelope > 0)
            text += fmt::format("  {} of one sound, its times taken from the energy envelope\n",
                                howMany(report.used.byEnvelope, "clip", "clips"));
        if (report.used.untimed > 0)
            text += fmt::format("  {} without times: average precision alone\n",
                                howMany(report.used.untimed, "recording", "recordings"));
    }
    if (!report.used.moments.empty()) text += momentLine(report);
    if (report.used.unheard > 0)
        text += fmt::format("  {} could not be used\n", howMany(report.used.unheard, "file", "files"));
    return text;
}

std::string f1Line(const std::string& name, const evaluation::Counts& counts, double macro,
                   const evaluation::Errors& errors) {
    return fmt::format("{} {:>7.3f}  {:>9.3f}  {:>6.3f}  {:>10.3f}  {:>10}\n", padded(name, 34), counts.f1(),
                       counts.precision(), counts.recall(), macro,
                       errors.annotated > 0 ? fmt::format("{:.3f}", errors.rate()) : "-");
}

std::string summary(const EvaluationReport& report) {
    const evaluation::Scores& scores = report.scores;
    std::string text;
    if (report.timed()) {
        text += fmt::format("\n{} {:>7}  {:>9}  {:>6}  {:>10}  {:>10}\n", padded("", 34), "F1", "precision",
                            "recall", "mean of F1", "error rate");
        text += f1Line("Events within 0.2 s / 20 %", scores.events, scores.eventMacroF1, scores.eventErrors);
        text += f1Line("Events within 0.5 s / 50 %", scores.looseEvents, scores.looseEventMacroF1,
                       scores.looseEventErrors);
        text += f1Line("Seconds", scores.segments, scores.segmentMacroF1, scores.segmentErrors);
        text += fmt::format("{} {:>7.3f}\n{} {:>7.3f}\n", padded("PSDS 1 (when exactly)", 34), scores.psds1,
                            padded("PSDS 2 (which sound)", 34), scores.psds2);
    } else {
        text +=
            "\nNo events and no seconds are scored: the data does not say when its sounds begin and end.\n";
    }
    text +=
        fmt::format("{} {:>7.3f}\n", padded("Mean average precision (AP)", 34), scores.meanAveragePrecision);
    if (report.byPeak)
        text += fmt::format("{} {:>7.3f}  of {} clips of one sound ({:.3f} by the mean)\n",
                            padded("Clip accuracy by the largest peak", 34), report.byPeak->accuracy(),
                            report.byPeak->clips, report.byMean ? report.byMean->accuracy() : 0.0);
    if (report.timed())
        text += fmt::format("{} {:>7.1f}  an hour\n", padded("False alarms", 34), scores.falseAlarmsPerHour);
    text += fmt::format("Thresholds: {}\nComputed in {}\n", report.thresholds, report.precision);
    if (report.mergeGap > 0.0)
        text += fmt::format("Pauses below {:g} s are part of a sound, annotated or found\n", report.mergeGap);
    return text;
}

// Nothing if all sounds of the data are of one part.
std::string partLines(const EvaluationReport& report) {
    const auto parts = evaluation::partsBySources(report.scores, report.sources);
    if (parts.many.classes == 0 || parts.few.classes == 0) return {};
    std::string text = fmt::format("\n{}", padded("By the sources of a sound in the data", 40));
    if (report.timed()) text += fmt::format("  {:>6}  {:>6}  {:>7}", "0.2 s", "0.5 s", "seconds");
    text += fmt::format("  {:>5}\n", "AP");
    const auto line = [&](const std::string& name, const evaluation::PartScores& part) {
        text += padded(name, 40);
        if (report.timed())
            text += fmt::format("  {:>6.3f}  {:>6.3f}  {:>7.3f}", part.events.f1(), part.looseEvents.f1(),
                                part.segments.f1());
        text += fmt::format("  {:>5.3f}\n", part.meanAveragePrecision);
    };
    line(fmt::format("{} of at least {} sources", howMany(parts.many.classes, "sound", "sounds"),
                     evaluation::minSources),
         parts.many);
    line(fmt::format("{} of fewer", howMany(parts.few.classes, "sound", "sounds")), parts.few);
    return text;
}

std::string falseAlarmLines(const EvaluationReport& report) {
    std::string text;
    for (const FalseAlarms& heard : report.falseAlarms) {
        text += fmt::format("{} {:>7.1f}  an hour, {} in {}", padded("False alarms, " + heard.what, 34),
                            heard.perHour(), heard.alarms, clockTime(heard.seconds));
        if (heard.fitting > 0)
            text += fmt::format("; {:.1f} without Noise, Hum and the like",
                                heard.perHour(heard.alarms - heard.fitting));
        if (!heard.mostOften.empty()) text += "; most often " + displayText(heard.mostOften);
        text += "\n";
    }
    return text.empty() ? text : "\n" + text;
}

std::string classTable(const EvaluationReport& report) {
    auto classes = classesByScore(report);
    std::erase_if(classes,
                  [&](int c) { return !isInData(report.scores.classes[static_cast<std::size_t>(c)]); });
    if (classes.empty()) return {};
    std::size_t width = 5; // "Sound"
    for (const int c : classes) width = std::max(width, displayWidth(displayText(label(report, c))));
    std::string text = report.timed()
                           ? "\nF1 of each sound, of its events within 0.2 s and 0.5 s and of its seconds:\n"
                           : "\n";
    text += padded("Sound", width);
    if (report.timed())
        text += fmt::format("  {:>6}  {:>6}  {:>6}  {:>7}", "events", "0.2 s", "0.5 s", "seconds");
    text += fmt::format("  {:>5}", "AP");
    if (report.timed()) text += fmt::format("  {:>9}", "threshold");
    text += "\n";
    for (const int c : classes) {
        const auto& own = report.scores.classes[static_cast<std::size_t>(c)];
        text += padded(displayText(label(report, c)), width);
        if (report.timed())
            text += fmt::format("  {:>6}  {:>6.2f}  {:>6.2f}  {:>7.2f}", own.annotated, own.events.f1(),
                                own.looseEvents.f1(), own.segments.f1());
        text += own.averagePrecision ? fmt::format("  {:>5.2f}", *own.averagePrecision)
                                     : fmt::format("  {:>5}", "-");
        if (report.timed()) text += fmt::format("  {:>9.2f}", own.threshold);
        text += "\n";
    }
    return text;
}

// Sounds that were detected and that the data does not have.
std::string strangerLines(const EvaluationReport& report) {
    const auto classes = detectedAlone(report);
    if (classes.empty()) return {};
    std::string text = "\nDetected, and not annotated in this data (no part of the mean of F1):\n";
    for (const int c : classes) {
        const auto& own = report.scores.classes[static_cast<std::size_t>(c)];
        text +=
            fmt::format("{:>6} {} in {}  {}\n", own.events.falsePositives,
                        own.events.falsePositives == 1 ? "event" : "events",
                        howMany(static_cast<std::size_t>(own.segments.falsePositives), "second", "seconds"),
                        displayText(label(report, c)));
    }
    return text;
}

std::string mistakeLines(const EvaluationReport& report, const std::string& title,
                         const std::vector<std::vector<std::int64_t>>& table) {
    const auto mistakes = largestMistakes(report, table, mistakesShown);
    if (mistakes.empty()) return {};
    std::string text = "\n" + title + "\n";
    for (const Mistake& mistake : mistakes)
        text +=
            fmt::format("{:>6}  {} detected as {}\n", mistake.count,
                        displayText(label(report, mistake.truth)), displayText(label(report, mistake.heard)));
    return text;
}

std::string sweepTable(const EvaluationReport& report) {
    if (report.sweep.empty()) return {};
    std::string text = fmt::format("\n{:>9}  {:>6}  {:>6}  {:>7}  {:>9}  {:>6}  {:>12}\n", "Threshold",
                                   "0.2 s", "0.5 s", "seconds", "precision", "recall", "false alarms");
    for (const auto& point : report.sweep)
        text +=
            fmt::format("{:>9.2f}  {:>6.3f}  {:>6.3f}  {:>7.3f}  {:>9.3f}  {:>6.3f}  {:>10.1f}/h\n",
                        point.threshold, point.events.f1(), point.looseEvents.f1(), point.segments.f1(),
                        point.looseEvents.precision(), point.looseEvents.recall(), point.falseAlarmsPerHour);
    return text;
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
        return std::tuple(isInData(own), own.looseEvents.f1(), own.averagePrecision.value_or(-1.0));
    };
    std::ranges::stable_sort(classes, std::ranges::greater{}, rank);
    return classes;
}

std::string jsonText(const EvaluationReport& report) {
    Json document;
    document["model"] = report.model;
    document["precision"] = report.precision;
    if (!report.data.empty())
        document["data"] = {{"name", report.data},
                            {"kind", report.scenes ? "scenes" : "recordings"},
                            {"recordings", report.recordings},
                            {"seconds", report.seconds},
                            {"times_annotated", report.used.annotated},
                            {"times_by_envelope", report.used.byEnvelope},
                            {"times_unknown", report.used.untimed},
                            {"sounds_of_no_length", momentsByLabel(report)},
                            {"unusable_files", report.used.unheard},
                            {"complete", report.complete},
                            {"labels_unknown_to_model", report.unknown},
                            {"classes_not_in_data", report.absent}};
    if (report.recordings > 0) {
        addScores(document, report);
        addResampling(document, report);
    }
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
    if (report.resampled) return resamplingCsv(report);
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

std::string tableText(const EvaluationReport& report) {
    std::string text = heading(report);
    if (report.recordings > 0) text += summary(report) + partLines(report);
    text += falseAlarmLines(report);
    if (report.recordings > 0) {
        text += resamplingTable(report) + classTable(report) + strangerLines(report);
        if (report.timed())
            text += mistakeLines(report, "Most often mistaken, in seconds", report.scores.confusion);
        if (report.byPeak)
            text += mistakeLines(report, "Most often mistaken, in clips", report.byPeak->confusion);
        text += sweepTable(report);
    }
    const std::string lists = nameList("Labels the model does not know, left out", report.unknown) +
                              nameList("Sounds of the model that are not in the data", report.absent);
    return lists.empty() ? text : text + "\n" + lists;
}

} // namespace earshot::cli
