// Stores the finished recordings of a batch in FOLDER/.earshot/journal.sqlite. Each recording is written in
// one transaction, which is on the disk when record() returns. If the program is killed, the journal has the
// state after the last record(). One thread at a time; the program that opens it must hold the folder's
// FolderLock.
#pragma once

#include "Core/Base/Database.h"
#include "Core/Batch/Fingerprint.h"
#include "Core/Batch/Folders.h"
#include "Core/Formats/EventFormats.h"
#include "Core/Formats/SqliteDatabase.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace earshot::batch {

// The state of a recording's file at its analysis. A recording whose stamp has changed is analysed again.
struct FileStamp {
    std::int64_t size = -1;   // bytes; -1: the file does not exist
    std::int64_t changed = 0; // time of the last change, nanoseconds since 1970

    bool operator==(const FileStamp&) const = default;
    static FileStamp of(const std::filesystem::path& file);
};

struct JournalEntry {
    std::string name;           // Input::name
    std::filesystem::path base; // Inputs::base; empty: an earlier version did not note it
    FileStamp stamp;
    std::string failure; // one line; empty: no failure
    // Why the last run could not reach the recording; empty: it could.
    std::string unreachable;
    // The recording's events; null: nothing of the recording could be read.
    std::optional<formats::RecordingEvents> result;
};

// The list of a batch's recordings, and the part that belongs to one shard.
struct Plan {
    std::size_t total = 0;                                 // recordings of the whole batch
    std::string list;                                      // SHA-256 of all their names
    std::vector<std::pair<std::size_t, std::string>> mine; // positions in the list, and names

    bool operator==(const Plan&) const = default;
};

class Journal {
  public:
    // Opens or creates the folder's journal. Upgrades a journal of an earlier version. Throws earshot::Error
    // if the file is not a journal that this version can read.
    explicit Journal(const std::filesystem::path& folder);
    // ".../.earshot/journal.sqlite"
    static std::filesystem::path fileIn(const std::filesystem::path& folder);

    // Empty for a new journal.
    Fingerprint fingerprint();
    void setFingerprint(const Fingerprint& fingerprint);
    // Named lists of texts: facts about the batch that the next run or a merge needs.
    std::vector<std::string> list(const std::string& name);
    void setList(const std::string& name, const std::vector<std::string>& values);
    // Suffixes of all files that recordings have or had in the folder. The first function throws
    // earshot::Error for one that no results have.
    std::set<std::string> allSuffixes();
    void setAllSuffixes(const std::set<std::string>& suffixes);
    Plan plan();
    void setPlan(const Plan& plan);
    // Deletes everything except the targets and the lists.
    void clear();
    // All that `work` changes here is on the disk when it returns, for one wait. If it throws, nothing
    // changes.
    void together(const std::function<void()>& work) {
        Transaction transaction(database_);
        work();
        transaction.commit();
    }

    struct Summary {
        std::filesystem::path base;
        FileStamp stamp;
        bool outdated = false; // to be analysed again, even if the file has this stamp
        bool failed = false;
        bool heard = false;  // it has a result
        bool hasTop = false; // which knows its likeliest sounds
        bool unreachable = false;
    };
    std::map<std::string, Summary> recordings(); // by name
    void record(const JournalEntry& entry);      // replaces the entry of the same name
    // Notes that the recording could not be reached, or that its results could not be written. The earlier
    // result stays, with the stamp of the file that it was made from.
    void noteUnreachable(const std::string& name, const std::string& why);
    void noteFailure(const std::string& name, const std::string& why);
    // Notes when the recording began, for one of an earlier version.
    void noteStart(const std::string& name, const WallTime& at);
    // Notes that these recordings can be reached again, below this base.
    void noteReached(std::span<const std::string> names, const std::filesystem::path& base);
    // The bases of all recordings with results, deepest first.
    std::vector<std::filesystem::path> bases();
    void moveBase(const std::filesystem::path& from, const std::filesystem::path& to);
    void forget(const std::string& name);
    // Marks all recordings as outdated. Their results stay until they are analysed again.
    void outdate();
    // Makes the stamps of recordings shorter than that many seconds differ from those of their files.
    void forgetStampsBelow(double seconds);
    std::optional<JournalEntry> find(const std::string& name);
    // Calls `take` for those that it has of these, in one reading transaction.
    void each(std::span<const std::string> names, const std::function<void(JournalEntry&)>& take);
    struct Problems {
        std::string failure, unreachable; // as JournalEntry's
    };
    std::map<std::string, Problems> problems(); // by name, of recordings that have any

    // A text that was noted after the last change of a recording here; empty: there was a change since.
    // Joined files use it (JoinedFiles.h).
    std::string unchangedSince();
    void noteUnchanged(const std::string& text);

    // The files that Earshot made or is about to make, as paths relative to the folder.
    std::set<std::string> targets();
    void addTargets(std::span<const std::string> files);
    void removeTargets(std::span<const std::string> files);

  private:
    void addTargetsTable();
    void note(const std::string& name, const std::string& column, const std::string& why);
    void runForEach(const char* sql, std::span<const std::string> texts);
    void readEvents(std::int64_t recording, formats::RecordingEvents& result);
    std::string summary();
    void noteChange();

    std::filesystem::path folder_;
    Database database_;
    std::optional<Statement> findRecording_, findEvents_; // parsing them takes longer than running them
};

// Facts about a batch in its journal, so that a merge does not need the batch's command line.
struct JournalFacts {
    std::vector<std::string> suffixes; // suffixes of each recording's files in the last run
    std::vector<std::string> joined;   // names of joined formats
    // Of the recordings' documents: documentsVersion, the zone of their times (empty: none) and their folder.
    std::string documents;
    std::string zone = {};
    std::string base = {};
    formats::DatabaseModel model;
};

// Increased when the tables in documents change. Older documents are rewritten from the journal.
inline constexpr const char* documentsVersion = "4";

void describe(Journal& journal, const JournalFacts& facts);
JournalFacts factsOf(Journal& journal);

} // namespace earshot::batch
