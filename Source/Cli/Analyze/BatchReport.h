// What a batch reports to people: a progress line, rewritten once a second on a terminal, and a summary at
// the end. Main thread.
#pragma once

#include "Cli/Output/Terminal.h"
#include "Core/Batch/Batch.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace earshot::cli {

// "12 of 312 recordings  1.4 h analysed  189x real time  about 12:40 left". seconds: since the start of the
// run.
std::string progressText(const batch::BatchProgress& progress, double seconds);
// "71 % of 10:00:00 passed over after one look", or nothing if that is less than one percent, or
// the audio less than a minute.
std::string passedOverText(double passedOver, double seconds);
// "312 recordings, 41.2 h in 13:05, 189x real time, 2 failed: see DIR/failed.csv"
std::string summaryText(const batch::BatchSummary& summary, const std::filesystem::path& folder,
                        double seconds);
// "41.2 h", "3.5 min"
std::string audioLength(double seconds);

// Prints the failures, one a line. Of many it prints the first 20, and names the file with all of them.
void printFailures(const std::vector<batch::Failure>& failures, const std::filesystem::path& folder);

class BatchReport {
  public:
    // Without `wanted`, only errors are printed.
    explicit BatchReport(bool wanted);

    void show(const batch::BatchProgress& progress);
    void finish(const batch::BatchSummary& summary, const std::filesystem::path& folder);

  private:
    using Clock = std::chrono::steady_clock;
    double elapsed() const; // seconds

    bool wanted_;
    ProgressLine line_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_ = begin_;
};

} // namespace earshot::cli
