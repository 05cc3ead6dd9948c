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
