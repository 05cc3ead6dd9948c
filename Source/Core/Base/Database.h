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

// A prepared statement: bind values from 1 on, then step. Belongs to the Database it came from, which
// outlives it.
class Statement {
  public:
    ~Statement();
    Statement(Statement&& other) noexcept = default;

    Statement& bind(int position, std::int64_t value);
    Statement& bind(int position, double value);
    Statement& bind(int position, std::string_view text); // any bytes, copied
    // The next row, or false after the last one. Throws earshot::Error, as every function of the Database
    // does, with the file and what SQLite says.
    bool step();
    // Runs it to the end, and makes it ready to be bound and run again.
    void run();
    void reset();

    // Of the row, columns from 0 on.
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
    // How sure a commit is on disk when it returns: `durable` survives the loss of power, and its file may be
    // a stranger's, of which nothing is run; `scratch` is for new files that are renamed into place once they
    // are whole.
    enum class Safety { durable, scratch };

    // Made when it is not there and `access` is write. shownAs: what messages call it, where that is not its
    // name.
    explicit Database(const std::filesystem::path& file, Access access = Access::write,
                      Safety safety = Safety::durable, const std::filesystem::path& shownAs = {});
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // One or several statements without values or rows.
    void execute(const std::string& sql);
    Statement prepare(std::string_view sql);

  private:
    friend class Statement;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Everything done while it lives happens at once at commit(), or not at all.
class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

} // namespace earshot
