// Reads the files back with a reader of its own, written from the specification.
#include "Core/Formats/EventFormats.h"

#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace earshot::formats;

namespace {

struct MidiEvent {
    std::uint32_t tick = 0;
    int status = 0;   // 0x80, 0x90 or 0xff
    int channel = 0;  // 1 to 16
    int note = 0;     // or a meta event's type
    int velocity = 0; // 1 to 127
    std::string text;
};

class MidiReader {
  public:
    explicit MidiReader(const std::string& bytes)
        : bytes_(bytes) {}

    std::vector<MidiEvent> read() {
        if (text(4) != "MThd" || number(4) != 6) throw std::runtime_error("no header");
        format = number(2);
        tracks = number(2);
        ticksPerQuarter = number(2);
        if (text(4) != "MTrk") throw std::runtime_error("no track");
        const auto length = number(4);
        if (at_ + length != bytes_.size()) throw std::runtime_error("wrong track length");
        std::vector<MidiEvent> events;
        std::uint32_t tick = 0;
        while (at_ < bytes_.size()) {
            tick += variableLength();
            events.push_back(event(tick));
        }
        return events;
    }

    std::uint32_t format = 99, tracks = 99, ticksPerQuarter = 0;

  private:
    MidiEvent event(std::uint32_t tick) {
        const auto status = number(1);
        if (status == 0xff) {
            const int type = static_cast<int>(number(1));
            const auto length = variableLength();
            return {tick, 0xff, 0, type, 0, text(length)};
        }
        const auto note = number(1), velocity = number(1);
        if (note > 127 || velocity > 127) throw std::runtime_error("data byte beyond 127");
        return {tick,
                static_cast<int>(status & 0xf0u),
                static_cast<int>(status & 0x0fu) + 1,
                static_cast<int>(note),
                static_cast<int>(velocity),
                {}};
    }

    std::uint32_t number(int count) {
        std::uint32_t value = 0;
        for (; count > 0; --count) value = value << 8 | static_cast<unsigned char>(bytes_.at(at_++));
        return value;
    }

    std::uint32_t variableLength() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            const auto byte = number(1);
            value = value << 7 | (byte & 0x7fu);
            if (byte < 0x80) return value;
        }
        throw std::runtime_error("number too long");
    }

    std::string text(std::size_t count) {
        at_ += count;
        if (at_ > bytes_.size()) throw std::runtime_error("ends too early");
        return bytes_.substr(at_ - count, count);
    }

    const std::string& bytes_;
    std::size_t at_ = 0;
};

std::string bytesOf(const std::vector<TimedEvent>& events, const MidiMap& map = {}) {
    RecordingEvents recording;
    recording.events = events;
    return document(*formatNamed("midi"), recording, map);
}

std::vector<MidiEvent> midiOf(const std::vector<TimedEvent>& events, const MidiMap& map = {}) {
    const std::string bytes = bytesOf(events, map);
    return MidiReader(bytes).read();
}

std::vector<MidiEvent> notesOf(const std::vector<TimedEvent>& events, const MidiMap& map = {}) {
    auto all = midiOf(events, map);
    std::erase_if(all, [](const MidiEvent& event) { return event.status == 0xff; });
    return all;
}

TimedEvent sound(double onset, double offset, int classIndex, float peak = 0.5f) {
    return {onset, offset, "sound " + std::to_string(classIndex), classIndex, peak, peak};
}

} // namespace

TEST_CASE("a MIDI file says its format, tempo, names and end", "[unit]") {
    const std::string bytes = bytesOf({sound(1.0, 2.0, 5)});
    MidiReader reader(bytes);
    const auto events = reader.read();
    REQUIRE(reader.format == 0);
    REQUIRE(reader.tracks == 1);
    REQUIRE(reader.ticksPerQuarter == 480);
    REQUIRE(events.size() == 6);
    REQUIRE(events[1].note == 0x51);
    REQUIRE(events[1].text == std::string("\x07\xa1\x20")); // 500000 microseconds a quarter
    REQUIRE(events[2].note == 0x01);
    REQUIRE(events[2].text == "sound 5");
    REQUIRE(events[2].tick == 960);
    REQUIRE(events.back().note == 0x2f);
    REQUIRE(events.back().tick == 1920);
    REQUIRE(midiOf({}).size() == 3);
}

TEST_CASE("an event is a note as long and as loud", "[unit]") {
    MidiMap map;
    map.set(70, {60, 10});
    const auto notes = notesOf({sound(1.0, 2.56, 70, 1.0f), sound(0.32, 0.64, 65, 0.25f)}, map);
    REQUIRE(notes.size() == 4);
    REQUIRE(notes[0].status == 0x90);
    REQUIRE(notes[0].tick == 307);
    REQUIRE(notes[0].note == 37);
    REQUIRE(notes[0].channel == 2);
    REQUIRE(notes[0].velocity == 32);
    REQUIRE(notes[1].status == 0x80);
    REQUIRE(notes[1].tick == 614);
    REQUIRE(notes[2].note == 60);
    REQUIRE(notes[2].channel == 10);
    REQUIRE(notes[2].velocity == 127);
    REQUIRE(notes[3].tick == 2458);
}

