#include "Core/Batch/Journal.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

constexpr int schemaVersion = 2;
constexpr std::string_view schema = R"sql(
CREATE TABLE settings (position INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE lists (name TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, position));
CREATE TABLE plan (position INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE recordings (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed INTEGER NOT NULL,
    failure TEXT NOT NULL, heard INTEGER NOT NULL, seconds REAL NOT NULL, sample_rate INTEGER NOT NULL,
    channels INTEGER NOT NULL, complete INTEGER NOT NULL, lowest_hz REAL NOT NULL, highest_hz REAL NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    onset REAL NOT NULL, "offset" REAL NOT NULL, label TEXT NOT NULL, class_index INTEGER NOT NULL,
    peak REAL NOT NULL, mean REAL NOT NULL, confidence REAL NOT NULL);
CREATE INDEX events_by_recording ON events (recording);
)sql";

fs::path stateFolder(const fs::path& folder) {
    fs::path state = folder / ".earshot";
    std::error_code failure;
    fs::create_directories(state, failure);
    if (failure)
        throw Error(displayName(state) + ": cannot be made (" + failure.message() +
                    "); choose a folder that can be written");
    return state;
}

} // namespace

FileStamp FileStamp::of(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return {};
#ifdef __APPLE__
    const auto& changed = status.st_mtimespec;
#else
    const auto& changed = status.st_mtim;
#endif
    return {status.st_size, static_cast<std::int64_t>(changed.tv_sec) * 1000000000 + changed.tv_nsec};
}

fs::path Journal::fileIn(const fs::path& folder) { return folder / ".earshot" / "journal.sqlite"; }

Journal::Journal(const fs::path& folder)
    : database_(stateFolder(folder) / "journal.sqlite") {
    auto asked = database_.prepare("PRAGMA user_version");
    const std::int64_t version = asked.step() ? asked.integer(0) : 0;
    asked.reset();
    if (version == schemaVersion) return;
    if (version != 0)
        throw Error(
            displayName(fileIn(folder)) +
            ": was written by another version of Earshot; go on with that one, or choose another folder");
    Transaction transaction(database_);
    database_.execute(std::string(schema) + fmt::format("PRAGMA user_version = {}", schemaVersion));
    transaction.commit();
}

Fingerprint Journal::fingerprint() {
    Fingerprint found;
    auto rows = database_.prepare("SELECT name, value FROM settings ORDER BY position");
    while (rows.step()) found.emplace_back(rows.text(0), rows.text(1));
    return found;
}

void Journal::setFingerprint(const Fingerprint& fingerprint) {
    Transaction transaction(database_);
    database_.execute("DELETE FROM settings");
    auto insert = database_.prepare("INSERT INTO settings (name, value) VALUES (?, ?)");
    for (const auto& [name, value] : fingerprint) insert.bind(1, name).bind(2, value).run();
    transaction.commit();
}

std::vector<std::string> Journal::list(const std::string& name) {
    std::vector<std::string> values;
    auto rows = database_.prepare("SELECT value FROM lists WHERE name = ? ORDER BY position");
    rows.bind(1, name);
    while (rows.step()) values.push_back(rows.text(0));
    return values;
}

