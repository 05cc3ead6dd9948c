#include "Core/Base/WallTime.h"

#include "Support/Catch.h"

#include <cmath>
#include <limits>

using namespace earshot;

TEST_CASE("the first time in a text is found in the forms that recorders write", "[unit]") {
    const auto [text, time] = GENERATE(table<std::string, std::string>({
        {"20261025_023000", "2026-10-25T02:30:00.000"},
        {"SMM01234_20261025_023000", "2026-10-25T02:30:00.000"},
        {"403C-SM3_0+1_20261025$230034", "2026-10-25T23:00:34.000"},
        {"7181.261025023000", "2026-10-25T02:30:00.000"},
        {"261025_023000", "2026-10-25T02:30:00.000"},
        {"CINMS19B_d02_261025_023000.x", "2026-10-25T02:30:00.000"},
        {"20261025_023000_20261025_033000", "2026-10-25T02:30:00.000"},
        {"AMAR668.20261025T023000Z", "2026-10-25T02:30:00.000+00:00"},
        {"20261025T023000+1000_REC", "2026-10-25T02:30:00.000+10:00"},
        {"SWIFT_20261025_023000-0500", "2026-10-25T02:30:00.000-05:00"},
        {"S20261025T023000.183+1030_E20261025T033000", "2026-10-25T02:30:00.183+10:30"},
        {"PAM_20261025_023000_250", "2026-10-25T02:30:00.250"},
        {"PXL_20261025_023000123", "2026-10-25T02:30:00.123"},
        {"2026-10-25 02:30", "2026-10-25T02:30:00.000"},
        {"2026-10-25_02-30-00", "2026-10-25T02:30:00.000"},
        {"2026_10_25_02_30_00", "2026-10-25T02:30:00.000"},
        {"2026-10-25T02:30:00-05:00", "2026-10-25T02:30:00.000-05:00"},
        {"2026-10-25 at 02.30.00", "2026-10-25T02:30:00.000"},
        {"2026-10-25_023000", "2026-10-25T02:30:00.000"},
        {"2026-10-25 02h30", "2026-10-25T02:30:00.000"},
        {"20261025T0230", "2026-10-25T02:30:00.000"},
        {"20261025023000", "2026-10-25T02:30:00.000"},
        {"Dog-80-2026-10-25-birdnet-02:30:00", "2026-10-25T02:30:00.000"},
        {"2026-10-25_02-30-00_UTC", "2026-10-25T02:30:00.000+00:00"},
        {"999999_999999_20261025_023000", "2026-10-25T02:30:00.000"},
    }));
    INFO(text);
    const auto found = findWallTime(text);
    REQUIRE(found);
    CHECK(isoText(found->time) == time);
}

TEST_CASE("what is no time is none", "[unit]") {
    const std::string text =
        GENERATE("", "recording", "20261025", "2026-10-25", "ZOOM0001", "261025_0001", "20261025_0001",
                 "DR0000_0001", "20261325_023000", "20260229_023000", "20261025_243000", "20261025_026000",
                 "20261025_0230001", "1234567890123456789", "123456789012345", "00000000_000000",
                 "20261025_track_023000", "2026-10-25-0100", "19010101_000000", "1761352200");
    INFO(text);
    CHECK_FALSE(findWallTime(text));
}

TEST_CASE("a number that may be a count is no offset from UTC", "[unit]") {
    for (const char* const text : {"20261025_023000-001", "20261025_023000-01", "20261025_023000-0001",
                                   "20261025_023000-033000", "20261025_023000+9900", "20261025_023000Zoom"}) {
        INFO(text);
        REQUIRE(findWallTime(text));
        CHECK_FALSE(findWallTime(text)->time.offset);
    }
}

TEST_CASE("a stated time is the whole text", "[unit]") {
    CHECK(parseWallTime("2026-10-25T02:30:00Z") == WallTime{1'792'895'400'000, 0});
    CHECK(parseWallTime("2026-10-25 02:30:00.5") == WallTime{1'792'895'400'500, {}});
    CHECK_FALSE(parseWallTime("at 2026-10-25T02:30:00"));
    CHECK_FALSE(parseWallTime("2026-10-25T02:30:00 or so"));
    CHECK_FALSE(parseWallTime("now"));
}

TEST_CASE("a clock goes on over midnight, a leap day and a year, and keeps its offset", "[unit]") {
    CHECK(isoText(later(*parseWallTime("2028-02-28T23:59:59.999-05:00"), 0.001)) ==
          "2028-02-29T00:00:00.000-05:00");
    CHECK(isoText(later(*parseWallTime("2026-12-31T23:00:00"), 7200.25)) == "2027-01-01T01:00:00.250");
    CHECK(isoText(later(*parseWallTime("2026-10-25T02:30:00+02:00"), 3600)) ==
          "2026-10-25T03:30:00.000+02:00");
    CHECK(isoText(later(*parseWallTime("1970-01-01T00:00:00"), -0.5)) == "1969-12-31T23:59:59.500");
}

TEST_CASE("a time that no calendar has is written all the same", "[unit]") {
    const WallTime start{0, {}};
    for (const double seconds : {1e300, -1e300, std::numeric_limits<double>::infinity(), std::nan("")})
        CHECK(isoText(later(start, seconds)).size() == 23);
}

TEST_CASE("times of different offsets are compared in UTC, and others by their clocks", "[unit]") {
    const auto between = [](const char* from, const char* to) {
        return secondsBetween(*parseWallTime(from), *parseWallTime(to));
    };
    CHECK(between("2026-10-25T02:50:00+02:00", "2026-10-25T02:00:00+01:00") == 600.0);
    CHECK(between("2026-10-25T02:50:00", "2026-10-25T03:00:00+01:00") == 600.0);
}
