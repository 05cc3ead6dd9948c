#include "Core/Batch/Journal.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Outputs.h"
#include "Core/Formats/TopDocuments.h"

#include <fmt/format.h>

#include <charconv>

namespace earshot::batch {

namespace fs = std::filesystem;
namespace {

// The size of an outdated recording is this less its file's size, so that it is below -1.
constexpr std::int64_t outdatedSize = -3;
constexpr int schemaVersion = 7;
constexpr int versionWithoutStarts = 6;
constexpr int versionWithoutTop = 5;
constexpr int versionWithoutChannels = 4;
constexpr int versionWithoutBases = 3;
constexpr int versionWithoutTargets = 2;
constexpr std::string_view schema = R"sql(
CREATE TABLE settings (position INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE lists (name TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, position));
CREATE TABLE plan (position INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE recordings (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed INTEGER NOT NULL,
    failure TEXT NOT NULL, heard INTEGER NOT NULL, seconds REAL NOT NULL, sample_rate INTEGER NOT NULL,
    channels INTEGER NOT NULL, complete INTEGER NOT NULL, lowest_hz REAL NOT NULL, highest_hz REAL NOT NULL,
    unreachable TEXT NOT NULL DEFAULT '', base TEXT NOT NULL DEFAULT '', top TEXT NOT NULL DEFAULT '',
    start TEXT NOT NULL DEFAULT '');
CREATE TABLE events (
    id INTEGER PRIMARY KEY, recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    onset REAL NOT NULL, "offset" REAL NOT NULL, label TEXT NOT NULL, class_index INTEGER NOT NULL,
    peak REAL NOT NULL, mean REAL NOT NULL, confidence REAL NOT NULL, channel INTEGER NOT NULL DEFAULT 0);
CREATE INDEX events_by_recording ON events (recording);
)sql";
constexpr std::string_view targetsSchema = R"sql(
CREATE TABLE targets (file TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
)sql";

// Returns the journal's path. Throws Error if something other than a regular file is there: a link could lead
// anywhere, also to a file that does not exist yet.
fs::path journalFile(const fs::path& folder) {
    stateFolder(folder);
    fs::path file = Journal::fileIn(folder);
    std::error_code notThere;
    const auto type = fs::symlink_status(file, notThere).type();
    if (type != fs::file_type::regular && type != fs::file_type::not_found)
        throw Error(displayName(file) + ": is no regular file; move it away, or choose another folder");
    return file;
}

constexpr const char* unchangedList = "unchanged since";
// Ends a query, so that it holds no lock any more.
struct Asked {
    Statement& rows;
    ~Asked() { rows.reset(); }
};

std::int64_t wholeNumber(const std::string& text, const fs::path& folder) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || value < 0)
        throw Error(fmt::format(
            "{}: expected a number of recordings, found \"{}\"; it is damaged: move it away to begin "
            "anew",
            displayName(Journal::fileIn(folder)), printable(text)));
    return value;
}

} // namespace

FileStamp FileStamp::of(const fs::path& file) {
    const auto status = platform::statusOf(file);
    if (!status) return {};
    return {static_cast<std::int64_t>(status->size), status->changed};
}

fs::path Journal::fileIn(const fs::path& folder) { return folder / ".earshot" / "journal.sqlite"; }

