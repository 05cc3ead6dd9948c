#include "Core/Base/Csv.h"

#include "Support/Catch.h"

using earshot::CsvRow;
using earshot::parseCsv;
using Rows = std::vector<CsvRow>;

TEST_CASE("fields, quotes and line ends are read as RFC 4180 has them", "[unit]") {
    REQUIRE(parseCsv("a,b\nc,d\n") == Rows{{"a", "b"}, {"c", "d"}});
    REQUIRE(parseCsv("a,b\r\nc,d") == Rows{{"a", "b"}, {"c", "d"}});
    REQUIRE(parseCsv("\"a,\"\"b\"\"\nc\",d\n") == Rows{{"a,\"b\"\nc", "d"}});
    REQUIRE(parseCsv(",\n\"\",\n") == Rows{{"", ""}, {"", ""}});
    REQUIRE(parseCsv("a, b \n") == Rows{{"a", " b "}});
    REQUIRE(parseCsv("a\rb\n") == Rows{{"a\rb"}});
}

TEST_CASE("byte order marks, comments and empty lines are skipped", "[unit]") {
    REQUIRE(parseCsv("\xef\xbb\xbf"
                     "a\n") == Rows{{"a"}});
    REQUIRE(parseCsv("# comment, \"x\n\na\n\r\n#b\n\"#c\"\n#") == Rows{{"a"}, {"#c"}});
    REQUIRE(parseCsv("").empty());
    REQUIRE(parseCsv("\n\n").empty());
}

TEST_CASE("cells that were written for spreadsheets are read back as they were", "[unit]") {
    REQUIRE(parseCsv("'=1+1,\"'=SUM(1,2)\",=1+1\n") == Rows{{"=1+1", "=SUM(1,2)", "=1+1"}});
    REQUIRE(parseCsv("''=1,' -x,'\"@y,'Allo,'\n") == Rows{{"'=1", " -x", "\"@y", "'Allo", "'"}});
    REQUIRE(parseCsv("-0.5,'-,'=,-\n") == Rows{{"-0.5", "'-", "'=", "-"}});
}

TEST_CASE("malformed quotes lose nothing", "[unit]") {
    REQUIRE(parseCsv("\"a,b\nc") == Rows{{"a,b\nc"}});
    REQUIRE(parseCsv("\"a\"b,c") == Rows{{"ab", "c"}});
    REQUIRE(parseCsv("a\"b\",c") == Rows{{"a\"b\"", "c"}});
}

TEST_CASE("rows know the line they begin in", "[unit]") {
    std::vector<int> lines;
    for (const auto& row : earshot::parseCsvLines("\xef\xbb\xbf# comment\na,b\r\n\n\"two\nlines\",c\nd,e"))
        lines.push_back(row.line);
    REQUIRE(lines == std::vector<int>{2, 4, 6});
}

TEST_CASE("fields are separated by what the first row has between them", "[unit]") {
    using earshot::separatorOf;
    CHECK(separatorOf("file,label\na;b;c,d\n") == ',');
    CHECK(separatorOf("\xef\xbb\xbf# a;b;c\n\nfile;onset;label\r\na,1;2;3\r\n") == ';');
    CHECK(separatorOf("\"a;b;c\",d\n") == ',');
    CHECK(separatorOf("9.0\t13.8\ta, b, c, d; e\n") == '\t');
    CHECK(separatorOf("sep=;\r\na,b,c\n") == ';');
    CHECK(separatorOf("") == ',');
    const auto rows = earshot::parseCsvLines("sep=;\n\"a;b\";c,d\n;\n", ';');
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].line == 2);
    CHECK(rows[0].fields == earshot::CsvRow{"a;b", "c,d"});
    CHECK(rows[1].fields == earshot::CsvRow{"", ""});
}

TEST_CASE("a quotation mark that takes in the rows after it is known by its line", "[unit]") {
    const auto openQuotes = [](std::string_view text, char separator = ',') {
        std::vector<int> lines;
        for (const auto& row : earshot::parseCsvLines(text, separator)) lines.push_back(row.openQuote);
        return lines;
    };
    CHECK(openQuotes("a,b\n\"x\ny\",z\n\"\"\"\",c\n") == std::vector<int>{0, 0, 0});
    CHECK(openQuotes("a,b\nc,\"d\ne,f\n") == std::vector<int>{0, 2});
    CHECK(openQuotes("a,b\n\"two\nlines\",\"d\ne,f\n") == std::vector<int>{0, 3});
    CHECK(openQuotes("a,b\nc,\"d\ne,\"f\"\ng,h\n") == std::vector<int>{0, 2, 0}); // closed by the next mark
    CHECK(openQuotes("a,\"b\"c\n") == std::vector<int>{0});
    // Between tabs a mark is one only if its field ends with it.
    CHECK(openQuotes("a\t\"b\nc\td\n", '\t') == std::vector<int>{0, 0});
    CHECK(earshot::parseCsvLines("\"a\"\"b\"\t\"5\" drum\n", '\t')[0].fields ==
          earshot::CsvRow{"a\"b", "\"5\" drum"});
}
