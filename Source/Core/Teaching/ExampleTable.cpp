#include "Core/Teaching/ExampleTable.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace earshot::teaching {

namespace {

// How many lines of its text a row takes. Only fields have line ends within a row.
int linesOf(const CsvRow& fields) {
    std::ptrdiff_t ends = 0;
    for (const auto& field : fields) ends += std::ranges::count(field, '\n');
    return static_cast<int>(ends) + 1;
}

} // namespace

ExampleTable::ExampleTable(std::string_view text) {
    std::vector<std::size_t> begins = {0}; // of lines
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') begins.push_back(i + 1);
    // Line numbers count from 1.
    const auto part = [&](int first, int end) {
        const auto place = [&](int line) {
            const auto at = static_cast<std::size_t>(line - 1);
            return at < begins.size() ? begins[at] : text.size();
        };
        return std::string(text.substr(place(first), place(end) - place(first)));
    };
    const int end = static_cast<int>(begins.size()) + 1;
    separator_ = separatorOf(text);
    auto lines = parseCsvLines(text, separator_);
    before_ = part(1, lines.empty() ? end : lines.front().line);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int first = lines[i].line;
        const int next = i + 1 < lines.size() ? lines[i + 1].line : end;
        const int behind = std::min(first + linesOf(lines[i].fields), next);
        Line line{.text = part(first, behind),
                  .after = part(behind, next),
                  .fields = std::move(lines[i].fields),
                  .number = first,
                  .openQuote = lines[i].openQuote};
        if (i == 0)
            header_ = std::move(line);
        else
            rows_.push_back(std::move(line));
    }
    if (header_.text.ends_with("\r\n")) lineEnd_ = "\r\n";
    columns_ = training::columnsOf(header_.fields);
}

std::string_view ExampleTable::field(std::size_t row, std::string_view column) const {
    const auto found = columns_.find(column);
    const CsvRow& fields = rows_[row].fields;
    if (found == columns_.end() || found->second >= fields.size()) return {};
    return training::trimmed(fields[found->second]);
}

std::string ExampleTable::written(const CsvRow& fields) const {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) line += separator_;
        line += csvField(fields[i]);
    }
    return line + lineEnd_;
}

void ExampleTable::endLastLine() {
    if (empty()) return;
    Line& last = rows_.empty() ? header_ : rows_.back();
    std::string& text = last.after.empty() ? last.text : last.after;
    if (!text.ends_with('\n')) text += lineEnd_;
}

void ExampleTable::require(std::span<const std::string_view> columns) {
    if (empty() && !before_.empty() && !before_.ends_with('\n')) before_ += lineEnd_;
    std::string more;
    for (const auto column : columns) {
        if (has(column)) continue;
        if (!header_.fields.empty()) more += separator_;
        more += csvField(column);
        header_.fields.emplace_back(column);
    }
    if (more.empty()) return;
    columns_ = training::columnsOf(header_.fields);
    // What was written stays, with its byte order mark.
    std::string_view known = header_.text;
    while (known.ends_with('\n') || known.ends_with('\r')) known.remove_suffix(1);
    header_.text = std::string(known) + more + lineEnd_;
}

void ExampleTable::set(std::size_t row, std::string_view column, std::string_view text) {
    assert(has(column));
    Line& line = rows_[row];
    const std::size_t at = columns_.find(column)->second;
    if (line.fields.size() <= at) line.fields.resize(at + 1);
    line.fields[at] = text;
    line.text = written(line.fields);
}

void ExampleTable::append(std::span<const std::pair<std::string_view, std::string>> fields) {
    endLastLine();
    Line line;
    line.fields.resize(header_.fields.size());
    for (const auto& [column, text] : fields) {
        assert(has(column));
        line.fields[columns_.find(column)->second] = text;
    }
    line.text = written(line.fields);
    rows_.push_back(std::move(line));
}

void ExampleTable::remove(std::size_t row) {
    (row == 0 ? header_ : rows_[row - 1]).after += rows_[row].after;
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(row));
}

std::string ExampleTable::text() const {
    std::string text = before_ + header_.text + header_.after;
    for (const Line& line : rows_) {
        text += line.text;
        text += line.after;
    }
    return text;
}

} // namespace earshot::teaching
