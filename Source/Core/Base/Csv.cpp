#include "Core/Base/Csv.h"

#include "Core/Base/Unicode.h"

#include <algorithm>
#include <array>

namespace earshot {

namespace {

using namespace std::string_view_literals;

constexpr char asText = '\'';
constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

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

// Whether the first line is "sep=;", with any separator.
bool beginsWithSeparator(std::string_view text) {
    constexpr std::string_view mark = "sep=";
    return text.starts_with(mark) && text.size() > mark.size() &&
           (text.substr(mark.size() + 1).starts_with('\n') ||
            text.substr(mark.size() + 1).starts_with("\r\n"));
}

class CsvParser {
  public:
    CsvParser(std::string_view text, char separator)
        : text_(text)
        , separator_(separator) {}

    std::vector<CsvLine> parse() {
        if (text_.starts_with(byteOrderMark)) text_.remove_prefix(byteOrderMark.size());
        if (beginsWithSeparator(text_)) skipLine();
        std::vector<CsvLine> rows;
        while (!text_.empty()) {
            if (text_.front() == '#') {
                skipLine();
                continue;
            }
            const int line = line_;
            openQuote_ = 0;
            auto row = parseRow();
            if (row.size() > 1 || !row.front().empty()) rows.push_back({line, std::move(row), openQuote_});
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
        while (skip(separator_));
        skip('\r');
        skip('\n');
        return row;
    }

    bool atFieldEnd() const {
        return text_.empty() || text_.front() == separator_ || text_.front() == '\n' ||
               text_.starts_with("\r\n");
    }

    // Whether a quoted field is closed at its end, in this line. The text begins with its mark.
    bool closesInLine() const {
        for (std::size_t i = 1; i < text_.size() && text_[i] != '\n'; ++i) {
            if (text_[i] != '"') continue;
            const auto behind = text_.substr(i + 1);
            if (behind.empty() || behind.front() == separator_ || behind.front() == '\n' ||
                behind.starts_with("\r\n"))
                return true;
            if (behind.front() != '"') return false;
            ++i;
        }
        return false;
    }

    // Reads up to a separator or the line's end, which stay.
    std::string parseField() {
        std::string field;
        const int begin = line_;
        if (text_.starts_with('"') && (separator_ != '\t' || closesInLine())) {
            next();
            const bool closed = parseQuoted(field);
            if (openQuote_ == 0 && (!closed || (line_ > begin && !atFieldEnd()))) openQuote_ = begin;
        }
        while (!atFieldEnd()) field += next();
        // spreadsheetText() wrote the apostrophe
        if (separator_ != '\t' && field.find(asText) == 0 && isFormula(field)) field.erase(0, 1);
        return field;
    }

    // Returns whether the field is closed.
    bool parseQuoted(std::string& field) {
        while (!text_.empty()) {
            const char c = next();
            if (c == '"' && !skip('"')) return true;
            field += c;
        }
        return false;
    }

    std::string_view text_;
    char separator_;
    int line_ = 1;
    int openQuote_ = 0; // as CsvLine's, of the row that is being read
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
    for (auto& row : CsvParser(text, ',').parse()) rows.push_back(std::move(row.fields));
    return rows;
}

std::vector<CsvLine> parseCsvLines(std::string_view text, char separator) {
    return CsvParser(text, separator).parse();
}

char separatorOf(std::string_view text) {
    if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
    if (beginsWithSeparator(text)) return text[4];
    std::size_t commas = 0, semicolons = 0;
    bool quoted = false;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find_first_of("\r\n"));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.empty() || line.starts_with('#')) continue;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            if (quoted) continue;
            if (c == '\t') return c;
            commas += c == ',' ? 1 : 0;
            semicolons += c == ';' ? 1 : 0;
        }
        break;
    }
    return semicolons > commas ? ';' : ',';
}

} // namespace earshot