void Journal::setList(const std::string& name, const std::vector<std::string>& values) {
    Transaction transaction(database_);
    database_.prepare("DELETE FROM lists WHERE name = ?").bind(1, name).run();
    auto insert = database_.prepare("INSERT INTO lists (name, position, value) VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < values.size(); ++i)
        insert.bind(1, name).bind(2, static_cast<std::int64_t>(i)).bind(3, values[i]).run();
    transaction.commit();
}

Plan Journal::plan() {
    Plan plan;
    const auto whole = list("plan");
    if (whole.size() == 2) {
        plan.total = static_cast<std::size_t>(std::stoull(whole[0]));
        plan.list = whole[1];
    }
    auto rows = database_.prepare("SELECT position, name FROM plan ORDER BY position");
    while (rows.step()) plan.mine.emplace_back(static_cast<std::size_t>(rows.integer(0)), rows.text(1));
    return plan;
}

void Journal::setPlan(const Plan& plan) {
    {
        Transaction transaction(database_);
        database_.execute("DELETE FROM plan");
        auto insert = database_.prepare("INSERT INTO plan (position, name) VALUES (?, ?)");
        for (const auto& [position, name] : plan.mine)
            insert.bind(1, static_cast<std::int64_t>(position)).bind(2, name).run();
        transaction.commit();
    }
    setList("plan", {std::to_string(plan.total), plan.list});
}

void Journal::clear() {
    Transaction transaction(database_);
    database_.execute("DELETE FROM events; DELETE FROM recordings; DELETE FROM plan; DELETE FROM lists; "
                      "DELETE FROM settings");
    transaction.commit();
}

std::map<std::string, Journal::Brief> Journal::recordings() {
    std::map<std::string, Brief> found;
    auto rows = database_.prepare("SELECT name, size, changed, failure FROM recordings");
    while (rows.step()) found[rows.text(0)] = {{rows.integer(1), rows.integer(2)}, !rows.text(3).empty()};
    return found;
}

void Journal::record(const JournalEntry& entry) {
    const formats::RecordingEvents nothing;
    const formats::RecordingEvents& result = entry.result ? *entry.result : nothing;
    Transaction transaction(database_);
    database_.prepare("DELETE FROM recordings WHERE name = ?").bind(1, entry.name).run();
    database_
        .prepare(
            "INSERT INTO recordings (name, size, changed, failure, heard, seconds, sample_rate, channels, "
            "complete, lowest_hz, highest_hz) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(1, entry.name)
        .bind(2, entry.stamp.size)
        .bind(3, entry.stamp.changed)
        .bind(4, entry.failure)
        .bind(5, std::int64_t{entry.result.has_value()})
        .bind(6, result.seconds)
        .bind(7, std::int64_t{result.sampleRate})
        .bind(8, std::int64_t{result.channels})
        .bind(9, std::int64_t{result.complete})
        .bind(10, result.lowestHz)
        .bind(11, result.highestHz)
        .run();
    auto last = database_.prepare("SELECT id FROM recordings WHERE name = ?");
    last.bind(1, entry.name).step();
    const std::int64_t recording = last.integer(0);
    last.reset();
    auto insert =
        database_.prepare("INSERT INTO events (recording, onset, \"offset\", label, class_index, peak, "
                          "mean, confidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const formats::TimedEvent& event : result.events)
        insert.bind(1, recording)
            .bind(2, event.onset)
            .bind(3, event.offset)
            .bind(4, event.label)
            .bind(5, std::int64_t{event.classIndex})
            .bind(6, static_cast<double>(event.peak))
            .bind(7, static_cast<double>(event.mean))
            .bind(8, static_cast<double>(event.confidence))
            .run();
    transaction.commit();
}

std::optional<JournalEntry> Journal::find(const std::string& name) {
    auto row = database_.prepare("SELECT id, size, changed, failure, heard, seconds, sample_rate, channels, "
                                 "complete, lowest_hz, highest_hz FROM recordings WHERE name = ?");
    if (!row.bind(1, name).step()) return std::nullopt;
    JournalEntry entry;
    entry.name = name;
    entry.stamp = {row.integer(1), row.integer(2)};
    entry.failure = row.text(3);
    if (row.integer(4) == 0) return entry;
    formats::RecordingEvents result;
    result.file = name;
    result.seconds = row.real(5);
    result.sampleRate = static_cast<int>(row.integer(6));
    result.channels = static_cast<int>(row.integer(7));
    result.complete = row.integer(8) != 0;
    result.lowestHz = row.real(9);
    result.highestHz = row.real(10);
    readEvents(row.integer(0), result);
    entry.result = std::move(result);
    return entry;
}

void Journal::readEvents(std::int64_t recording, formats::RecordingEvents& result) {
    auto rows = database_.prepare("SELECT onset, \"offset\", label, class_index, peak, mean, confidence "
                                  "FROM events WHERE "
                                  "recording = ? ORDER BY id");
    rows.bind(1, recording);
    while (rows.step())
        result.events.push_back({.file = result.file,
                                 .onset = rows.real(0),
                                 .offset = rows.real(1),
                                 .label = rows.text(2),
                                 .classIndex = static_cast<int>(rows.integer(3)),
                                 .peak = static_cast<float>(rows.real(4)),
                                 .mean = static_cast<float>(rows.real(5)),
                                 .confidence = static_cast<float>(rows.real(6))});
}

FolderLock::FolderLock(const fs::path& folder) {
    const fs::path file = stateFolder(folder) / "lock";
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
        throw Error(displayName(file) + ": cannot be made (" + std::strerror(errno) +
                    "); choose a folder that can be written");
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    const int code = errno;
    ::close(std::exchange(descriptor_, -1));
    if (code == EWOULDBLOCK)
        throw Error(displayName(folder) +
                    ": another earshot is at work in this folder; wait for it, or choose another folder");
    throw Error(displayName(folder) + ": cannot be locked (" + std::strerror(code) +
                "); choose a folder on a file system that has locks");
}

FolderLock::~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

} // namespace earshot::batch
