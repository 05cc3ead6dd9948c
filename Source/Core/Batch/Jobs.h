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

    Jobs(JobSettings settings, const Listening& listening);
    ~Jobs();

    // commit: called by one thread at a time, once a recording's files are in place. Throws what a job threw
    // that is no fault of its recording, once all of them have stopped.
    JobReport run(std::span<const Input> inputs, const std::function<void(const JournalEntry&)>& commit,
                  const Tick& tick);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::batch
