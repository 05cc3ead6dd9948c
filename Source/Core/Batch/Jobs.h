// Runs the threads of a batch. Each takes the next recording, analyses it and writes its files under
// temporary names. One more thread puts these into place and reports journal entries, several at once, so
// that no job waits for the disk. One thread owns a Jobs and waits in run().
#pragma once

#include "Core/Batch/Batch.h"
#include "Core/Batch/Journal.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace earshot::batch {

struct JobSettings {
    std::filesystem::path folder;
    std::filesystem::path base; // Inputs::base
    audio::Starts starts;
    bool continuous = false; // the recordings of a recorder are joined
    OutputKinds outputs;
    int jobs = 1;
    int threadsEach = 1;
};

struct Work {
    Input input;
    bool heardBefore = false; // an earlier run has its result
};

// Receives the reports of jobs. Its functions are called by one thread at a time.
class ResultSink {
  public:
    virtual ~ResultSink() = default;
    // Runs `changes`, which call the functions below. All of them are lasting when it returns.
    virtual void together(const std::function<void()>& changes) = 0;
    // Called before the files are renamed into place. Throws WriteError if they must not be.
    virtual void claim(std::span<const std::filesystem::path> files) = 0;
    // Called once the recording's files are in place.
    virtual void record(const JournalEntry& entry) = 0;
    // The recording exists but cannot be decoded, so its earlier results are no longer valid.
    virtual void recordUnreadable(const JournalEntry& entry) = 0;
    // The recording's earlier results stay.
    virtual void noteUnreachable(const std::string& name, const std::string& why) = 0;
    virtual void noteFailure(const std::string& name, const std::string& why) = 0;
};

// Totals of all jobs.
struct JobReport {
    std::size_t tried = 0; // recordings, failed ones included
    std::size_t heard = 0; // those of them that have a result
    double secondsHeard = 0.0;
    double secondsPassedOver = 0.0; // of those: one look sufficed
    std::vector<std::string> warnings;
    bool stopped = false;
    std::vector<Hearing> hearing; // while jobs run
};

class Jobs {
  public:
    using Tick = std::function<bool(const JobReport& soFar, double share)>;

    Jobs(JobSettings settings, const detection::Detector& detector);
    ~Jobs();

    // Analyses `work`. Rethrows an error that no recording caused, after all jobs have stopped.
    JobReport run(std::span<const Work> work, ResultSink& sink, const Tick& tick);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::batch
