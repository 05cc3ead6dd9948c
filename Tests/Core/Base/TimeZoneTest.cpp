#include "Core/Base/TimeZone.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"
#include "Support/Skip.h"

#include <filesystem>

using namespace earshot;

namespace {

bool hasZones() { return std::filesystem::is_regular_file(TimeZone::systemDatabase() / "Europe/Berlin"); }

std::string on(const std::string& zone, const std::string& time) {
    return isoText(TimeZone(zone).on(*parseWallTime(time)));
}

} // namespace

TEST_CASE("an offset is a zone", "[unit]") {
    CHECK(on("+02:00", "2026-10-25T02:30:00") == "2026-10-25T02:30:00.000+02:00");
    CHECK(on("-0330", "2026-10-25T02:30:00Z") == "2026-10-24T23:00:00.000-03:30");
    CHECK(on("UTC", "2026-10-25T02:30:00+05:45") == "2026-10-24T20:45:00.000+00:00");
}

TEST_CASE("zones have the offsets of the system's database", "[unit]") {
    if (!hasZones()) return test::skip("no /usr/share/zoneinfo (Debian: tzdata)");
    // As Python's zoneinfo gives them.
    const auto [zone, time, expected] = GENERATE(table<std::string, std::string, std::string>({
        {"Europe/Berlin", "2026-07-01T12:00:00Z", "2026-07-01T14:00:00.000+02:00"},
        {"Europe/Berlin", "2026-12-01T12:00:00Z", "2026-12-01T13:00:00.000+01:00"},
        {"Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59.000+01:00"},
        {"Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00.000+02:00"},
        {"Europe/Berlin", "2026-10-25T00:59:59Z", "2026-10-25T02:59:59.000+02:00"},
        {"Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00.000+01:00"},
        {"Europe/Berlin", "2077-07-01T12:00:00Z", "2077-07-01T14:00:00.000+02:00"},
        {"Europe/Berlin", "2077-12-01T12:00:00Z", "2077-12-01T13:00:00.000+01:00"},
        {"Europe/Dublin", "2077-07-01T12:00:00Z", "2077-07-01T13:00:00.000+01:00"},
        {"Europe/Dublin", "2077-12-01T12:00:00Z", "2077-12-01T12:00:00.000+00:00"},
        {"Australia/Lord_Howe", "2077-01-01T12:00:00Z", "2077-01-01T23:00:00.000+11:00"},
        {"Australia/Lord_Howe", "2077-07-01T12:00:00Z", "2077-07-01T22:30:00.000+10:30"},
        {"America/New_York", "2026-03-08T07:00:00Z", "2026-03-08T03:00:00.000-04:00"},
        {"Asia/Kathmandu", "2026-07-01T12:00:00Z", "2026-07-01T17:45:00.000+05:45"},
        {"Asia/Kolkata", "2077-07-01T12:00:00Z", "2077-07-01T17:30:00.000+05:30"},
        {"America/Nuuk", "2077-07-01T12:00:00Z", "2077-07-01T11:00:00.000-01:00"},
    }));
    INFO(zone << " " << time);
    CHECK(on(zone, time) == expected);
}

TEST_CASE("a clock without an offset has that of its zone, also in the night when clocks change", "[unit]") {
    if (!hasZones()) return test::skip("no /usr/share/zoneinfo (Debian: tzdata)");
    CHECK(on("Europe/Berlin", "2026-10-25T01:59:59") == "2026-10-25T01:59:59.000+02:00");
    CHECK(on("Europe/Berlin", "2026-10-25T02:30:00") == "2026-10-25T02:30:00.000+02:00"); // shown twice
    CHECK(on("Europe/Berlin", "2026-10-25T03:00:00") == "2026-10-25T03:00:00.000+01:00");
    CHECK(on("Europe/Berlin", "2026-03-29T01:59:59") == "2026-03-29T01:59:59.000+01:00");
    CHECK(on("Europe/Berlin", "2026-03-29T02:30:00") == "2026-03-29T02:30:00.000+01:00"); // left out
    CHECK(on("Europe/Berlin", "2026-03-29T03:00:00") == "2026-03-29T03:00:00.000+02:00");
}

TEST_CASE("what is no zone is refused with what is right", "[unit]") {
    for (const char* const name : {"", "Berlin", "Europe", "../../etc/passwd", "/etc/passwd",
                                   "Europe/Berlin ", "+99:00", "+02:00:00", "CEST"}) {
        INFO(name);
        CHECK_THROWS_WITH(TimeZone(name), ContainsSubstring("Europe/Berlin") && ContainsSubstring("+02:00"));
    }
}

TEST_CASE("a damaged file of a zone gives an offset or an error", "[unit]") {
    if (!hasZones()) return test::skip("no /usr/share/zoneinfo (Debian: tzdata)");
    const auto whole = test::readBytes(TimeZone::systemDatabase() / "Europe/Berlin");
    const test::TemporaryDirectory folder;
    for (unsigned seed = 0; seed < 600; ++seed) {
        INFO(seed);
        auto bytes = seed % 2 == 0 ? whole.substr(0, whole.size() * seed / 600) : test::mutated(whole, seed);
        // The header and the rule at the end matter most.
        if (seed % 4 == 3) bytes = test::mutated(whole.substr(0, 44), seed) + whole.substr(44);
        if (seed % 4 == 1)
            bytes = whole.substr(0, whole.size() - 29) + test::mutated(whole.substr(whole.size() - 29), seed);
        test::writeBytes(folder / "Zone", bytes);
        try {
            const TimeZone zone("Zone", folder.path());
            for (const std::int64_t utc : {-5'000'000'000LL, 0LL, 1'800'000'000LL, 3'000'000'000LL})
                CHECK(std::abs(zone.offsetAt(utc)) <= 200 * 3600);
        } catch (const Error&) {
        }
    }
}
