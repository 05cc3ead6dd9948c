#include "Core/Base/Database.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace earshot {

namespace {

// How long to wait while another program reads the database.
constexpr int patience = 10000; // milliseconds

std::string advice(int code) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "; the disk is full: make room and start again";
    case SQLITE_IOERR:
        return "; the disk may be full or failing";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "; choose a folder that can be written";
    case SQLITE_BUSY:
        return "; close the program that holds it";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return "; it is damaged or no database of Earshot's: move it away";
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
        return "; it was changed by another program, or is no database of this Earshot's: move it away";
    default:
        return "; move it away to begin anew";
    }
}

// Why a database that is busy cannot be locked by anybody; null: its folder has locks. SQLite takes a share
// without locks for one whose file another program holds. The probe is a file of its own: closing the
// database's file once would give up all of this program's locks on it.
std::optional<std::string> whyNoLocks(const std::filesystem::path& database) {
    const auto probe = database.parent_path() / ".earshot-locks.partial";
    const auto file = platform::createNew(probe);
    if (!file.isOpen()) return std::nullopt;
    const bool has = platform::hasRecordLocks(file.number());
    const int code = errno;
    platform::remove(probe);
    if (has) return std::nullopt;
    return fmt::format("its folder has no locks ({}), as with some network shares; choose a folder on a file "
                       "system that has locks",
                       std::strerror(code));
}

} // namespace

struct Database::Impl {
    std::string name;
    std::filesystem::path file;
    sqlite3* handle = nullptr;
    bool inTransaction = false;

    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { sqlite3_close(handle); }

    [[noreturn]] void fail(int code) const {
        if ((code & 0xff) == SQLITE_BUSY)
            if (const auto why = whyNoLocks(file)) throw Error(name + ": " + *why);
        throw Error(name + ": " + (handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code)) +
                    advice(code));
    }
    void check(int code) const {
        if (code != SQLITE_OK) fail(code);
    }
};

struct Statement::Impl {
    const Database::Impl* database = nullptr;
    sqlite3_stmt* handle = nullptr;

    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { sqlite3_finalize(handle); }
};

Statement::Statement(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
Statement::Statement(Statement&& other) noexcept = default;
Statement::~Statement() = default;

Statement& Statement::bind(int position, std::int64_t value) {
    impl_->database->check(sqlite3_bind_int64(impl_->handle, position, value));
    return *this;
}

Statement& Statement::bind(int position, double value) {
    impl_->database->check(sqlite3_bind_double(impl_->handle, position, value));
    return *this;
}

Statement& Statement::bind(int position, std::string_view text) {
    // A null pointer would become NULL instead of an empty text.
    const char* bytes = text.empty() ? "" : text.data();
    impl_->database->check(sqlite3_bind_text64(impl_->handle, position, bytes, text.size(),
                                               SQLITE_TRANSIENT, // NOLINT: SQLite's own cast
                                               SQLITE_UTF8));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(impl_->handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        reset();
        impl_->database->fail(code);
    }
    return code == SQLITE_ROW;
}

void Statement::run() {
    while (step()) {
    }
    reset();
}

void Statement::reset() { sqlite3_reset(impl_->handle); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(impl_->handle, column); }
double Statement::real(int column) const { return sqlite3_column_double(impl_->handle, column); }
std::string Statement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(impl_->handle, column));
    const int count = sqlite3_column_bytes(impl_->handle, column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(count));
}

Database::Database(const std::filesystem::path& file, Access access, Safety safety,
                   const std::filesystem::path& shownAs)
    : impl_(std::make_unique<Impl>()) {
    impl_->name = displayName(shownAs.empty() ? file : shownAs);
    impl_->file = file;
    const int flags =
        access == Access::read ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int code = sqlite3_open_v2(file.string().c_str(), &impl_->handle, flags, nullptr);
    if (code != SQLITE_OK) throw Error(impl_->name + ": " + sqlite3_errstr(code) + advice(code));
    sqlite3_busy_timeout(impl_->handle, patience);
    sqlite3_extended_result_codes(impl_->handle, 1);
    if (safety == Safety::durable) {
        // A stranger's database may hold data, but nothing that runs: no views, no triggers, no functions in
        // its schema.
        for (const int option :
             {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA})
            sqlite3_db_config(impl_->handle, option, 0, nullptr);
    }
    if (access == Access::read) return;
    // The file of rollbacks stays, cut to 1 MiB: to make and delete one at each transaction takes longer.
    if (safety == Safety::durable)
        execute(
            "PRAGMA journal_mode = PERSIST; PRAGMA journal_size_limit = 1048576; PRAGMA synchronous = EXTRA");
    else
        execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    execute("PRAGMA foreign_keys = ON");
}

Database::~Database() = default;

void Database::execute(const std::string& sql) {
    impl_->check(sqlite3_exec(impl_->handle, sql.c_str(), nullptr, nullptr, nullptr));
}

Statement Database::prepare(std::string_view sql) {
    auto statement = std::make_unique<Statement::Impl>();
    statement->database = impl_.get();
    impl_->check(sqlite3_prepare_v2(impl_->handle, sql.data(), static_cast<int>(sql.size()),
                                    &statement->handle, nullptr));
    return Statement(std::move(statement));
}

Transaction::Transaction(Database& database)
    : database_(database)
    , isPart_(database.impl_->inTransaction) {
    database_.execute(isPart_ ? "SAVEPOINT part" : "BEGIN IMMEDIATE");
    database_.impl_->inTransaction = true;
}

Transaction::~Transaction() {
    if (!isPart_) database_.impl_->inTransaction = false;
    if (!open_) return;
    try {
        database_.execute(isPart_ ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK");
    } catch (const Error&) {
        // SQLite itself has undone the transaction, as it does after a full disk.
        logCaught("undoing a transaction");
    }
}

void Transaction::commit() {
    database_.execute(isPart_ ? "RELEASE part" : "COMMIT");
    open_ = false;
}

std::string databaseLibrary() { return std::string("SQLite ") + sqlite3_libversion(); }

} // namespace earshot
