// Many recordings into one folder: several at once, each committed as soon as it is done, so that a program
// that was stopped or killed goes on where it was and ends with the same folder as an undisturbed one.
//
// Commit of a recording: its files under temporary names, on disk, claimed in the journal, renamed; then its
// row in the journal. Joined files are made from the journal at the end, in the order of names. Killed in
// between, a recording is heard again, and its files replaced by equal ones. One thread owns a Batch and
// waits in run(); the jobs have their own.
//
// Results outlive their recordings. A recording that cannot be reached keeps what it has, also when the
// inputs do not name it any more; it is listed as a failure until it can be reached, or until forgetMissing.
#pragma once

#include "Core/Batch/Inputs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::batch {

struct BatchRequest {
    std::filesystem::path folder; // of results; a shard's lie in a folder of their own in it
    std::vector<Input> inputs;    // the whole batch; sorted here
    std::optional<Shard> shard;
    Fingerprint fingerprint; // of whatever results depend on
    OutputKinds outputs;
    std::vector<std::string> joined; // of joinedFormats()
    formats::DatabaseModel model;    // for databases
    std::optional<int> jobs;         // recordings at once; else as many as there are threads and recordings
    int threads = 1;                 // of all jobs together, at least one each
    bool restart = false;            // hear again what is done
    bool overwrite = false;          // results may replace files that Earshot did not make in this folder
    bool forgetMissing = false;      // recordings that the inputs do not name any more lose their results
    std::vector<std::filesystem::path> roots;     // folders that the inputs were found below
    std::vector<std::filesystem::path> readFiles; // beside the recordings: the model, lists; never written to
};

struct BatchProgress {
    std::size_t done = 0;      // recordings, failed ones and those of earlier runs included
    std::size_t total = 0;     // of this shard
    double secondsHeard = 0.0; // of audio, in this run
    double share = 0.0;        // 0 to 1, of what this run has to do
};

struct BatchSummary {
    std::size_t total = 0;
    std::size_t done = 0;  // likewise
    std::size_t heard = 0; // in this run
    double secondsHeard = 0.0;
    std::vector<Failure> failures;     // in the order of names, unreachable recordings among them
    std::vector<std::string> warnings; // of recordings that were heard all the same
    bool stopped = false;
};

class Batch {
  public:
    // Called several times a second by the thread in run(); false: stop, dropping what is running.
    using Tick = std::function<bool(const BatchProgress&)>;

    // Opens the folder. Throws earshot::Error when another program is at work in it, when its results were
    // made with other settings (and not `restart`), when it cannot be written, when it holds files of others
    // under the names of results (and not `overwrite`), and when a folder of recordings is gone whose results
    // it holds.
    explicit Batch(BatchRequest request);
    ~Batch();

    const std::filesystem::path& folder() const; // the shard's own, where there is one
    std::size_t total() const;
    std::size_t alreadyDone() const;

    // Throws WriteError when results cannot be written.
    BatchSummary run(const detection::Detector& detector, const Tick& tick);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::batch