Journal::Journal(const fs::path& folder)
    : folder_(folder)
    , database_(journalFile(folder)) {
    auto asked = database_.prepare("PRAGMA user_version");
    const std::int64_t version = asked.step() ? asked.integer(0) : 0;
    asked.reset();
    if (version == schemaVersion) return;
    if (version >= versionWithoutTargets && version <= versionWithoutStarts) {
        Transaction transaction(database_);
        database_.execute("ALTER TABLE recordings ADD COLUMN start TEXT NOT NULL DEFAULT ''");
        if (version <= versionWithoutTop)
            database_.execute("ALTER TABLE recordings ADD COLUMN top TEXT NOT NULL DEFAULT ''");
        if (version <= versionWithoutChannels)
            database_.execute("ALTER TABLE events ADD COLUMN channel INTEGER NOT NULL DEFAULT 0");
        if (version <= versionWithoutBases)
            database_.execute("ALTER TABLE recordings ADD COLUMN base TEXT NOT NULL DEFAULT ''");
        if (version == versionWithoutTargets) addTargetsTable();
        database_.execute(fmt::format("PRAGMA user_version = {}", schemaVersion));
        transaction.commit();
        return;
    }
    if (version != 0)
        throw Error(
            displayName(fileIn(folder)) +
            ": was written by another version of Earshot; go on with that one, or choose another folder");
    Transaction transaction(database_);
    database_.execute(std::string(schema) + std::string(targetsSchema) +
                      fmt::format("PRAGMA user_version = {}", schemaVersion));
    transaction.commit();
}

