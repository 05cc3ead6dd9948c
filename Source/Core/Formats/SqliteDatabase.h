// The results of a batch as one SQLite database, for whoever asks questions of an archive in SQL. The same
// recordings in the same order give the same bytes. One thread at a time.
//   settings  key, value: what was asked for
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
    std::string file;   // as the user knows it
    std::string sha256; // hexadecimal, of the file
    std::string licence;
    std::vector<std::string> labels; // of all classes
};

class SqliteDatabase {
  public:
    static constexpr int version = 1; // of the tables

    // Fills `file`, which is empty or not there yet and is whole after finish() alone: give it a temporary
    // name, and rename it then. shownAs: what messages call it. Throws earshot::Error, as every function
    // does.
    SqliteDatabase(const std::filesystem::path& file, const DatabaseModel& model,
                   const std::map<std::string, std::string>& settings,
                   const std::filesystem::path& shownAs = {});

    // error: what went wrong with the recording, if anything did.
    void add(const RecordingEvents& recording, std::string_view error = {});
    void finish();

  private:
    Database database_;
    Transaction transaction_; // memory stays bounded: SQLite writes what it cannot keep
    Statement insertFile_;
    Statement insertEvent_;
    std::int64_t files_ = 0;
};

} // namespace earshot::formats
