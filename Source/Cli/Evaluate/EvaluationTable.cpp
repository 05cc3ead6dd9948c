// The report of `earshot evaluate` for people.
#include "Cli/Evaluate/EvaluationReport.h"
#include "Cli/Output/Text.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::cli {

namespace {

constexpr std::size_t mistakesShown = 12;
constexpr std::size_t pageWidth = 100;

std::string howMany(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", groupedDigits(static_cast<long long>(count)), count == 1 ? one : many);
}

const std::string& label(const EvaluationReport& report, int c) {
    return report.labels[static_cast<std::size_t>(c)];
}

// Names after a heading, over as many lines as they need.
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

std::string heading(const EvaluationReport& report) {
    std::string text = displayText(report.model);
    if (report.data.empty()) return text + "\n";
    text += fmt::format(" on {}: {}, {}{}\n", displayText(report.data),
                        report.scenes ? howMany(report.recordings, "mixed scene", "mixed scenes")
                                      : howMany(report.recordings, "recording", "recordings"),
                        clockTime(report.seconds), report.complete ? "" : ", stopped before the end");
    if (!report.scenes) {
        if (report.annotated > 0)
            text += fmt::format("  {} with the times of their sounds\n",
                                howMany(report.annotated, "recording", "recordings"));
        if (report.byEnvelope > 0)
            text += fmt::format("  {} of one sound, its times taken from the energy envelope\n",
                                howMany(report.byEnvelope, "clip", "clips"));
        if (report.untimed > 0)
            text += fmt::format("  {} without times: average precision alone\n",
                                howMany(report.untimed, "recording", "recordings"));
    }
    if (report.unheard > 0)
        text += fmt::format("  {} could not be used\n", howMany(report.unheard, "file", "files"));
    return text;
}

std::string f1Line(const std::string& name, const evaluation::Counts& counts, double macro) {
    return fmt::format("{} {:>7.3f}  {:>9.3f}  {:>6.3f}  {:>10.3f}\n", padded(name, 34), counts.f1(),
                       counts.precision(), counts.recall(), macro);
}

std::string summary(const EvaluationReport& report) {
    const evaluation::Scores& scores = report.scores;
    std::string text;
    if (report.timed()) {
        text += fmt::format("\n{} {:>7}  {:>9}  {:>6}  {:>10}\n", padded("", 34), "F1", "precision", "recall",
                            "mean of F1");
        text += f1Line("Events within 0.2 s / 20 %", scores.events, scores.eventMacroF1);
        text += f1Line("Events within 0.5 s / 50 %", scores.looseEvents, scores.looseEventMacroF1);
        text += f1Line("Seconds", scores.segments, scores.segmentMacroF1);
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
    text += fmt::format("Thresholds: {}\n", report.thresholds);
    if (report.mergeGap > 0.0)
        text += fmt::format("Pauses below {:g} s are part of a sound, annotated or found\n", report.mergeGap);
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
    const auto classes = classesByScore(report);
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

std::string mistakeLines(const EvaluationReport& report, const std::string& title,
                         const std::vector<std::vector<std::int64_t>>& table) {
    const auto mistakes = largestMistakes(report, table, mistakesShown);
    if (mistakes.empty()) return {};
    std::string text = "\n" + title + "\n";
    for (const Mistake& mistake : mistakes)
        text +=
            fmt::format("{:>6}  {} heard as {}\n", mistake.count, displayText(label(report, mistake.truth)),
                        displayText(label(report, mistake.heard)));
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

std::string tableText(const EvaluationReport& report) {
    std::string text = heading(report);
    if (report.recordings > 0) text += summary(report);
    text += falseAlarmLines(report);
    if (report.recordings > 0) {
        text += classTable(report);
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
