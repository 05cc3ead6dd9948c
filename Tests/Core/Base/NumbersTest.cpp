#include "Core/Base/Numbers.h"

#include "Support/Catch.h"

#include <string>
#include <utility>

using earshot::parseNumber;

TEST_CASE("a number is a finite decimal and nothing else", "[unit]") {
    CHECK(parseNumber("0.5") == 0.5);
    CHECK(parseNumber("-2e3") == -2000.0);
    for (const char* text : {"", " ", " 1", "1 ", "1x", "x", "nan", "inf", "-inf", "1e999", "0,5", "1 2"}) {
        CAPTURE(text);
        CHECK(!parseNumber(text));
    }
}

TEST_CASE("times are read as people and programs write them", "[unit]") {
    using earshot::parseSeconds;
    for (const auto& [text, seconds] : {std::pair{"9", 9.0},
                                        {"9.25", 9.25},
                                        {" 9,25 ", 9.25},
                                        {"0:09.25", 9.25},
                                        {"0:09,25", 9.25},
                                        {"1:09", 69.0},
                                        {"90:00", 5400.0},
                                        {"2:01:09.5", 7269.5},
                                        {"00:00:00", 0.0},
                                        {"-0.004", -0.004},
                                        {"-0:01.5", -1.5},
                                        {"+3", 3.0},
                                        {"1e-05", 1e-05},
                                        {"1,234", 1.234}}) {
        CAPTURE(text);
        REQUIRE(parseSeconds(text).has_value());
        CHECK(*parseSeconds(text) == Approx(seconds));
    }
    for (const char* text : {"",        " ",   "one", "9 s",   "1,234.5", "1.234,5", "1:60",
                             "1:2:3:4", ":5",  "5:",  "1:-5",  "1.5:3",   "--1",     "+-1",
                             "-",       "nan", "inf", "1e999", "9\t9",    "1 2"}) {
        CAPTURE(text);
        CHECK_FALSE(parseSeconds(text).has_value());
    }
    CHECK_FALSE(parseSeconds(std::string(100'000, '1')).has_value());
}
