#include "Core/Streaming/TimeMap.h"

#include "Support/Catch.h"

#include <algorithm>
#include <random>
#include <vector>

using earshot::streaming::TimeMap;
using earshot::streaming::TimeSegment;

TEST_CASE("Without segments the time shown is stream time", "[unit][streaming]") {
    const TimeMap map;
    REQUIRE(map.shown(3.5) == 3.5);
    REQUIRE_FALSE(map.host(3.5));
}

TEST_CASE("A transport that plays, loops and stops", "[unit][streaming]") {
    TimeMap map;
    map.add({.stream = 2.0, .shown = -1.0, .host = true}); // pre-roll
    map.add({.stream = 7.0, .shown = 0.0, .host = true});  // back from 4 to 0
    map.add({.stream = 9.0, .shown = 9.0, .host = false}); // stopped
    REQUIRE(map.shown(1.0) == 1.0);
    REQUIRE(map.shown(2.0) == -1.0);
    REQUIRE(map.shown(6.5) == 3.5);
    REQUIRE(map.shown(7.0) == 0.0);
    REQUIRE(map.shown(8.5) == 1.5);
    REQUIRE(map.shown(12.0) == 12.0);
    for (const double stream : {2.0, 6.9, 8.9}) REQUIRE(map.host(stream));
    for (const double stream : {0.0, 1.9, 9.0}) REQUIRE_FALSE(map.host(stream));
}

TEST_CASE("Only news become segments", "[unit][streaming]") {
    TimeMap map;
    map.add({.stream = 0.0, .shown = 10.0, .host = true});
    map.add({.stream = 5.0, .shown = 15.0004, .host = true});
    REQUIRE(map.segments().size() == 1);
    map.add({.stream = 5.0, .shown = 15.0, .host = false});
    REQUIRE(map.segments().size() == 2);
    map.add({.stream = 6.0, .shown = 3.0, .host = true});
    map.add({.stream = 6.0, .shown = 4.0, .host = true}); // in place of the last
    REQUIRE(map.segments().size() == 3);
    REQUIRE(map.shown(6.0) == 4.0);
    map.add({.stream = 6.0, .shown = 16.0, .host = false}); // says what the one before it says
    REQUIRE(map.segments().size() == 2);
    map.add({.stream = 8.0, .shown = 18.0, .host = true, .rate = 2.0});
    map.add({.stream = 9.0, .shown = 20.0, .host = true, .rate = 2.0});
    REQUIRE(map.segments().size() == 3);
    map.clear();
    REQUIRE(map.segments().empty());
    REQUIRE(map.shown(6.0) == 6.0);
}

TEST_CASE("A transport that plays at other rates drifts without a jump", "[unit][streaming]") {
    TimeMap map;
    map.add({.stream = 0.0, .shown = 100.0, .host = true, .rate = 0.5});
    map.add({.stream = 4.0, .shown = 102.05, .host = true, .rate = 2.0});
    map.add({.stream = 6.0, .shown = 100.0, .host = true, .rate = 2.0}); // loops
    map.add({.stream = 7.0, .shown = 7.0, .host = false});               // stopped
    REQUIRE(map.shown(2.0) == 101.0);
    REQUIRE(map.shown(5.0) == Approx(104.05));
    REQUIRE(map.shown(6.5) == 101.0);
    REQUIRE(map.shown(8.0) == 8.0);
    const auto segments = map.segments();
    REQUIRE(segments.size() == 4);
    REQUIRE_FALSE(segments[1].jumpsFrom(segments[0]));
    REQUIRE(segments[2].jumpsFrom(segments[1]));
    REQUIRE(segments[3].jumpsFrom(segments[2]));
    REQUIRE(map.from(5.0).shown(0.5) == Approx(105.05));
}

TEST_CASE("A mirror stays equal", "[unit][streaming]") {
    std::mt19937 random(2);
    const auto below = [&](double limit) { return limit * static_cast<double>(random() % 10000) / 10000.0; };
    for (int round = 0; round < 200; ++round) {
        TimeMap map;
        TimeMap mirror;
        double stream = 0.0;
        for (int i = 0; i < 30; ++i) {
            if (random() % 4 != 0) stream += below(3.0);
            const bool host = random() % 3 != 0;
            map.add({.stream = stream, .shown = host ? below(20.0) - 2.0 : stream, .host = host});
            if (random() % 3 != 0) continue;
            map.copySince(mirror);
            REQUIRE(std::ranges::equal(mirror.segments(), map.segments()));
            REQUIRE_FALSE(map.copySince(mirror));
        }
    }
}

TEST_CASE("A transport that loops for ever takes no more than so many segments", "[unit][streaming]") {
    TimeMap map;
    TimeMap mirror;
    TimeMap late;
    std::mt19937 random(4);
    for (int i = 0; i < 150'000; ++i) {
        map.add({.stream = i * 1.0, .shown = 8.0, .host = true});
        REQUIRE(map.segments().size() <= TimeMap::maxSegments);
        if (random() % 700 != 0) continue;
        REQUIRE(map.copySince(mirror));
        REQUIRE(std::ranges::equal(mirror.segments(), map.segments()));
        REQUIRE_FALSE(map.copySince(mirror));
        if (i < 20'000) map.copySince(late);
    }
    REQUIRE(map.segments().size() > TimeMap::maxSegments / 2);
    REQUIRE(map.copySince(late)); // all that it had is forgotten
    REQUIRE(std::ranges::equal(late.segments(), map.segments()));
    const double first = map.segments().front().stream;
    REQUIRE(map.shown(first) == 8.0);
    REQUIRE(map.shown(first - 5.0) == first - 5.0);
    REQUIRE_FALSE(map.host(first - 5.0));
}

TEST_CASE("A map of the rest of a stream shows what the whole one shows", "[unit][streaming]") {
    TimeMap map;
    map.add({.stream = 2.0, .shown = 100.0, .host = true});
    map.add({.stream = 7.0, .shown = 100.0, .host = true}); // back
    map.add({.stream = 9.0, .shown = 9.0, .host = false});  // stopped
    map.add({.stream = 12.0, .shown = 50.0, .host = true});
    for (const double from : {0.0, 1.5, 2.0, 3.25, 7.0, 8.5, 9.0, 10.0, 12.0, 20.0}) {
        const TimeMap rest = map.from(from);
        for (double stream = from; stream < 25.0; stream += 0.25) {
            CAPTURE(from, stream);
            REQUIRE(rest.host(stream - from) == map.host(stream));
            // Where the host does not play, the time shown is that of the stream, which began later.
            const double expected = map.host(stream) ? map.shown(stream) : stream - from;
            REQUIRE(rest.shown(stream - from) == expected);
        }
    }
    REQUIRE(TimeMap().from(5.0).segments().empty());
}
