#include "Core/Base/Csv.h"

namespace earshot {

namespace {

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

    // At least one field, and the line's end.
    CsvRow parseRow() {
        CsvRow row;
        do row.push_back(parseField());
        while (skip(','));
        skip('\r');
        skip('\n');
        return row;
    }

    // Up to a comma or the line's end, which stay.
    std::string parseField() {
        std::string field;
        if (skip('"')) parseQuoted(field);
        while (!text_.empty() && text_.front() != ',' && text_.front() != '\n' && !text_.starts_with("\r\n"))
            field += next();
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

std::vector<CsvRow> parseCsv(std::string_view text) {
    std::vector<CsvRow> rows;
    for (auto& row : CsvParser(text).parse()) rows.push_back(std::move(row.fields));
    return rows;
}

std::vector<CsvLine> parseCsvLines(std::string_view text) { return CsvParser(text).parse(); }

} // namespace earshot
