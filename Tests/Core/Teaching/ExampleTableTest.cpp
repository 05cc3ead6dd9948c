#include "Core/Teaching/ExampleTable.h"

#include "Support/Catch.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace earshot;
using namespace std::string_view_literals;
using teaching::ExampleTable;

namespace {

// Texts of the pieces that mean something in a CSV.
std::string randomText(std::mt19937& random) {
    constexpr std::array pieces = {"a"sv,    "file"sv, ","sv, ","sv,    "\n"sv, "\n"sv,
                                   "\r\n"sv, "\""sv,   "#"sv, "\"\""sv, " "sv,  "'=1"sv};
    std::string text = random() % 4 == 0 ? "\xef\xbb\xbf" : "";
    for (auto count = random() % 40; count > 0; --count) text += pieces[random() % pieces.size()];
    return text;
}

} // namespace

TEST_CASE("a table that nobody changes is written as it was", "[unit]") {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        const std::string text = randomText(random);
        CAPTURE(text);
        ExampleTable table(text);
        const auto rows = parseCsv(text);
        REQUIRE(table.text() == text);
        REQUIRE(table.empty() == rows.empty());
        REQUIRE(table.rows() == (rows.empty() ? 0 : rows.size() - 1));
    }
}

TEST_CASE("changes of a table are read back, and change no other row", "[unit]") {
    std::mt19937 random(2);
    constexpr std::array columns = {"file"sv, "new"sv};
    for (int round = 0; round < 5000; ++round) {
        const std::string text = randomText(random);
        if (std::count(text.begin(), text.end(), '"') > 0)
            continue; // an open quotation mark takes in what follows
        CAPTURE(text);
        ExampleTable table(text);
        table.require(columns);
        REQUIRE(table.has("file"));
        std::vector<std::string> expected; // the column "new"
        for (std::size_t row = 0; row < table.rows(); ++row) expected.emplace_back(table.field(row, "new"));
        for (int change = 0; change < 5; ++change) {
            const std::string value = random() % 2 == 0 ? "=1+\"1\"" : "two\nlines, and #";
            if (random() % 3 == 0 || expected.empty()) {
                const std::vector<std::pair<std::string_view, std::string>> fields = {{"new", value}};
                table.append(fields);
                expected.push_back(value);
            } else if (const auto row = random() % expected.size(); random() % 2 == 0) {
                table.set(row, "new", value);
                expected[row] = value;
            } else {
                table.remove(row);
                expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(row));
            }
        }
        const ExampleTable read(table.text());
        REQUIRE(read.rows() == expected.size());
        for (std::size_t row = 0; row < expected.size(); ++row)
            REQUIRE(read.field(row, "new") == expected[row]);
    }
}

TEST_CASE("columns are known by their names, and rows by their lines", "[unit]") {
    const ExampleTable table("# comment\n File ,LABEL,label\n\nb.wav,Dog,Cat,more\n\"c\nd\"\n# end\nlast");
    REQUIRE(table.rows() == 3);
    CHECK(table.has("file"));
    CHECK_FALSE(table.has("File"));
    CHECK(table.field(0, "file") == "b.wav");
    CHECK(table.field(0, "label") == "Dog"); // the first of two
    CHECK(table.field(1, "file") == "c\nd");
    CHECK(table.field(1, "label").empty());
    CHECK(table.field(2, "file") == "last");
    CHECK(table.field(2, "other").empty());
    CHECK(table.line(0) == 4);
    CHECK(table.line(1) == 5);
    CHECK(table.line(2) == 8);
}

TEST_CASE("comments stay when their row goes", "[unit]") {
    ExampleTable table("file\na\n# of a\nb\n\n# of b\nc");
    table.remove(0);
    CHECK(table.text() == "file\n# of a\nb\n\n# of b\nc");
    table.remove(1);
    CHECK(table.text() == "file\n# of a\nb\n\n# of b\n");
    table.remove(0);
    CHECK(table.text() == "file\n# of a\n\n# of b\n");
}
