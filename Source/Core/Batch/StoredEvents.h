// The events in a folder of results (its journal) and in SQLite results, read and not changed, also while
// nothing there can be written. One thread at a time.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace earshot::batch {

struct StoredRecording {
    std::string name;                        // as in results
    std::filesystem::path base;              // the folder that it lies below; empty: not known
    std::vector<formats::TimedEvent> events; // by onset, channel by channel
};

// Whether the file is a SQLite database, by its first bytes.
bool isDatabase(const std::filesystem::path& file);

// Calls take() for each recording that has events, in the order of results. `database`: a journal
// (Journal::fileIn()) or one of SqliteDatabase.h. Throws earshot::Error for another database.
void eachStoredRecording(const std::filesystem::path& database,
                         const std::function<void(StoredRecording&)>& take);

// The folder of results that a file lies in, at any depth; null if it lies in none.
std::optional<std::filesystem::path> resultsFolderOf(const std::filesystem::path& file);
// The folders that the recordings of such a folder lie below.
std::vector<std::filesystem::path> recordingFolders(const std::filesystem::path& results);

} // namespace earshot::batch
