// The threads of a batch: each takes the next recording, hears it, writes its files and hands its journal
// entry over. One thread owns it and waits in run().
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
    OutputKinds outputs;
    int jobs = 1;
    int threadsEach = 1;
};

struct Work {
    Input input;
    bool heardBefore = false; // an earlier run has its result
};

// Where jobs report to. Called by one thread at a time.
class Ledger {
  public:
    virtual ~Ledger() = default;
    // The files are about to be renamed into place. Throws WriteError where they may not be.
    virtual void claim(std::span<const std::filesystem::path> files) = 0;
    // Its files are in place.
    virtual void record(const JournalEntry& entry) = 0;
    // The recording is there and cannot be decoded: results that were made of it earlier are no longer true.
    virtual void recordUnreadable(const JournalEntry& entry) = 0;
    // What is known of it stays.
    virtual void noteUnreachable(const std::string& name, const std::string& why) = 0;
    virtual void noteFailure(const std::string& name, const std::string& why) = 0;
};

// What the jobs did in all.
struct JobReport {
    std::size_t heard = 0; // failed ones included
    double secondsHeard = 0.0;
    std::vector<std::string> warnings;
    bool stopped = false;
};

class Jobs {
  public:
    using Tick = std::function<bool(const JobReport& soFar, double share)>;

    Jobs(JobSettings settings, const detection::Detector& detector);
    ~Jobs();

    // Throws what a job threw that is no fault of its recording, once all of them have stopped.
    JobReport run(std::span<const Work> work, Ledger& ledger, const Tick& tick);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::batch