// Upgrades a journal of version 2, which does not know which files Earshot made. The files of recordings with
// results count as Earshot's. A killed run may have left files without a row: a file counts as Earshot's if
// it is newer than the lock, which was made when the batch began.
void Journal::addTargetsTable() {
    std::error_code notThere;
    const auto begun = fs::last_write_time(folder_ / ".earshot" / "lock", notThere);
    const auto isNewer = [&](const fs::path& file) {
        std::error_code failure;
        const auto changed = fs::last_write_time(file, failure);
        return !failure && changed >= begun;
    };
    database_.execute(std::string(targetsSchema) +
                      "ALTER TABLE recordings ADD COLUMN unreachable TEXT NOT NULL DEFAULT ''");
    auto insert = database_.prepare("INSERT OR IGNORE INTO targets (file) VALUES (?)");
    const auto add = [&](const fs::path& file) {
        insert.bind(1, file.lexically_relative(folder_).generic_string()).run();
    };
    const auto known = recordings();
    bool finished = true;
    std::set<std::string> names;
    for (const auto& [name, brief] : known) names.insert(name);
    for (const auto& [position, name] : plan().mine) {
        names.insert(name);
        finished = finished && known.count(name) != 0;
    }
    for (const std::string& name : names)
        for (const std::string& suffix : list("suffixes")) {
            if (!staysInside(name) || suffix.find('/') != std::string::npos) continue;
            const auto entry = known.find(name);
            const fs::path file = outputFile(folder_, name, suffix);
            if ((entry != known.end() && entry->second.heard) || isNewer(file)) add(file);
        }
    for (const std::string& format : list("joined"))
        if (const auto file = joinedFile(folder_, format); finished || isNewer(file)) add(file);
    if (const auto file = failuresFile(folder_); finished || isNewer(file)) add(file);
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
    if (list(name) == values) return; // each transaction waits for the disk
    Transaction transaction(database_);
    database_.prepare("DELETE FROM lists WHERE name = ?").bind(1, name).run();
    auto insert = database_.prepare("INSERT INTO lists (name, position, value) VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < values.size(); ++i)
        insert.bind(1, name).bind(2, static_cast<std::int64_t>(i)).bind(3, values[i]).run();
    transaction.commit();
}

void Journal::moveBase(const fs::path& from, const fs::path& to) {
    noteChange();
    database_.prepare("UPDATE recordings SET base = ? WHERE base = ?")
        .bind(1, to.string())
        .bind(2, from.string())
        .run();
}

std::set<std::string> Journal::allSuffixes() {
    std::set<std::string> suffixes;
    for (const char* each : {"suffixes", "all suffixes"})
        for (const std::string& suffix : list(each)) {
            if (!isSuffixOfResults(suffix))
                throw Error(displayName(fileIn(folder_)) + ": names results *" + printable(suffix) +
                            "; it is damaged, or not made by Earshot: move it away to begin anew");
            suffixes.insert(suffix);
        }
    return suffixes;
}

void Journal::setAllSuffixes(const std::set<std::string>& suffixes) {
    setList("all suffixes", {suffixes.begin(), suffixes.end()});
}

Plan Journal::plan() {
    Plan plan;
    const auto whole = list("plan");
    if (whole.size() == 2) {
        plan.total = static_cast<std::size_t>(wholeNumber(whole[0], folder_));
        plan.list = whole[1];
    }
    auto rows = database_.prepare("SELECT position, name FROM plan ORDER BY position");
    while (rows.step())
        plan.mine.emplace_back(static_cast<std::size_t>(wholeNumber(rows.text(0), folder_)), rows.text(1));
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
    noteChange();
    database_.execute("DELETE FROM events; DELETE FROM recordings; DELETE FROM plan; DELETE FROM settings; "
                      "DELETE FROM lists WHERE name = 'plan'");
    transaction.commit();
}

std::set<std::string> Journal::targets() {
    std::set<std::string> files;
    auto rows = database_.prepare("SELECT file FROM targets");
    while (rows.step()) files.insert(rows.text(0));
    return files;
}

void Journal::addTargets(std::span<const std::string> files) {
    runForEach("INSERT OR IGNORE INTO targets (file) VALUES (?)", files);
}

void Journal::removeTargets(std::span<const std::string> files) {
    runForEach("DELETE FROM targets WHERE file = ?", files);
}

void Journal::runForEach(const char* sql, std::span<const std::string> texts) {
    if (texts.empty()) return;
    Transaction transaction(database_);
    auto statement = database_.prepare(sql);
    for (const std::string& text : texts) statement.bind(1, text).run();
    transaction.commit();
}

std::map<std::string, Journal::Summary> Journal::recordings() {
    std::map<std::string, Summary> found;
    auto rows =
        database_.prepare("SELECT name, size, changed, failure, heard, unreachable, base, top <> '' FROM "
                          "recordings");
    while (rows.step()) {
        const std::int64_t size = rows.integer(1);
        const bool outdated = size < FileStamp().size;
        found[rows.text(0)] = {.base = rows.text(6),
                               .stamp = {outdated ? outdatedSize - size : size, rows.integer(2)},
                               .outdated = outdated,
                               .failed = !rows.text(3).empty(),
                               .heard = rows.integer(4) != 0,
                               .hasTop = rows.integer(7) != 0,
                               .unreachable = !rows.text(5).empty()};
    }
    return found;
}

void Journal::record(const JournalEntry& entry) {
    const formats::RecordingEvents nothing;
    const formats::RecordingEvents& result = entry.result ? *entry.result : nothing;
    Transaction transaction(database_);
    noteChange();
    database_.prepare("DELETE FROM recordings WHERE name = ?").bind(1, entry.name).run();
    database_
        .prepare(
            "INSERT INTO recordings (name, size, changed, failure, heard, seconds, sample_rate, channels, "
            "complete, lowest_hz, highest_hz, unreachable, base, top, start) VALUES "
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(1, entry.name)
        .bind(2, entry.stamp.size)
        .bind(3, entry.stamp.changed)
        .bind(4, entry.failure)
        .bind(5, std::int64_t{entry.result.has_value()})
        .bind(6, result.seconds)
        .bind(7, std::int64_t{result.sampleRate})
        .bind(8, std::int64_t{result.channels})
        .bind(9, std::int64_t{result.complete})
        .bind(10, result.minHz)
        .bind(11, result.maxHz)
        .bind(12, entry.unreachable)
        .bind(13, entry.base.string())
        .bind(14, entry.result ? formats::topText(result.top) : std::string())
        .bind(15, result.start ? isoText(*result.start) : std::string())
        .run();
    auto last = database_.prepare("SELECT id FROM recordings WHERE name = ?");
    last.bind(1, entry.name).step();
    const std::int64_t recording = last.integer(0);
    last.reset();
    auto insert =
        database_.prepare("INSERT INTO events (recording, onset, \"offset\", label, class_index, peak, "
                          "mean, confidence, channel) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const formats::TimedEvent& event : result.events)
        insert.bind(1, recording)
            .bind(2, event.onset)
            .bind(3, event.offset)
            .bind(4, event.label)
            .bind(5, std::int64_t{event.classIndex})
            .bind(6, static_cast<double>(event.peak))
            .bind(7, static_cast<double>(event.mean))
            .bind(8, static_cast<double>(event.confidence))
            .bind(9, std::int64_t{event.channel})
            .run();
    transaction.commit();
}

void Journal::noteUnreachable(const std::string& name, const std::string& why) {
    note(name, "unreachable", why);
}
void Journal::noteFailure(const std::string& name, const std::string& why) { note(name, "failure", why); }
void Journal::noteStart(const std::string& name, const WallTime& at) { note(name, "start", isoText(at)); }

void Journal::note(const std::string& name, const std::string& column, const std::string& why) {
    Transaction transaction(database_);
    noteChange();
    database_
        .prepare("INSERT OR IGNORE INTO recordings (name, size, changed, failure, heard, seconds, "
                 "sample_rate, channels, "
                 "complete, lowest_hz, highest_hz) VALUES (?, -1, 0, '', 0, 0, 0, 0, 0, 0, 0)")
        .bind(1, name)
        .run();
    database_.prepare("UPDATE recordings SET " + column + " = ? WHERE name = ?")
        .bind(1, why)
        .bind(2, name)
        .run();
    transaction.commit();
}

void Journal::noteReached(std::span<const std::string> names, const fs::path& base) {
    if (names.empty()) return;
    Transaction transaction(database_);
    noteChange();
    auto statement = database_.prepare("UPDATE recordings SET unreachable = '', base = ? WHERE name = ?");
    for (const std::string& name : names) statement.bind(1, base.string()).bind(2, name).run();
    transaction.commit();
}

std::vector<fs::path> Journal::bases() {
    std::vector<fs::path> found;
    auto rows = database_.prepare("SELECT DISTINCT base FROM recordings WHERE heard <> 0 AND base <> '' "
                                  "ORDER BY length(base) DESC, base");
    while (rows.step()) found.emplace_back(rows.text(0));
    return found;
}

void Journal::forget(const std::string& name) {
    noteChange();
    database_.prepare("DELETE FROM recordings WHERE name = ?").bind(1, name).run();
}

void Journal::outdate() {
    database_.execute(fmt::format("UPDATE recordings SET size = {} - size WHERE size >= -1", outdatedSize));
}

void Journal::forgetStampsBelow(double seconds) {
    database_.execute(
        fmt::format("UPDATE recordings SET changed = 0 WHERE heard <> 0 AND seconds < {}", seconds));
}

std::optional<JournalEntry> Journal::find(const std::string& name) {
    if (!findRecording_)
        findRecording_.emplace(database_.prepare(
            "SELECT id, size, changed, failure, heard, seconds, sample_rate, channels, "
            "complete, lowest_hz, highest_hz, unreachable, base, top, start FROM recordings WHERE name = ?"));
    auto& row = *findRecording_;
    const Asked asked{row};
    if (!row.bind(1, name).step()) return std::nullopt;
    JournalEntry entry;
    entry.name = name;
    entry.stamp = {row.integer(1), row.integer(2)};
    entry.failure = row.text(3);
    entry.unreachable = row.text(11);
    entry.base = row.text(12);
    if (row.integer(4) == 0) return entry;
    formats::RecordingEvents result;
    result.file = name;
    result.seconds = row.real(5);
    result.sampleRate = static_cast<int>(row.integer(6));
    result.channels = static_cast<int>(row.integer(7));
    result.complete = row.integer(8) != 0;
    result.minHz = row.real(9);
    result.maxHz = row.real(10);
    result.top = formats::parseTopText(row.text(13));
    if (const auto start = row.text(14); !start.empty()) result.start = parseWallTime(start);
    result.folder = entry.base.generic_string();
    if (!entry.base.empty()) result.path = (entry.base / name).generic_string();
    readEvents(row.integer(0), result);
    entry.result = std::move(result);
    return entry;
}

void Journal::readEvents(std::int64_t recording, formats::RecordingEvents& result) {
    if (!findEvents_)
        findEvents_.emplace(
            database_.prepare("SELECT onset, \"offset\", label, class_index, peak, mean, confidence, channel "
                              "FROM events WHERE recording = ? ORDER BY id"));
    Statement& rows = *findEvents_;
    const Asked asked{rows};
    rows.bind(1, recording);
    while (rows.step())
        result.events.push_back({.onset = rows.real(0),
                                 .offset = rows.real(1),
                                 .label = rows.text(2),
                                 .classIndex = static_cast<int>(rows.integer(3)),
                                 .peak = static_cast<float>(rows.real(4)),
                                 .mean = static_cast<float>(rows.real(5)),
                                 .confidence = static_cast<float>(rows.real(6)),
                                 .channel = static_cast<int>(rows.integer(7))});
}

void Journal::each(std::span<const std::string> names, const std::function<void(JournalEntry&)>& take) {
    const Transaction reading(database_); // else each query would lock the file again
    for (const std::string& name : names)
        if (auto entry = find(name)) take(*entry);
}

std::map<std::string, Journal::Problems> Journal::problems() {
    std::map<std::string, Problems> found;
    auto rows = database_.prepare(
        "SELECT name, failure, unreachable FROM recordings WHERE failure <> '' OR unreachable <> ''");
    while (rows.step())
        found.emplace(rows.text(0), Problems{.failure = rows.text(1), .unreachable = rows.text(2)});
    return found;
}

// Shows most changes, also those of earlier versions.
std::string Journal::summary() {
    auto row = database_.prepare(
        "SELECT count(*), total(id), total(changed % 1000000007), total(size % 1000000007), total(heard), "
        "total(length(failure) + length(unreachable) + length(base) + length(start)), "
        "(SELECT count(*) FROM events) FROM recordings");
    row.step();
    std::string text;
    for (const int column : {0, 1, 2, 3, 4, 5, 6}) text += row.text(column) + ' ';
    return text;
}

std::string Journal::unchangedSince() {
    const auto noted = list(unchangedList);
    return noted.size() == 2 && noted[0] == summary() ? noted[1] : "";
}

void Journal::noteUnchanged(const std::string& text) { setList(unchangedList, {summary(), text}); }

void Journal::noteChange() {
    database_.prepare("DELETE FROM lists WHERE name = ?").bind(1, std::string_view(unchangedList)).run();
}

void describe(Journal& journal, const JournalFacts& facts) {
    journal.setList("suffixes", facts.suffixes);
    journal.setList("joined", facts.joined);
    if (!facts.documents.empty()) journal.setList("documents", {facts.documents, facts.zone, facts.base});
    journal.setList("model", {facts.model.file, facts.model.sha256, facts.model.licence});
    journal.setList("labels", facts.model.labels);
}

JournalFacts factsOf(Journal& journal) {
    JournalFacts facts{
        .suffixes = journal.list("suffixes"), .joined = journal.list("joined"), .documents = {}, .model = {}};
    // Earlier versions noted the first alone.
    auto documents = journal.list("documents");
    documents.resize(3);
    facts.documents = documents[0];
    facts.zone = documents[1];
    facts.base = documents[2];
    if (const auto model = journal.list("model"); model.size() == 3)
        facts.model = {
            .file = model[0], .sha256 = model[1], .licence = model[2], .labels = journal.list("labels")};
    return facts;
}

} // namespace earshot::batch
