#include "Core/Training/Data/LabelRows.h"

#include "Core/Base/Error.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/Unicode.h"
#include "Core/Training/Data/LabelColumns.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace earshot::training {

namespace {

// The objects of a list, or one on each line, as rows of a table whose columns are their keys.
class ObjectReader {
  public:
    explicit ObjectReader(const std::filesystem::path& file)
        : file_(file) {
        table_.unit = "object";
    }

    LabelRows read(std::string_view text) {
        if (text.starts_with('['))
            readList(text);
        else
            readLines(text);
        return std::move(table_);
    }

  private:
    using Json = nlohmann::json;

    // Each object is dropped once its fields are taken.
    void readList(std::string_view text) {
        const auto take = [this](int depth, Json::parse_event_t event, Json& value) {
            if (depth != 1) return true;
            if (event == Json::parse_event_t::object_end) add(value);
            return event == Json::parse_event_t::object_start;
        };
        try {
            std::ignore = Json::parse(text, take);
        } catch (const Json::exception&) {
            refuse();
        }
        if (table_.header.empty()) refuse();
    }

    void readLines(std::string_view text) {
        table_.unit = "line";
        for (int line = 1; !text.empty(); ++line) {
            const auto one = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(one.size() + 1, text.size()));
            if (trimmed(one).empty()) continue;
            const Json value = Json::parse(one, nullptr, false);
            if (!value.is_object()) refuse();
            add(value);
            table_.rows.back().line = line;
        }
    }

    [[noreturn]] void refuse() const {
        throw Error(displayName(file_) +
                    ": is no list of labels; JSON must be a list of objects, or an object a "
                    "line, with file, onset_s, offset_s and label, as 'earshot analyze' "
                    "writes them");
    }

    static std::string textOf(const Json& value) {
        if (value.is_string()) return value.get<std::string>();
        if (value.is_number()) return value.dump();
        std::string text;
        if (value.is_array())
            for (const Json& one : value)
                if (one.is_string()) text += (text.empty() ? "" : ";") + one.get<std::string>();
        return text;
    }

    void add(const Json& object) {
        constexpr std::size_t maxColumns = 256;
        CsvLine& row = table_.rows.emplace_back();
        row.line = static_cast<int>(table_.rows.size());
        for (const auto& [key, value] : object.items()) {
            auto [column, isNew] = columns_.try_emplace(key, table_.header.size());
            if (isNew && columns_.size() > maxColumns) {
                columns_.erase(column);
                continue;
            }
            if (isNew) table_.header.push_back(key);
            if (row.fields.size() <= column->second) row.fields.resize(column->second + 1);
            row.fields[column->second] = textOf(value);
        }
    }

    const std::filesystem::path& file_;
    LabelRows table_;
    std::map<std::string, std::size_t> columns_;
};

bool isTime(std::string_view text) { return parseSeconds(text).has_value(); }

// Tables without a line that names the columns: of Audacity, and those of sed_eval with a file before the
// times.
std::optional<CsvRow> impliedHeader(const std::vector<CsvLine>& rows) {
    for (const CsvLine& row : rows) {
        const CsvRow& fields = row.fields;
        if (fields.front() == "\\") continue;
        if (fields.size() >= 2 && isTime(fields[0]) && isTime(fields[1]))
            return CsvRow{"onset", "offset", "label"};
        if (fields.size() == 4 && isTime(fields[1]) && isTime(fields[2]))
            return CsvRow{"file", "onset", "offset", "label"};
        if (fields.size() == 5 && isTime(fields[2]) && isTime(fields[3]))
            return CsvRow{"file", "scene", "onset", "offset", "label"};
        break;
    }
    return std::nullopt;
}

} // namespace

LabelRows readLabelRows(std::string_view given, const std::filesystem::path& file) {
    requireTableText(given, file);
    const char separator = separatorOf(given);
    std::string text(given);
    if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (text[first] == '[' || text[first] == '{'))
        return ObjectReader(file).read(std::string_view(text).substr(first));
    LabelRows table;
    table.rows = parseCsvLines(text, separator);
    table.tabs = separator == '\t';
    for (const CsvLine& row : table.rows)
        if (row.openQuote > 0) throw Error(openQuoteMessage(file, row.openQuote));
    if (table.rows.empty()) throw Error(displayName(file) + ": is empty; " + wantedColumns);
    if (auto header = impliedHeader(table.rows)) {
        table.header = *std::move(header);
        std::erase_if(table.rows, [](const CsvLine& row) { return row.fields.front() == "\\"; });
    } else {
        table.header = std::move(table.rows.front().fields);
        table.rows.erase(table.rows.begin());
    }
    return table;
}

} // namespace earshot::training