TEST_CASE("overlapping events of one note are one note, and those that touch are two", "[unit]") {
    MidiMap map;
    map.set(1, MidiMap::defaultNote(0));
    const auto overlapping = notesOf({sound(2.0, 3.0, 1, 0.9f), sound(1.0, 2.5, 0), sound(1.5, 1.6, 1)}, map);
    REQUIRE(overlapping.size() == 2);
    REQUIRE(overlapping[0].tick == 960);
    REQUIRE(overlapping[0].velocity == MidiMap::velocity(0.9f));
    REQUIRE(overlapping[1].tick == 2880);

    const auto touching = notesOf({sound(2.0, 3.0, 1), sound(1.0, 2.0, 0)}, map);
    REQUIRE(touching.size() == 4);
    REQUIRE(touching[1].status == 0x80);
    REQUIRE(touching[2].status == 0x90);
    REQUIRE(touching[1].tick == touching[2].tick);
}

TEST_CASE("times beyond what MIDI has are kept within it", "[unit]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto early = notesOf({sound(-5.0, -3.0, 0), sound(-1.0, 1.0, 1)});
    REQUIRE(early.size() == 4);
    REQUIRE(early[0].tick == 0);
    REQUIRE(early[3].tick == 960);
    for (const double time : {1e5, 1e6, 1e300, infinity, -infinity, nan}) {
        const auto notes = notesOf({sound(time, time, 0), sound(0.0, time, 1), sound(5.0, 2.0, 2)});
        REQUIRE(notes.size() == 6);
        REQUIRE(std::ranges::is_sorted(notes, {}, &MidiEvent::tick));
    }
}

TEST_CASE("times after 77 hours, the longest that MIDI has between two messages, are right", "[unit]") {
    const std::vector<double> hours = {1.0, 77.0, 78.0, 200.0, 700.0, 1000.0};
    std::vector<TimedEvent> events;
    for (std::size_t i = 0; i < hours.size(); ++i)
        events.push_back(sound(hours[i] * 3600.0, hours[i] * 3600.0 + 2.0, static_cast<int>(i)));
    const auto notes = notesOf(events);
    REQUIRE(notes.size() == 2 * hours.size());
    for (std::size_t i = 0; i < hours.size(); ++i) {
        CHECK(notes[2 * i].tick == static_cast<std::uint32_t>(hours[i] * 3600.0 * 960.0));
        CHECK(notes[2 * i + 1].tick == notes[2 * i].tick + 1920);
    }
    // Alone, too.
    CHECK(notesOf({sound(200.0 * 3600.0, 200.0 * 3600.0 + 1.0, 0)}).front().tick == 200u * 3600u * 960u);
}

TEST_CASE("names are text of one line, whatever they hold", "[unit]") {
    for (const std::string& label : {std::string("a\tb\nc"), std::string("caf\xe9"), std::string(1000, 'x'),
                                     std::string("nul\0l", 5), std::string()}) {
        auto event = sound(0.0, 1.0, 0);
        event.label = label;
        const auto events = midiOf({event});
        REQUIRE(events.size() == 6);
        for (const char c : events[2].text) REQUIRE((c >= ' ' && c <= '~'));
    }
}

TEST_CASE("notes of random events pair, never overlap themselves, and cover what sounds", "[unit]") {
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        MidiMap map;
        for (int c = 0; c < 8; ++c)
            if (random() % 2 == 0) map.set(c, {60 + static_cast<int>(random() % 3), 1});
        std::vector<TimedEvent> events;
        for (unsigned i = 0; i < random() % 60; ++i) {
            const double onset = static_cast<double>(random() % 4000) / 100.0 - 1.0;
            events.push_back(sound(onset, onset + static_cast<double>(random() % 300) / 100.0,
                                   static_cast<int>(random() % 8),
                                   0.01f * static_cast<float>(random() % 101)));
        }
        const auto notes = notesOf(events, map);
        std::map<std::tuple<int, int>, std::uint32_t> sounding; // since when
        std::map<std::tuple<int, int>, std::vector<std::pair<std::uint32_t, std::uint32_t>>> spans;
        for (const MidiEvent& note : notes) {
            const std::tuple key(note.channel, note.note);
            if (note.status == 0x90) {
                REQUIRE(note.velocity >= 1);
                REQUIRE(sounding.emplace(key, note.tick).second);
            } else {
                REQUIRE(note.status == 0x80);
                REQUIRE(sounding.count(key) == 1);
                REQUIRE(note.tick > sounding[key]);
                spans[key].push_back({sounding[key], note.tick});
                sounding.erase(key);
            }
        }
        REQUIRE(sounding.empty());
        for (const TimedEvent& event : events) {
            const auto note = map.noteFor(event.classIndex);
            const auto on = std::max(0LL, std::llround(event.onset * 960));
            const auto off = std::max(0LL, std::llround(event.offset * 960));
            REQUIRE(std::ranges::any_of(spans[{note.channel, note.note}], [&](const auto& span) {
                return span.first <= on && off <= span.second;
            }));
        }
    }
}
