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
