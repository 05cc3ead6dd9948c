#include "Core/Formats/SqliteDatabase.h"

#include "Core/Base/Unicode.h"
#include "Core/Formats/Fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace earshot::formats {

namespace {

constexpr int applicationId = 0x45415253; // "EARS"

constexpr const char* tables = R"(
CREATE TABLE settings (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
CREATE TABLE model (file TEXT NOT NULL, sha256 TEXT NOT NULL, licence TEXT NOT NULL, classes INTEGER NOT NULL);
CREATE TABLE classes (class_index INTEGER PRIMARY KEY NOT NULL, label TEXT NOT NULL);
CREATE TABLE files (id INTEGER PRIMARY KEY NOT NULL, path TEXT NOT NULL, seconds REAL NOT NULL,
    sample_rate INTEGER NOT NULL, channels INTEGER NOT NULL,
    complete INTEGER NOT NULL CHECK (complete IN (0, 1)), error TEXT, start_time TEXT);
CREATE TABLE events (id INTEGER PRIMARY KEY NOT NULL, file_id INTEGER NOT NULL REFERENCES files (id),
    onset_s REAL NOT NULL, offset_s REAL NOT NULL, label TEXT NOT NULL, class_index INTEGER NOT NULL,
    peak REAL NOT NULL, mean REAL NOT NULL, confidence REAL, channel INTEGER, onset_time TEXT);
CREATE TABLE top (file_id INTEGER NOT NULL REFERENCES files (id), rank INTEGER NOT NULL, label TEXT NOT NULL,
    class_index INTEGER NOT NULL, score REAL NOT NULL, PRIMARY KEY (file_id, rank)) WITHOUT ROWID;
CREATE VIEW results AS
    SELECT files.path AS file, onset_s, offset_s, label, class_index, peak, mean, confidence, channel, onset_time
    FROM events JOIN files ON files.id = events.file_id ORDER BY events.id;
)";

// Created last, so that each index is written once and in order.
constexpr const char* indexes = R"(
CREATE INDEX files_by_path ON files (path);
CREATE INDEX events_by_file ON events (file_id, onset_s);
CREATE INDEX events_by_label ON events (label, file_id);
)";

// Pages are cleared before reuse, so that no leftover bytes remain in the file.
Database& emptyIn(Database& database) {
    database.execute("PRAGMA secure_delete = ON; PRAGMA page_size = 4096");
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", applicationId,
                                 SqliteDatabase::version));
    return database;
}

Database& tablesIn(Database& database) {
    database.execute(tables);
    return database;
}

std::string databaseText(std::string_view text) {
    std::string result;
    for (const char c : validUtf8(text))
        if (c == '\0')
            result += "\xef\xbf\xbd";
        else
            result += c;
    return result;
}

// Formats the number as csv does; SQLite converts the text to a number for a numeric column.
std::string decimals(double number, int count) { return fmt::format("{:.{}f}", finite(number), count); }

} // namespace

SqliteDatabase::SqliteDatabase(const std::filesystem::path& file, const DatabaseModel& model,
                               const std::map<std::string, std::string>& settings,
                               const std::filesystem::path& shownAs)
    : database_(file, Database::Access::write, Database::Safety::scratch, shownAs)
    , transaction_(emptyIn(database_))
    , insertFile_(tablesIn(database_).prepare(
          "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''))"))
    , insertEvent_(database_.prepare("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, NULLIF(?, ''), "
                                     "NULLIF(?, 0), NULLIF(?, ''))"))
    , insertTop_(database_.prepare("INSERT INTO top VALUES (?, ?, ?, ?, ?)")) {
    auto setting = database_.prepare("INSERT INTO settings VALUES (?, ?)");
    for (const auto& [key, value] : settings)
        setting.bind(1, databaseText(key)).bind(2, databaseText(value)).run();
    database_.prepare("INSERT INTO model VALUES (?, ?, ?, ?)")
        .bind(1, databaseText(model.file))
        .bind(2, databaseText(model.sha256))
        .bind(3, databaseText(model.licence))
        .bind(4, static_cast<std::int64_t>(model.labels.size()))
        .run();
    auto label = database_.prepare("INSERT INTO classes VALUES (?, ?)");
    for (std::size_t i = 0; i < model.labels.size(); ++i)
        label.bind(1, static_cast<std::int64_t>(i)).bind(2, databaseText(model.labels[i])).run();
}

void SqliteDatabase::add(const RecordingEvents& recording, std::string_view error, int top) {
    ++files_;
    insertFile_.bind(1, files_)
        .bind(2, databaseText(recording.file))
        .bind(3, decimals(recording.seconds, 3))
        .bind(4, std::int64_t{recording.sampleRate})
        .bind(5, std::int64_t{recording.channels})
        .bind(6, std::int64_t{recording.complete ? 1 : 0})
        .bind(7, databaseText(error))
        .bind(8, recording.start ? isoText(*recording.start) : std::string())
        .run();
    for (const TimedEvent& event : recording.events) {
        const auto time = timeOf(recording, event);
        insertEvent_.bind(1, files_)
            .bind(2, decimals(event.onset, 3))
            .bind(3, decimals(event.offset, 3))
            .bind(4, databaseText(event.label))
            .bind(5, std::int64_t{event.classIndex})
            .bind(6, decimals(event.peak, 6))
            .bind(7, decimals(event.mean, 6))
            .bind(8, event.confidence > 0.0f ? decimals(event.confidence, 6) : std::string())
            .bind(9, std::int64_t{event.channel})
            .bind(10, time ? isoText(*time) : std::string())
            .run();
    }
    for (std::int64_t i = 0; i < std::min<std::int64_t>(top, std::ssize(recording.top)); ++i) {
        const SoundScore& each = recording.top[static_cast<std::size_t>(i)];
        insertTop_.bind(1, files_)
            .bind(2, i + 1)
            .bind(3, databaseText(each.label))
            .bind(4, std::int64_t{each.classIndex})
            .bind(5, decimals(each.score, 6))
            .run();
    }
}

void SqliteDatabase::finish() {
    database_.execute(indexes);
    transaction_.commit();
}

} // namespace earshot::formats
