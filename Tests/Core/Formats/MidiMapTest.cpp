#include "Core/Formats/MidiMap.h"

#include "Support/Catch.h"

#include <limits>
#include <set>
#include <utility>

using namespace earshot::formats;

TEST_CASE("every one of a thousand classes has a note of its own by default", "[unit]") {
    std::set<std::pair<int, int>> notes;
    for (int i = 0; i < 1024; ++i) {
        const MidiNote note = MidiMap::defaultNote(i);
        REQUIRE(note.note >= 36);
        REQUIRE(note.note < 100);
        REQUIRE(note.channel >= 1);
        REQUIRE(note.channel <= 16);
        REQUIRE(notes.insert({note.channel, note.note}).second);
        REQUIRE(MidiMap{}.noteFor(i) == note);
    }
    REQUIRE(MidiMap::defaultNote(0) == MidiNote{36, 1});
    REQUIRE(MidiMap::defaultNote(63) == MidiNote{99, 1});
    REQUIRE(MidiMap::defaultNote(64) == MidiNote{36, 2});
    REQUIRE(MidiMap::defaultNote(1024) == MidiNote{36, 1});
    REQUIRE(MidiMap::defaultNote(-5) == MidiNote{36, 1});
}

TEST_CASE("a note that is set stays within MIDI, and setting the default forgets it", "[unit]") {
    MidiMap map;
    map.set(3, {60, 10});
    REQUIRE(map.noteFor(3) == MidiNote{60, 10});
    REQUIRE(map.noteFor(4) == MidiMap::defaultNote(4));
    map.set(5, {200, 99});
    REQUIRE(map.noteFor(5) == MidiNote{127, 16});
    map.set(6, {-1, -1});
    REQUIRE(map.noteFor(6) == MidiNote{0, 1});
    REQUIRE(map.changed().size() == 3);
    for (const int i : {3, 5, 6}) map.set(i, MidiMap::defaultNote(i));
    REQUIRE(map == MidiMap{});
}

TEST_CASE("a changed note goes with the class's name into models that number it otherwise", "[unit]") {
    MidiMap map;
    map.set(3, {70, 2}); // an older version's
    map.set({3, "Dog"}, {60, 10});
    REQUIRE(map.changed().empty()); // the name's note took its place
    REQUIRE(map.changedByName().at("Dog") == MidiMap::Named{3, {60, 10}});
    REQUIRE(map.noteFor({17, "Dog"}) == MidiNote{60, 10});
    REQUIRE(map.noteFor({3, "Cat"}) == MidiMap::defaultNote(3));
    REQUIRE(map.noteFor(3) == MidiMap::defaultNote(3));
    map.set(17, {71, 2});
    REQUIRE(map.noteFor({17, "Dog"}) == MidiNote{60, 10});
    REQUIRE(map.noteFor({17, "Cat"}) == MidiNote{71, 2});
    map.set({17, "Dog"}, MidiMap::defaultNote(17));
    REQUIRE(map == MidiMap{});
}

TEST_CASE("velocity grows with the probability from 1 to 127", "[unit]") {
    REQUIRE(MidiMap::velocity(0.0f) == 1);
    REQUIRE(MidiMap::velocity(1.0f) == 127);
    REQUIRE(MidiMap::velocity(0.5f) == 64);
    REQUIRE(MidiMap::velocity(-1.0f) == 1);
    REQUIRE(MidiMap::velocity(std::numeric_limits<float>::infinity()) == 127);
    REQUIRE(MidiMap::velocity(std::numeric_limits<float>::quiet_NaN()) == 1);
    for (int i = 1; i <= 1000; ++i)
        REQUIRE(MidiMap::velocity(static_cast<float>(i) / 1000.0f) >=
                MidiMap::velocity(static_cast<float>(i - 1) / 1000.0f));
}
