// A CSV (Base/Csv.h) that other people and programs write, too. Rows that nobody changes here keep their
// bytes, and so do comments, empty lines, unknown columns and the separator (commas, semicolons or tabs).
// Columns are known by their names in the first row, whatever their order and the case of their letters, as
// in training. One thread at a time.
#pragma once

#include "Core/Base/Csv.h"
#include "Core/Training/Data/LabelColumns.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::teaching {

class ExampleTable {
  public:
    // Never fails, as parseCsv(). A text without a row is a table without columns.
    explicit ExampleTable(std::string_view text = {});

    bool empty() const { return header_.fields.empty(); } // it has no first row either
    bool has(std::string_view column) const { return columns_.count(column) > 0; }
    std::size_t rows() const { return rows_.size(); } // without the one that names the columns
    int line(std::size_t row) const { return rows_[row].number; }
    // As CsvLine::openQuote.
    int openQuote(std::size_t row) const { return rows_[row].openQuote; }
    // Without blanks at both ends; "" where the row has no such field.
    std::string_view field(std::size_t row, std::string_view column) const;

    // Adds those columns that are missing, behind the others.
    void require(std::span<const std::string_view> columns);
    // Both need columns that are there.
    void set(std::size_t row, std::string_view column, std::string_view text);
    void append(std::span<const std::pair<std::string_view, std::string>> fields);
    void remove(std::size_t row);

    std::string text() const;

  private:
    struct Line {
        std::string text;  // as it is written, with its end
        std::string after; // comments and empty lines up to the next row
        CsvRow fields;
        int number = 0; // from 1 on; 0 for a row that was added
        int openQuote = 0;
    };

    void endLastLine();
    std::string written(const CsvRow& fields) const;

    std::string before_; // comments and empty lines before the first row
    Line header_;
    std::vector<Line> rows_;
    training::Columns columns_;
    std::string lineEnd_ = "\n";
    char separator_ = ',';
};

} // namespace earshot::teaching
