#include "Cli/Output/Terminal.h"
#include "Support/Catch.h"

using namespace earshot::cli;

TEST_CASE("clock times round to hundredths and grow hours when needed", "[unit]") {
    CHECK(clockTime(0.0) == "0:00.00");
    CHECK(clockTime(3.204) == "0:03.20");
    CHECK(clockTime(59.996) == "1:00.00");
    CHECK(clockTime(3599.996) == "1:00:00.00");
    CHECK(clockTime(36000.5) == "10:00:00.50");
    CHECK(clockTime(-0.001) == "0:00.00");
}

TEST_CASE("amounts are written for people", "[unit]") {
    CHECK(byteCount(0) == "0 B");
    CHECK(byteCount(999) == "999 B");
    CHECK(byteCount(1500) == "1.5 kB");
    CHECK(byteCount(31e6) == "31.0 MB");
    CHECK(byteCount(5e12) == "5000.0 GB");
    CHECK(groupedDigits(0) == "0");
    CHECK(groupedDigits(999) == "999");
    CHECK(groupedDigits(1000) == "1,000");
    CHECK(groupedDigits(31234567) == "31,234,567");
    CHECK(groupedDigits(-123456) == "-123,456");
}

TEST_CASE("shown text is valid UTF-8 on one line", "[unit]") {
    const std::string valid = "a \xc3\xb6 \xe9\xb3\xa5 \xf0\x9f\x90\xa6";
    const std::string replacement = "\xef\xbf\xbd";
    CHECK(displayText(valid) == valid);
    CHECK(displayText("a\nb\t\033[31m\x7f") == "a?b??[31m?");
    // A lone continuation, a cut character, an overlong one, a surrogate, beyond U+10FFFF.
    CHECK(displayText("\x80") == replacement);
    CHECK(displayText("x\xe9\xb3") == "x" + replacement + replacement);
    CHECK(displayText("\xc0\xaf") == replacement + replacement);
    CHECK(displayText("\xed\xa0\x80") == replacement + replacement + replacement);
    CHECK(displayText("\xf4\x90\x80\x80") == replacement + replacement + replacement + replacement);
    CHECK(displayText("\u009b2J") == "??2J"); // CSI of eight-bit terminals
    CHECK(displayText("a\u202eb\u2028c\ufeff") == "a<U+202E>b<U+2028>c<U+FEFF>");
    CHECK(padded("\xc3\xb6", 3) == "\xc3\xb6  ");
    CHECK(padded("\xe9\xb3\xa5", 3) == "\xe9\xb3\xa5 "); // two columns
    CHECK(padded("long", 2) == "long");
}
