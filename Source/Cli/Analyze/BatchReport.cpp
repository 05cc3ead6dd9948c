#include "Cli/Analyze/BatchReport.h"

#include "Cli/Output/Terminal.h"
#include "Core/Base/Clock.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace earshot::cli {

namespace {

// The terminal lists at most this many failures.
constexpr std::size_t maxFailures = 20;

std::string realTimeFactor(double audio, double seconds) {
    const double factor = audio / std::max(seconds, 1e-3);
    return fmt::format("{:.{}f}x real time", factor, factor < 10.0 ? 1 : 0);
}

// Whether it is a folder of recordings that failed, too. `all` are sorted by name.
bool holdsOthers(const batch::Failure& failure, const std::vector<batch::Failure>& all) {
    const std::string folder = failure.name + "/";
    const auto first = std::ranges::lower_bound(all, folder, {}, &batch::Failure::name);
    return first != all.end() && first->name.starts_with(folder);
}

} // namespace

std::string audioLength(double seconds) {
    if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
    if (seconds < 3600.0) return fmt::format("{:.1f} min", seconds / 60.0);
    return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string progressText(const batch::BatchProgress& progress, double seconds) {
    std::string text = fmt::format("{} of {}  {} analysed", progress.done,
                                   counted(progress.total, "recording"), audioLength(progress.secondsHeard));
    if (seconds < 1.0 || progress.secondsHeard <= 0.0) return text;
    text += "  " + realTimeFactor(progress.secondsHeard, seconds);
    // Earlier, the estimate would be too rough.
    if (progress.share > 0.005)
        text +=
            fmt::format("  about {} left", clockReading(seconds * (1.0 - progress.share) / progress.share));
    return text;
}

std::string passedOverText(double passedOver, double seconds) {
    constexpr double briefest = 60.0;
    if (seconds < briefest || passedOver < 0.01 * seconds) return {};
    return fmt::format("{:.0f} % of {} passed over after one look", 100.0 * passedOver / seconds,
                       clockReading(seconds, {.hours = true}));
}

std::string summaryText(const batch::BatchSummary& summary, const std::filesystem::path& folder,
                        double seconds) {
    std::string text = counted(summary.total, "recording");
    if (summary.heard < summary.total) text += fmt::format(", {} of them analysed now", summary.heard);
    if (summary.secondsHeard > 0.0)
        text += fmt::format(", {} in {}, {}", audioLength(summary.secondsHeard), clockReading(seconds),
                            realTimeFactor(summary.secondsHeard, seconds));
    if (const auto passed = passedOverText(summary.secondsPassedOver, summary.secondsHeard); !passed.empty())
        text += ", " + passed;
    std::size_t failed = 0, unreachable = 0;
    for (const batch::Failure& failure : summary.failures)
        if (!failure.unreachable)
            ++failed;
        else if (!holdsOthers(failure, summary.failures))
            ++unreachable;
    if (failed > 0) text += fmt::format(", {} failed", failed);
    if (unreachable > 0)
        text += fmt::format(", {} could not be reached and kept what was known", unreachable);
    if (!summary.failures.empty()) text += ": see " + displayName(batch::failuresFile(folder));
    return text;
}

void printFailures(const std::vector<batch::Failure>& failures, const std::filesystem::path& folder) {
    for (std::size_t i = 0; i < std::min(failures.size(), maxFailures); ++i) printError(failures[i].message);
    if (failures.size() > maxFailures)
        printError(fmt::format("and {} more that failed: see {}", failures.size() - maxFailures,
                               displayName(batch::failuresFile(folder))));
}

BatchReport::BatchReport(bool wanted)
    : wanted_(wanted)
    , line_(wanted) {}

double BatchReport::elapsed() const { return secondsSince(begin_); }

void BatchReport::show(const batch::BatchProgress& progress) {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::seconds(1);
    line_.show(progressText(progress, elapsed()));
}

void BatchReport::finish(const batch::BatchSummary& summary, const std::filesystem::path& folder) {
    line_.clear();
    if (wanted_)
        for (const std::string& warning : summary.warnings) printNote("warning: " + warning);
    if (summary.stopped) {
        printNote(fmt::format("stopped: {} of {} are done; the same command goes on with the rest",
                              summary.done, counted(summary.total, "recording")));
        return;
    }
    printFailures(summary.failures, folder);
    if (!wanted_) return;
    printNote(summaryText(summary, folder, elapsed()));
}

} // namespace earshot::cli
