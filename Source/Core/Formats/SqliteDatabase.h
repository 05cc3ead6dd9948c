// Writes the results of a batch as one SQLite database, so that users can query an archive in SQL. The same
// recordings in the same order give the same bytes. One thread at a time.
//   settings  key, value: the batch's settings
//   model     file, sha256, licence, classes: the model; one row
//   classes   class_index, label
//   files     id, path, seconds, sample_rate, channels, complete (0 or 1), error (NULL if there was none),
//             start_time (ISO 8601; NULL if it is not known)
//   events    id, file_id, onset_s, offset_s, label, class_index, peak, mean, confidence (NULL if thresholds
//             decided), channel (NULL for the mix), onset_time (ISO 8601; NULL if the start is not known);
//             numbers as in csv
//   top       file_id, rank (1 is the likeliest), label, class_index, score: what is in each recording, as
//             many sounds as were asked for
//   results   a view with csv's columns in csv's order
// application_id is "EARS"; user_version is the version of these tables. In text, nulls and bytes that are
// not UTF-8 become U+FFFD.
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
    std::string file;   // its name for the user
    std::string sha256; // hexadecimal, of the file's contents
    std::string licence;
    std::vector<std::string> labels; // of all classes
};

class SqliteDatabase {
  public:
    static constexpr int version = 3; // of the tables

    // Fills `file`, which must be empty or absent. It is complete only after finish(): give it a temporary
    // name first and rename it afterwards. Messages call it `shownAs`. Throws earshot::Error, as every
    // function does.
    SqliteDatabase(const std::filesystem::path& file, const DatabaseModel& model,
                   const std::map<std::string, std::string>& settings,
                   const std::filesystem::path& shownAs = {});

    // error: the reason why the recording failed, or empty.
    // top: how many of its likeliest sounds are written.
    void add(const RecordingEvents& recording, std::string_view error = {}, int top = 0);
    void finish();

  private:
    Database database_;
    Transaction transaction_; // bounds memory: SQLite writes to disk what exceeds its cache
    Statement insertFile_;
    Statement insertEvent_, insertTop_;
    std::int64_t files_ = 0;
};

} // namespace earshot::formats
