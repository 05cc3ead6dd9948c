#include "Cli/Cut/EventTables.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Merge.h"
#include "Core/Batch/StoredEvents.h"
#include "Core/Training/Data/LabelTable.h"
#include "Core/Training/Data/RecordingFinder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace earshot::cli {

namespace fs = std::filesystem;

namespace {

using training::LabelRow;
using training::RecordingFinder;

constexpr std::uint64_t maxTableBytes = 1u << 28;

class EventTableReader {
  public:
    EventTableReader(const std::optional<fs::path>& base, std::string labelColumn)
        : base_(base)
        , labelColumn_(std::move(labelColumn)) {}

    void read(const fs::path& argument) {
        try {
            std::error_code notThere;
            if (fs::is_directory(argument, notThere))
                readFolder(argument);
            else if (batch::isDatabase(argument))
                readDatabase(argument);
            else
                readTable(argument);
        } catch (const Error& error) {
            found_.problems.emplace_back(error.what());
        }
    }

    EventTables finish() {
        for (ListedRecording& recording : found_.recordings) {
            auto& events = recording.events;
            const auto key = [](const batch::CutEvent& event) {
                return std::tie(event.onset, event.offset, event.label);
            };
            std::ranges::stable_sort(events, {}, key);
            const auto twins =
                std::unique(events.begin(), events.end(),
                            [&](const auto& one, const auto& other) { return key(one) == key(other); });
            events.erase(twins, events.end());
            for (std::size_t i = 0; i < events.size(); ++i) events[i].number = i + 1;
        }
        return std::move(found_);
    }

  private:
    void readFolder(const fs::path& folder) {
        std::error_code notThere;
        if (const auto journal = batch::Journal::fileIn(folder); fs::is_regular_file(journal, notThere))
            return readStored(journal, folder);
        const auto shards = batch::shardFoldersIn(folder);
        if (shards.empty())
            throw Error(displayName(folder) +
                        ": holds no results of 'earshot analyze --output-dir'; name the tables in it");
        for (const fs::path& shard : shards) readStored(batch::Journal::fileIn(shard), shard);
    }

    void readDatabase(const fs::path& file) {
        const auto results = batch::resultsFolderOf(file);
        readStored(file, results ? *results : file.parent_path());
    }

    // place: what lies beside the recordings if nothing else is known.
    void readStored(const fs::path& database, const fs::path& place) {
        found_.files.push_back(database);
        const auto folders = foldersFor(database);
        batch::eachStoredRecording(database, [&](batch::StoredRecording& stored) {
            auto places = folders;
            if (!stored.base.empty()) places.insert(places.begin() + (base_ ? 1 : 0), stored.base);
            places.push_back(place);
            ListedRecording& to = recordingNamed(stored.name, false, places, database);
            for (const auto& event : stored.events)
                to.events.push_back(
                    {event.onset, event.offset, event.label, event.peak,
                     event.confidence > 0.0f ? std::optional<double>(event.confidence) : std::nullopt});
        });
    }

    void readTable(const fs::path& file) {
        found_.files.push_back(file);
        const std::string text = readWholeFile(file, maxTableBytes, "table of events");
        const auto table = training::parseLabelTable(text, file, labelColumn_);
        for (const auto& problem : table.problems)
            (problem.leftOut ? found_.problems : found_.notes).push_back(problem.line());
        if (!table.timed)
            throw Error(displayName(file) + ": has no onsets and offsets; " + training::wantedColumns);
        auto folders = foldersFor(file);
        folders.push_back(file.parent_path());
        std::optional<fs::path> own;
        if (!table.namesFiles) own = ownRecording(file);
        for (const LabelRow& row : table.rows) {
            if (table.namesFiles && row.file.empty()) {
                leaveOut(file, table, row, "names no file");
                continue;
            }
            ListedRecording& to = own ? recordingAt(own->filename().string(), *own, file)
                                      : recordingNamed(row.file, row.mayHaveMoved, folders, file);
            add(file, table, row, to);
        }
    }

