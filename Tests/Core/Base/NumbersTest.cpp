#include "Core/Base/Numbers.h"

#include "Support/Catch.h"

using earshot::parseNumber;

TEST_CASE("a number is a finite decimal and nothing else", "[unit]") {
    CHECK(parseNumber("0.5") == 0.5);
    CHECK(parseNumber("-2e3") == -2000.0);
    for (const char* text : {"", " ", " 1", "1 ", "1x", "x", "nan", "inf", "-inf", "1e999", "0,5", "1 2"}) {
        CAPTURE(text);
        CHECK(!parseNumber(text));
    }
}
