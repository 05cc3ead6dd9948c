#include "Core/Base/Csv.h"

#include "Core/Base/Unicode.h"

#include <algorithm>
#include <array>

namespace earshot {

namespace {

using namespace std::string_view_literals;

constexpr char asText = '\'';

// The characters with which formulas begin. The last four are full-width forms of the first four.
constexpr std::array formulaSigns = {"="sv,  "+"sv,      "-"sv,      "@"sv,      "\t"sv,    "\r"sv,
                                     "\n"sv, "\uff1d"sv, "\uff0b"sv, "\uff0d"sv, "\uff20"sv};

bool isFormula(std::string_view text) {
    const auto begin = text.find_first_not_of(" '\"");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    return std::ranges::any_of(formulaSigns, [&](std::string_view sign) {
        return text.starts_with(sign) && text.size() > sign.size();
    });
}

class CsvParser {
  public:
    explicit CsvParser(std::string_view text)
        : text_(text) {}

    std::vector<CsvLine> parse() {
        constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
        if (text_.starts_with(byteOrderMark)) text_.remove_prefix(byteOrderMark.size());
        std::vector<CsvLine> rows;
        while (!text_.empty()) {
            if (text_.front() == '#') {
                skipLine();
                continue;
            }
            const int line = line_;
            auto row = parseRow();
            if (row.size() > 1 || !row.front().empty()) rows.push_back({line, std::move(row)});
        }
        return rows;
    }

  private:
    char next() {
        const char c = text_.front();
        text_.remove_prefix(1);
        if (c == '\n') ++line_;
        return c;
    }

    bool skip(char c) {
        if (text_.empty() || text_.front() != c) return false;
        next();
        return true;
    }

    void skipLine() {
        while (!text_.empty() && next() != '\n') {
        }
    }

    // A line has at least one field, and an end.
    CsvRow parseRow() {
        CsvRow row;
        do row.push_back(parseField());
        while (skip(','));
        skip('\r');
        skip('\n');
        return row;
    }

    // Reads up to a comma or the line's end, which stay.
    std::string parseField() {
        std::string field;
        if (skip('"')) parseQuoted(field);
        while (!text_.empty() && text_.front() != ',' && text_.front() != '\n' && !text_.starts_with("\r\n"))
            field += next();
        // spreadsheetText() wrote the apostrophe
        if (field.find(asText) == 0 && isFormula(field)) field.erase(0, 1);
        return field;
    }

    void parseQuoted(std::string& field) {
        while (!text_.empty()) {
            const char c = next();
            if (c == '"' && !skip('"')) return;
            field += c;
        }
    }

    std::string_view text_;
    int line_ = 1;
};

} // namespace

std::string csvField(std::string_view text) {
    std::string field = spreadsheetText(validUtf8(text));
    // Many readers, ours too, take a line that begins with # for a comment. Some split fields at ; and tabs.
    if (field.find_first_of(",;\"\t\r\n") == std::string::npos && !field.starts_with('#')) return field;
    std::string quoted(1, '"');
    for (const char c : field) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    quoted += '"';
    return quoted;
}

std::string spreadsheetText(std::string_view text) {
    std::string cell;
    if (isFormula(text)) cell += asText;
    cell += text;
    return cell;
}

std::vector<CsvRow> parseCsv(std::string_view text) {
    std::vector<CsvRow> rows;
    for (auto& row : CsvParser(text).parse()) rows.push_back(std::move(row.fields));
    return rows;
}

std::vector<CsvLine> parseCsvLines(std::string_view text) { return CsvParser(text).parse(); }

} // namespace earshot