    void add(const fs::path& file, const training::LabelTable& table, const LabelRow& row,
             ListedRecording& to) {
        if (!row.span) return; // it says what is in the recording, not when
        if (!row.span->problem.empty() && !row.span->isMoment)
            return leaveOut(file, table, row, row.span->problem);
        // An event without a label has none in its clip's name either.
        const auto labels = row.labels.empty() ? std::vector<std::string>{"unlabelled"} : row.labels;
        for (const std::string& label : labels)
            to.events.push_back({row.span->onset, row.span->offset, label, row.peak, row.confidence});
    }

    void leaveOut(const fs::path& file, const training::LabelTable& table, const LabelRow& row,
                  const std::string& why) {
        found_.problems.push_back(
            fmt::format("{}, {} {}: {}; the row is left out", displayName(file), table.unit, row.line, why));
    }

    // --base, and the folders of the results that the table lies in.
    std::vector<fs::path> foldersFor(const fs::path& table) const {
        std::vector<fs::path> folders;
        if (base_) folders.push_back(*base_);
        if (const auto results = batch::resultsFolderOf(table)) {
            const auto known = batch::recordingFolders(*results);
            folders.insert(folders.end(), known.begin(), known.end());
        }
        return folders;
    }

    static constexpr const char* anyName = "table"; // in whose folder a finder looks

    ListedRecording& recordingNamed(const std::string& name, bool mayHaveMoved,
                                    const std::vector<fs::path>& folders, const fs::path& table) {
        const auto [known, isNew] = named_.try_emplace({table.string(), name}, 0);
        if (!isNew) return found_.recordings[known->second];
        std::optional<fs::path> file;
        for (const bool moved : {false, true})
            for (const fs::path& folder : folders) {
                if (file || (moved && !mayHaveMoved)) break;
                file = finderIn(folder).find(name, moved);
            }
        ListedRecording& listed = recordingAt(name, file.value_or(fs::path()), table);
        known->second = static_cast<std::size_t>(&listed - found_.recordings.data());
        return listed;
    }

    RecordingFinder& finderIn(const fs::path& folder) {
        return finders_.try_emplace(folder, folder / anyName).first->second;
    }

    // Two tables may be of one recording.
    ListedRecording& recordingAt(const std::string& name, const fs::path& file, const fs::path& table) {
        std::error_code failure;
        const auto canonical = file.empty() ? table / name : fs::canonical(file, failure);
        const auto [known, isNew] = byFile_.try_emplace(canonical, found_.recordings.size());
        if (isNew) found_.recordings.push_back({name, file, table, {}});
        return found_.recordings[known->second];
    }

    // The recording of a table that names none: of its name below one of the folders, or the only one there.
    fs::path ownRecording(const fs::path& table) {
        std::vector<fs::path> places;
        if (base_) places.push_back(*base_ / table.filename());
        places.push_back(table);
        if (const auto results = batch::resultsFolderOf(table))
            for (const fs::path& folder : batch::recordingFolders(*results))
                places.push_back(folder / batch::tidied(table).lexically_relative(*results));
        for (const fs::path& place : places)
            if (const auto files = RecordingFinder(place).namesakes(); files.size() == 1)
                return files.front();
        throw Error(displayName(table) +
                    ": names no recordings, and none of its name is found; give it the name of its recording "
                    "(walk.txt for walk.wav), and name the recording's folder with --base");
    }

    std::optional<fs::path> base_;
    std::string labelColumn_;
    EventTables found_;
    std::map<std::pair<std::string, std::string>, std::size_t> named_; // by table and name
    std::map<fs::path, std::size_t> byFile_;
    std::map<fs::path, RecordingFinder> finders_;
};

} // namespace

EventTables readEventTables(const std::vector<std::string>& arguments, const std::optional<fs::path>& base,
                            const std::string& labelColumn) {
    EventTableReader reader(base, labelColumn);
    for (const std::string& argument : arguments) reader.read(argument);
    return reader.finish();
}

} // namespace earshot::cli
