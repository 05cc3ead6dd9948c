#include "Plugin/Outputs/MidiOut.h"

#include "Support/Assertions.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace earshot;

namespace {

struct Heard {
    std::int64_t sample;
    bool on;
    int key; // channel * 128 + note
};

// Renders blocks and collects what a host would hear.
class Host {
  public:
    explicit Host(plugin::MidiOut& midi)
        : midi_(midi) {}

    void render(int samples, bool wanted = true, std::int64_t hold = 0) {
        juce::MidiBuffer buffer;
        midi_.render(buffer, samples, wanted, hold);
        REQUIRE(buffer.getNumEvents() <= plugin::MidiOut::maxEvents);
        for (const auto metadata : buffer) {
            const juce::MidiMessage message = metadata.getMessage();
            REQUIRE(metadata.samplePosition >= 0);
            REQUIRE(metadata.samplePosition < samples);
            heard.push_back({clock + metadata.samplePosition, message.isNoteOn(),
                             (message.getChannel() - 1) * 128 + message.getNoteNumber()});
        }
        clock += samples;
    }

    std::vector<Heard> heard;
    std::int64_t clock = 0;

  private:
    plugin::MidiOut& midi_;
};

// Every key's messages alternate between on and off, beginning with on; returns how many still sound.
int checkPaired(const std::vector<Heard>& heard) {
    std::map<int, bool> sounding;
    int count = 0;
    for (const Heard& event : heard) {
        REQUIRE(sounding[event.key] != event.on);
        sounding[event.key] = event.on;
        count += event.on ? 1 : -1;
    }
    return count;
}

} // namespace

TEST_CASE("a note lasts as long as its sound, and at least the hold", "[unit]") {
    plugin::MidiOut midi;
    Host host(midi);
    auto begun = midi.begin({60, 2}, 100);
    host.render(100, true, 250);
    midi.end({60, 2}, begun);
    for (int i = 0; i < 5; ++i) host.render(100, true, 250);
    REQUIRE(host.heard.size() == 2);
    REQUIRE(host.heard[0].sample == 0);
    REQUIRE(host.heard[0].key == 128 + 60);
    REQUIRE(host.heard[1].sample == 250);

    begun = midi.begin({60, 2}, 100);
    for (int i = 0; i < 10; ++i) host.render(100, true, 250);
    midi.end({60, 2}, begun);
    host.render(100, true, 250);
    REQUIRE(host.heard.size() == 4);
    REQUIRE(host.heard[3].sample == 600 + 1000);
}

TEST_CASE("two sounds on one note end when the second does", "[unit]") {
    plugin::MidiOut midi;
    Host host(midi);
    const auto first = midi.begin({60, 1}, 100);
    const auto second = midi.begin({60, 1}, 90);
    host.render(64);
    midi.end({60, 1}, first);
    host.render(64);
    REQUIRE(host.heard.size() == 1);
    midi.end({60, 1}, second);
    host.render(64);
    REQUIRE(host.heard.size() == 2);
}

TEST_CASE("whatever comes, every note that began ends once MIDI is off or the stream stops", "[unit]") {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        plugin::MidiOut midi;
        Host host(midi);
        std::uint32_t begun = 0;
        for (int step = 0; step < 300; ++step) {
            for (auto changes = random() % 20; changes > 0; --changes) {
                const formats::MidiNote note{static_cast<int>(random() % 128),
                                             1 + static_cast<int>(random() % 16)};
                if (random() % 2 == 0) {
                    begun = midi.begin(note, 1 + static_cast<int>(random() % 127));
                } else {
                    midi.end(note, begun);
                }
            }
            const int samples = static_cast<int>(random() % 600);
            host.render(samples, random() % 10 != 0, static_cast<std::int64_t>(random() % 2000));
        }
        if (round % 2 == 0) midi.stop();
        for (int i = 0; i < 2048 / plugin::MidiOut::maxEvents + 2; ++i) host.render(512, round % 2 == 0);
        REQUIRE(checkPaired(host.heard) == 0);
    }
}

TEST_CASE("more changes than the queue holds leave no note hanging", "[unit]") {
    plugin::MidiOut midi;
    Host host(midi);
    std::uint32_t begun = 0;
    for (int i = 0; i < 500; ++i) begun = midi.begin({i % 128, 1 + i / 128}, 80);
    for (int i = 0; i < 10; ++i) host.render(512);
    for (int i = 0; i < 3000; ++i) midi.end({i % 128, 1 + (i / 128) % 16}, begun);
    for (int i = 0; i < 60; ++i) host.render(512);
    REQUIRE(checkPaired(host.heard) == 0);
}

TEST_CASE("where no block will follow, all notes end at once, and those that begin later sound", "[unit]") {
    plugin::MidiOut midi;
    Host host(midi);
    std::uint32_t begun = 0;
    for (int i = 0; i < 200; ++i) begun = midi.begin({i % 100, 1 + i / 100}, 80);
    for (int i = 0; i < 10; ++i) host.render(512, true, 100'000);
    REQUIRE(checkPaired(host.heard) == 200);
    juce::MidiBuffer ends;
    midi.endAll(ends);
    for (const auto metadata : ends) {
        const juce::MidiMessage message = metadata.getMessage();
        host.heard.push_back(
            {host.clock, message.isNoteOn(), (message.getChannel() - 1) * 128 + message.getNoteNumber()});
    }
    REQUIRE(checkPaired(host.heard) == 0);
    REQUIRE(host.heard.size() == 400);
    midi.end({0, 1}, begun);
    midi.begin({60, 1}, 80);
    for (int i = 0; i < 10; ++i) host.render(512);
    REQUIRE(checkPaired(host.heard) == 1);
    REQUIRE(host.heard.size() == 401);
}

TEST_CASE("the end of a sound that was forgotten ends no other sound on its note", "[unit]") {
    plugin::MidiOut midi;
    Host host(midi);
    const auto first = midi.begin({60, 1}, 100);
    host.render(64);
    host.render(64, false); // MIDI out is switched off and on again
    REQUIRE(checkPaired(host.heard) == 0);
    REQUIRE(midi.endedSince(first));
    const auto second = midi.begin({60, 1}, 90);
    host.render(64);
    REQUIRE_FALSE(midi.endedSince(second));
    midi.end({60, 1}, first);
    for (int i = 0; i < 5; ++i) host.render(64);
    REQUIRE(checkPaired(host.heard) == 1);
    midi.end({60, 1}, second);
    host.render(64);
    REQUIRE(checkPaired(host.heard) == 0);
    REQUIRE(host.heard.size() == 4);
}

TEST_CASE("assertions of the plugin are on where its tests have them", "[unit]") {
    if (!test::assertionsAreOn) return test::skip("assertions are off in this build");
    REQUIRE(test::endsProgram([] {
        plugin::MidiOut out;
        juce::MidiBuffer midi;
        out.render(midi, 64, true, -1);
    }));
}
