// Writes the files of a batch. Each recording has its own files, whose names are the recording's with its
// extension and a suffix ("a.wav.csv"), so that a.wav and a.flac never share a file. Joined files hold all
// recordings ("events.csv"). An OutputKind is immutable and shared by all jobs; an OutputWriter belongs to
// one job.
#pragma once

#include "Core/Base/WholeFile.h"
#include "Core/Batch/Journal.h"
#include "Core/Detection/Kept/Activations.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/EventFormats.h"
#include "Core/Formats/SqliteDatabase.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace earshot::batch {

struct Input;

// Returns the path of a recording's result: the recording's name and the suffix. If the file name would
// exceed 255 bytes, it is cut and ends in '~' and the first 16 digits of the SHA-256 of the recording's whole
// relative name, so that the result's name depends on the recording's alone. Throws earshot::Error unless
// staysInside(recording).
std::filesystem::path outputFile(const std::filesystem::path& folder, const std::string& recording,
                                 const std::string& suffix);
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder, const std::string& recording,
                                           const std::set<std::string>& suffixes);
// Returns whether a name is relative, normalised, without "..", and outside Earshot's folder ".earshot".
bool staysInside(const std::string& name);
// Returns whether results may have the suffix: it begins with a dot, and no recording ends in it. Another
// program may have written the journal that names it.
bool isSuffixOfResults(const std::string& suffix);

// Knows which files of a results folder Earshot made, so that Earshot never replaces or deletes other files.
// A file is claimed in the journal before it is renamed into place: a program that is killed between the two
// leaves no file of unknown origin. One thread at a time.
class Targets {
  public:
    // `overwrite` allows files that Earshot did not make to be replaced.
    Targets(Journal& journal, std::filesystem::path folder, bool overwrite);

    // Call it before anything is written. Throws earshot::Error that names the wanted files that exist and
    // that Earshot did not make.
    void refuseOthers(std::span<const std::filesystem::path> wanted) const;
    // Call it right before the files are written. Throws WriteError if another program has made one by then.
    void claim(std::span<const std::filesystem::path> files);
    // Claims a file that already has the right bytes, whoever made it.
    void adopt(const std::filesystem::path& file);
    // Deletes the files that Earshot made and removes the claims to them.
    void remove(std::span<const std::filesystem::path> files);

  private:
    bool isOthers(const std::filesystem::path& file) const;
    std::string key(const std::filesystem::path& file) const;

    Journal& journal_;
    std::filesystem::path folder_;
    bool overwrite_;
    std::set<std::string> ours_;
};

// As Targets::refuseOthers, for a folder without a journal.
void refuseOthersInNewFolder(std::span<const std::filesystem::path> wanted);

class OutputWriter {
  public:
    virtual ~OutputWriter() = default;
    // Returns an observer of the recording's columns; null: it needs none.
    virtual detection::ColumnObserver* observer() { return nullptr; }
    // Completes the file after the recording is analysed. The file can then be committed.
    virtual void finish(const formats::RecordingEvents& recording) = 0;
};

class OutputKind {
  public:
    virtual ~OutputKind() = default;
    virtual std::string suffix() const = 0; // ".csv"
    // False: the file depends on the events alone, so that the journal suffices to make it again.
    virtual bool needsAudio() const = 0;
    // `file` outlives the writer.
    virtual std::unique_ptr<OutputWriter> write(WholeFile& file) const = 0;
};

using OutputKinds = std::vector<std::shared_ptr<const OutputKind>>;

// Returns the kind that writes one recording's events in a format.
std::shared_ptr<const OutputKind> documentKind(const formats::EventFormat& format);

// Returns the formats that can hold a whole batch in one file: the event formats that join, and "sqlite".
std::vector<std::string> joinedFormats();
// The joined format that holds the `count` likeliest sounds of each recording, as formats::makeTopDocument()
// makes it: "top3.csv" for 3 and "csv".
std::string topFormat(int count, const std::string& document);
// Returns how many sounds each recording has in the joined formats; 0 if none of them is topFormat()'s.
int topCount(std::span<const std::string> joined);
// Whether writeJoined() knows the name: joinedFormats(), or a topFormat().
bool isJoinedFormat(const std::string& name);
// "events.csv"; "top.csv" for "top3.csv"
std::filesystem::path joinedFile(const std::filesystem::path& folder, const std::string& format);

// Facts about a batch that a database holds beside the recordings.
struct BatchFacts {
    formats::DatabaseModel model;
    Fingerprint settings;
    int top = 0; // topCount(): the likeliest sounds of each recording in its table `top`
};

// A function that calls its argument for every recording in the journal, in the batch's order.
using EachRecording = std::function<void(const std::function<void(const JournalEntry& entry)>&)>;
// Throws WriteError, or earshot::Error from a database.
void writeJoined(const std::filesystem::path& folder, const std::string& format, const BatchFacts& facts,
                 const EachRecording& all, Targets& targets);

struct Failure {
    std::string name;
    std::string message;
    bool unreachable = false; // the recording's earlier results stay
};
// Returns the failures among the recordings `names`. `missing` are the recordings that the batch's inputs no
// longer name, sorted.
std::vector<Failure> failuresOf(Journal& journal, const std::vector<std::string>& names,
                                const std::vector<std::string>& missing);
std::filesystem::path failuresFile(const std::filesystem::path& folder); // FOLDER/failed.csv
// Writes failuresFile(), or deletes it if nothing failed.
void writeFailures(const std::filesystem::path& folder, const std::vector<Failure>& failures,
                   Targets& targets);

// Removes the temporary files of a killed run, which lie beside the results of this run or the previous one.
void removeLeftovers(const std::filesystem::path& folder, std::span<const Input> inputs, const Plan& before);

// Returns the kind that writes one recording's kept activations (Core/Detection/Kept/Activations.h).
std::shared_ptr<const OutputKind> activationOutput(detection::ActivationKind kind,
                                                   detection::ActivationInfo info);

} // namespace earshot::batch
