// The files a batch makes: of each recording its own, NAME with its extension and a suffix ("a.wav.csv"), so
// that a.wav and a.flac never meet; and joined ones of all recordings ("events.csv"). A kind is shared by all
// jobs and immutable; a writer belongs to one job.
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

// Which files of a results folder Earshot made, so that it never replaces or deletes another's. A file is
// claimed in the journal before it is renamed into place: a program that is killed between the two leaves no
// file of unknown origin. One thread at a time.

// A recording's result: NAME and the suffix behind it. Where that is no name for a file (over 255 bytes),
// NAME is cut and ends in '~' and the first 16 digits of the SHA-256 of the recording's whole relative name,
// so that the result's name follows from the recording's alone. Throws earshot::Error for a recording that is
// called by a name which leads out of the folder, or into Earshot's own.
std::filesystem::path outputFile(const std::filesystem::path& folder, const std::string& recording,
                                 const std::string& suffix);
// Relative, normalised, without "..", and in no folder of Earshot's own (".earshot").
bool staysInside(const std::string& name);

class Targets {
  public:
    // overwrite: files of others may be replaced too.
    Targets(Journal& journal, std::filesystem::path folder, bool overwrite);

    // Before anything is written. Throws earshot::Error that names the wanted files which are there and not
    // ours.
    void refuseOthers(std::span<const std::filesystem::path> wanted) const;
    // Right before they are written. Throws WriteError when another's file has come meanwhile.
    void claim(std::span<const std::filesystem::path> files);
    // The file holds what would be written, whoever made it: it is ours from now on.
    void adopt(const std::filesystem::path& file);
    // Removes those that are ours, and gives up the claim to them.
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
    // Gets the recording's columns, if it wants them.
    virtual detection::ColumnObserver* observer() { return nullptr; }
    // The recording has been heard: from here on the file is whole and can be committed.
    virtual void finish(const formats::RecordingEvents& recording) = 0;
};

class OutputKind {
  public:
    virtual ~OutputKind() = default;
    virtual std::string suffix() const = 0; // ".csv"
    // Follows from the events alone, so that a journal is enough to make it again.
    virtual bool needsAudio() const = 0;
    // `file` outlives the writer.
    virtual std::unique_ptr<OutputWriter> write(WholeFile& file) const = 0;
};

using OutputKinds = std::vector<std::shared_ptr<const OutputKind>>;

// One recording's events in a format.
std::shared_ptr<const OutputKind> documentKind(const formats::EventFormat& format);

// Formats of which one file can hold a whole batch: those that join, and "sqlite".
std::vector<std::string> joinedFormats();
// "events.csv"
std::filesystem::path joinedFile(const std::filesystem::path& folder, const std::string& format);

// What a database says of a batch beside its recordings.
struct BatchFacts {
    formats::DatabaseModel model;
    Fingerprint settings;
};

// Calls its argument for every recording that was tried, in the batch's order.
using EachRecording = std::function<void(const std::function<void(const JournalEntry& entry)>&)>;
// Throws WriteError, or earshot::Error from a database.
void writeJoined(const std::filesystem::path& folder, const std::string& format, const BatchFacts& facts,
                 const EachRecording& all, Targets& targets);

struct Failure {
    std::string name;
    std::string message;
    bool unreachable = false; // what is known of the recording stays
};
// Of these recordings. missing: those that are not named by a batch's inputs any more, sorted.
std::vector<Failure> failuresOf(Journal& journal, const std::vector<std::string>& names,
                                const std::vector<std::string>& missing);
// FOLDER/failed.csv, or none when nothing failed.
std::filesystem::path failuresFile(const std::filesystem::path& folder);
void writeFailures(const std::filesystem::path& folder, const std::vector<Failure>& failures,
                   Targets& targets);

// A recording's probabilities (Core/Detection/Kept/Activations.h).
std::shared_ptr<const OutputKind> activationOutput(detection::ActivationKind kind,
                                                   detection::ActivationInfo info);

} // namespace earshot::batch
