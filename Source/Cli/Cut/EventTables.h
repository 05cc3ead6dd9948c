// The events that `earshot cut` cuts out: of Earshot's results and of tables that other programs write, by
// recording. Main thread.
#pragma once

#include "Core/Batch/Cutting.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

struct ListedRecording {
    std::string name;           // as its table names it
    std::filesystem::path file; // empty: it is not found
    std::filesystem::path table;
    std::vector<batch::CutEvent> events; // by onset, numbered
};

struct EventTables {
    std::vector<ListedRecording> recordings;  // in the order of the tables
    std::vector<std::filesystem::path> files; // the tables
    std::vector<std::string> problems;        // of tables and rows that are left out: lines
    std::vector<std::string> notes;
};

// arguments: tables, databases, and folders of results. base: a folder of the recordings, or null. Recordings
// are looked for below it, below the folders that the results were made of, and beside the table. The same
// event of the same recording counts once.
EventTables readEventTables(const std::vector<std::string>& arguments,
                            const std::optional<std::filesystem::path>& base, const std::string& labelColumn);

} // namespace earshot::cli
