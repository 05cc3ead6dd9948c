// A SQLite database (https://sqlite.org): statements with bound values, and transactions that are undone
// unless committed. The only user of libsqlite3. One thread at a time for each Database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace earshot {

class Database;

// A prepared statement: bind values from 1 on, then step. The Database that made it must outlive it.
class Statement {
  public:
    ~Statement();
    Statement(Statement&& other) noexcept;

    Statement& bind(int position, std::int64_t value);
    Statement& bind(int position, double value);
    Statement& bind(int position, std::string_view text); // any bytes, copied
    // Steps to the next row; false after the last one. Like every function of Database, it throws
    // earshot::Error with the file and SQLite's message.
    bool step();
    // Runs the statement to its end and resets it, ready to be bound again.
    void run();
    void reset();

    // Values of the current row; columns count from 0.
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;

  private:
    friend class Database;
    struct Impl;
    explicit Statement(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

class Database {
  public:
    enum class Access { read, write };
    // `durable`: a commit survives the loss of power. The file may be a stranger's, and nothing in it is run.
    // `scratch`: for new files that are renamed into place when they are whole.
    enum class Safety { durable, scratch };

    // Creates the file if it is missing and `access` is write. shownAs: the name for messages, if it is not
    // the file's.
    explicit Database(const std::filesystem::path& file, Access access = Access::write,
                      Safety safety = Safety::durable, const std::filesystem::path& shownAs = {});
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // Runs one or several statements without values or rows.
    void execute(const std::string& sql);
    Statement prepare(std::string_view sql);

  private:
    friend class Statement;
    friend class Transaction;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Everything done during its life happens at commit(), or not at all. One that begins during another is a
// part of it, and happens with it.
class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool isPart_;
    bool open_ = true;
};

// The library's name and version, as "SQLite 3.40.1".
std::string databaseLibrary();

} // namespace earshot
