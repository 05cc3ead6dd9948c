// Analyses many recordings into one folder, several at once. Each recording is committed as soon as it is
// done, so that a program that was stopped or killed continues where it was. It ends with the same folder as
// an uninterrupted run.
//
// To commit a recording, a job writes its files under temporary names. Another thread claims them in the
// journal, syncs them to the disk and renames them; then it writes the recording's row in the journal. It
// takes all recordings that became ready while it waited for the disk at once. If the program is killed in
// between, the next run analyses these again and replaces their files by equal ones. Joined files are made
// from the journal at the end, in the order of names. One thread owns a Batch and waits in run(); the jobs
// have threads of their own.
//
// Results outlive their recordings. A recording that cannot be reached keeps its results, even if the inputs
// no longer name it. It is listed as a failure until it can be reached, or until forgetMissing removes its
// results. Those that the inputs leave out and that lie where they were have nothing wrong: a run may be over
// a part of an archive. Results never take the place of another recording's (Namesakes.h).
//
// A file of a recording is never older than its row: when a recording is analysed again, its files in formats
// that the run does not write are deleted if its results may have changed.
#pragma once

#include "Core/Audio/RecordingStart.h"
#include "Core/Base/Error.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Detector.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::batch {

struct BatchRequest {
    std::filesystem::path folder; // for results; a shard's results lie in a subfolder
    Inputs inputs;                // the whole batch, in any order
    std::optional<Shard> shard;
    Fingerprint fingerprint; // everything that results depend on, except the recordings
    OutputKinds outputs;
    std::vector<std::string> joined; // names from joinedFormats(), and topFormat()s
    formats::DatabaseModel model;    // written to databases
    audio::Starts starts = {};       // a stated one is that of each recording, or of each recorder's first
    bool continuous = false;         // files of one recorder are joined (Continuous.h)
    std::optional<int> jobs;         // recordings at once; null: the smaller of threads and recordings
    int threads = 1;                 // for all jobs together; each job has at least one
    bool restart = false;            // analyse all recordings again
    bool overwrite = false;          // results may replace files that Earshot did not make in this folder
    bool forgetMissing = false; // delete the results of recordings that the inputs do not name and are gone
    // Files read beside the recordings, such as the model and lists. Results never overwrite them.
    std::vector<std::filesystem::path> readFiles;
    // Hears of each recording once its entry is in the journal, or why its earlier results stay. Called by
    // one thread at a time, which others wait for.
    std::function<void(const JournalEntry&)> recorded = {};
};

// A recording that is being analysed.
struct Hearing {
    std::string name;
    double share = 0.0; // 0 to 1, how much of it was heard; 0 if its length is not known
};

struct BatchProgress {
    std::size_t done = 0;      // recordings, failed ones and those of earlier runs included
    std::size_t total = 0;     // recordings of this shard
    double secondsHeard = 0.0; // seconds of audio analysed in this run
    double share = 0.0;        // 0 to 1, the part of this run's work that is done
    std::vector<Hearing> hearing = {};
};

struct BatchSummary {
    std::size_t total = 0;             // as in BatchProgress
    std::size_t done = 0;              // as in BatchProgress
    std::size_t tried = 0;             // recordings of this run, failed ones included
    std::size_t heard = 0;             // those of them that have a result
    double secondsHeard = 0.0;         // as in BatchProgress
    double secondsPassedOver = 0.0;    // of those: one look sufficed (Windows/CoarseBound.h)
    std::vector<Failure> failures;     // in the order of names, unreachable recordings included
    std::vector<std::string> warnings; // about recordings that were analysed nevertheless
    bool stopped = false;
};

// The folder's results were made with other settings.
class SettingsError : public Error {
  public:
    SettingsError(const std::string& message, std::string settings)
        : Error(message)
        , differences(std::move(settings)) {}

    std::string differences; // "threshold was 0.4 and is 0.5 now"
};

// Returns the folders to which the names of a batch's results are relative, deepest first. Throws
// earshot::Error if another program works in the folder, or its journal cannot be read.
std::vector<std::filesystem::path> basesOfResults(const std::filesystem::path& folder,
                                                  const std::optional<Shard>& shard);

class Batch {
  public:
    // run() calls it several times a second on its own thread. Returning false stops the batch and discards
    // the recordings that are being analysed.
    using Tick = std::function<bool(const BatchProgress&)>;

    // Opens the folder. Throws earshot::Error if
    //   another program works in it, or it cannot be written,
    //   its results were made with other settings (SettingsError, unless `restart`),
    //   it holds files under the names of results that Earshot did not make (unless `overwrite`),
    //   a result would overwrite an input or another result,
    //   a result would replace that of a recording elsewhere, or a recording has a result under another name,
    //   or a folder of recordings is gone whose results it holds.
    explicit Batch(BatchRequest request);
    ~Batch();

    const std::filesystem::path& folder() const; // the request's, or its shard's subfolder
    std::size_t total() const;
    std::size_t alreadyDone() const;
    // Calls `take` with the entry of each recording of this shard that is done already. Call it before run().
    void eachDone(const std::function<void(const JournalEntry&)>& take);

    // Analyses the remaining recordings. Throws WriteError if results cannot be written.
    BatchSummary run(const detection::Detector& detector, const Tick& tick);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::batch
