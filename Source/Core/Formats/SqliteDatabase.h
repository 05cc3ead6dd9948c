// The results of a batch as one SQLite database, for questions in SQL. The same recordings in the same order
// give the same bytes. One thread at a time.
//   settings  key, value: the options of the run
//   model     file, sha256, licence, classes: what listened; one row
//   classes   class_index, label
//   files     id, path, seconds, sample_rate, channels, complete (0 or 1), error (NULL where there was none)
//   events    id, file_id, onset_s, offset_s, label, class_index, peak, mean; numbers as in csv
//   results   a view with csv's columns, in its order
// application_id is "EARS", user_version the version of these tables. In text, bytes that are not UTF-8, and
// nulls, become U+FFFD.
#pragma once

#include "Core/Base/Database.h"
#include "Core/Formats/EventFormats.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::formats {

struct DatabaseModel {
    std::string file;   // the name that the user knows
    std::string sha256; // hexadecimal, of the file
    std::string licence;
    std::vector<std::string> labels; // of all classes
};

class SqliteDatabase {
  public:
    static constexpr int version = 1; // of the tables

    // Fills `file`, which is empty or missing. Its contents are complete only after finish(), so give it a
    // temporary name and rename it then. shownAs: its name in messages. Like all functions here, it throws
    // earshot::Error.
    SqliteDatabase(const std::filesystem::path& file, const DatabaseModel& model,
                   const std::map<std::string, std::string>& settings,
                   const std::filesystem::path& shownAs = {});

    // error: why the recording failed, if it did.
    void add(const RecordingEvents& recording, std::string_view error = {});
    void finish();

  private:
    Database database_;
    Transaction transaction_; // SQLite writes out what it cannot keep, so memory stays bounded
    Statement insertFile_;
    Statement insertEvent_;
    std::int64_t files_ = 0;
};

} // namespace earshot::formats
