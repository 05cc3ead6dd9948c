#include "Core/Batch/StoredEvents.h"

#include "Core/Base/Database.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Journal.h"

#include <array>
#include <span>
#include <string_view>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

bool hasTable(Database& database, std::string_view table, std::string_view column) {
    auto row = database.prepare("SELECT count(*) FROM pragma_table_info(?) WHERE name = ?");
    return row.bind(1, table).bind(2, column).step() && row.integer(0) > 0;
}

// The columns of both kinds: name, base, onset, offset, label, peak, confidence.
std::string queryFor(Database& database, const fs::path& file) {
    if (hasTable(database, "files", "path") && hasTable(database, "events", "onset_s"))
        return "SELECT path, '', onset_s, offset_s, label, peak, ifnull(confidence, 0) FROM events "
               "JOIN files ON files.id = file_id ORDER BY file_id, events.id";
    if (hasTable(database, "recordings", "heard") && hasTable(database, "events", "onset"))
        return std::string("SELECT name, ") + (hasTable(database, "recordings", "base") ? "base" : "''") +
               ", onset, \"offset\", label, peak, confidence FROM events "
               "JOIN recordings ON recordings.id = recording ORDER BY name, events.id";
    throw Error(displayName(file) +
                ": is a database without events of Earshot's; name one of 'earshot analyze --joined sqlite'");
}

} // namespace

bool isDatabase(const fs::path& file) {
    constexpr std::string_view magic = "SQLite format 3";
    std::array<char, magic.size()> bytes{};
    const RegularFile opened(file, "table of events");
    return opened.readSome(0, std::as_writable_bytes(std::span(bytes))) == magic.size() &&
           std::string_view(bytes.data(), bytes.size()) == magic;
}

void eachStoredRecording(const fs::path& file, const std::function<void(StoredRecording&)>& take) {
    Database database(file, Database::Access::read);
    auto rows = database.prepare(queryFor(database, file));
    StoredRecording recording;
    const auto finish = [&] {
        if (!recording.events.empty()) take(recording);
    };
    while (rows.step()) {
        if (std::string name = rows.text(0); name != recording.name || recording.events.empty()) {
            finish();
            recording = {.name = std::move(name), .base = rows.text(1), .events = {}};
        }
        recording.events.push_back({.onset = rows.real(2),
                                    .offset = rows.real(3),
                                    .label = rows.text(4),
                                    .peak = static_cast<float>(rows.real(5)),
                                    .confidence = static_cast<float>(rows.real(6))});
    }
    finish();
}

std::optional<fs::path> resultsFolderOf(const fs::path& file) {
    constexpr int maxDepth = 64;
    fs::path folder = tidied(file).parent_path();
    for (int depth = 0; depth < maxDepth; ++depth) {
        std::error_code notThere;
        if (fs::is_regular_file(Journal::fileIn(folder), notThere)) return folder;
        if (folder == folder.parent_path()) break;
        folder = folder.parent_path();
    }
    return std::nullopt;
}

std::vector<fs::path> recordingFolders(const fs::path& results) {
    const fs::path file = Journal::fileIn(results);
    Database database(file, Database::Access::read);
    std::vector<fs::path> folders;
    if (!hasTable(database, "recordings", "base")) return folders;
    auto rows = database.prepare("SELECT DISTINCT base FROM recordings WHERE base <> '' ORDER BY 1");
    while (rows.step()) folders.emplace_back(rows.text(0));
    return folders;
}

} // namespace earshot::batch
