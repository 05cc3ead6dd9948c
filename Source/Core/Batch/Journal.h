// What a batch has done so far, in FOLDER/.earshot/journal.sqlite: each recording once, in one transaction
// that is on the disk when record() returns. Whatever kills the program, the journal is as after the last
// record(). One thread at a time, and one program: whoever opens it holds the folder's FolderLock.
#pragma once

#include "Core/Base/Database.h"
#include "Core/Formats/EventFormats.h"
#include "Core/Formats/SqliteDatabase.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace earshot::batch {

// What a batch's results depend on, besides its recordings: every setting and the model, as people would name
// them. Results of equal fingerprints may lie in one folder. Pairs of name and value, in a fixed order:
// {"threshold", "0.4"}.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

// "threshold was 0.4 and is 0.5 now, model was ..."; empty for equal ones.
std::string differences(const Fingerprint& before, const Fingerprint& now);

// A recording as its file was when it was heard: another size or time of change, and it is heard again.
struct FileStamp {
    std::int64_t size = -1;   // bytes; -1: not there
    std::int64_t changed = 0; // nanoseconds since 1970

    bool operator==(const FileStamp&) const = default;
    static FileStamp of(const std::filesystem::path& file);
};

struct JournalEntry {
    std::string name; // Input::name
    FileStamp stamp;
    std::string failure; // one line; empty when all is well
    // Why the recording could not be reached when it was last tried; empty when it could.
    std::string unreachable;
    // What was heard; none when nothing of the recording could be read.
    std::optional<formats::RecordingEvents> result;
};

// The list that a batch works through, as every shard of it sees it.
struct Plan {
    std::size_t total = 0;                                 // recordings of the whole batch
    std::string list;                                      // SHA-256 of all their names
    std::vector<std::pair<std::size_t, std::string>> mine; // places in it and names
};

class Journal {
  public:
    // Opens the folder's journal, or begins one. One of the version before is brought up to date. Throws
    // earshot::Error when it is not Earshot's.
    explicit Journal(const std::filesystem::path& folder);
    // ".../.earshot/journal.sqlite"
    static std::filesystem::path fileIn(const std::filesystem::path& folder);

    // Empty for a journal that has just begun.
    Fingerprint fingerprint();
    void setFingerprint(const Fingerprint& fingerprint);
    // Lists of texts, each under a name: what a merge has to know of the batch.
    std::vector<std::string> list(const std::string& name);
    void setList(const std::string& name, const std::vector<std::string>& values);
    Plan plan();
    void setPlan(const Plan& plan);
    // Forgets everything but the targets.
    void clear();

    struct Brief {
        FileStamp stamp;
        bool failed = false;
        bool heard = false; // there is a result
        bool unreachable = false;
    };
    std::map<std::string, Brief> recordings(); // by name
    void record(const JournalEntry& entry);    // in place of what was known of that name
    // The recording could not be reached, or its results not be written, and what was known of it stays: the
    // result and the stamp of the file that it was made from.
    void noteUnreachable(const std::string& name, const std::string& why);
    void noteFailure(const std::string& name, const std::string& why);
    // They can be reached again.
    void noteReached(std::span<const std::string> names);
    void forget(const std::string& name);
    // All recordings are to be heard again; until then their results stay.
    void outdate();
    std::optional<JournalEntry> find(const std::string& name);

    // The files that Earshot made or is about to make, relative to the folder.
    std::set<std::string> targets();
    void addTargets(std::span<const std::string> files);
    void removeTargets(std::span<const std::string> files);

  private:
    void addTargetsTable();
    void note(const std::string& name, const std::string& column, const std::string& why);
    void runForEach(const char* sql, std::span<const std::string> texts);
    void readEvents(std::int64_t recording, formats::RecordingEvents& result);

    std::filesystem::path folder_;
    Database database_;
};

// Keeps other programs out of a folder while it lives, and goes with the program however that ends. Throws
// earshot::Error when another holds it.
class FolderLock {
  public:
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int descriptor_ = -1;
};

// What a journal says of its batch, so that a merge can do without the command line that made it.
struct JournalFacts {
    std::vector<std::string> suffixes; // of the files of each recording
    std::vector<std::string> joined;   // formats
    std::string documents;             // version of Earshot's tables that the files of recordings have
    formats::DatabaseModel model;
};

// Counted up when tables change: those of an older version are written anew from the journal.
inline constexpr const char* documentsVersion = "2";

void describe(Journal& journal, const JournalFacts& facts);
JournalFacts factsOf(Journal& journal);

} // namespace earshot::batch
