#include "ProcessorRig.h"
#include "Support/Catch.h"

#include <limits>

using namespace earshot;

namespace {

constexpr double rate = 48000.0;

// Plays `seconds` of silence with the transport as it stands, in blocks of 0.1 s.
void play(plugin::EarshotProcessor& processor, test::TestPlayHead& head, double seconds) {
    juce::MidiBuffer midi;
    for (int block = 0; block < juce::roundToInt(seconds * 10.0); ++block) {
        juce::AudioBuffer<float> audio(2, 4800);
        audio.clear();
        processor.processBlock(audio, midi);
        if (head.playing) head.seconds += 0.1;
    }
}

streaming::TimeMap timesOf(plugin::EarshotProcessor& processor) {
    processor.releaseResources();
    streaming::History history;
    processor.bounce()->copySince(history);
    return history.times;
}

} // namespace

TEST_CASE("loops, jumps and stops of the host's transport show in the times", "[unit]") {
    const test::ModelEnvironment environment;
    for (const bool inSamples : {false, true}) {
        plugin::EarshotProcessor processor;
        test::TestPlayHead head;
        head.inSamples = inSamples;
        processor.setPlayHead(&head);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, 4800);
        play(processor, head, 1.0); // stopped
        head.playing = true;
        head.seconds = 100.0;
        play(processor, head, 2.0);
        head.seconds = 100.0; // loops
        play(processor, head, 2.0);
        head.seconds = 50.0; // jumps back
        play(processor, head, 1.0);
        head.playing = false;
        play(processor, head, 1.0);
        head.playing = true;
        head.seconds = -2.0; // pre-roll
        play(processor, head, 1.0);
        processor.setPlayHead(nullptr);
        const streaming::TimeMap times = timesOf(processor);

        REQUIRE_FALSE(times.host(0.5));
        REQUIRE(times.shown(0.5) == Approx(0.5).margin(0.002));
        REQUIRE(times.host(1.5));
        REQUIRE(times.shown(1.5) == Approx(100.5).margin(0.002));
        REQUIRE(times.shown(3.5) == Approx(100.5).margin(0.002));
        REQUIRE(times.shown(5.5) == Approx(50.5).margin(0.002));
        REQUIRE_FALSE(times.host(6.5));
        REQUIRE(times.shown(6.5) == Approx(6.5).margin(0.002));
        REQUIRE(times.shown(7.5) == Approx(-1.5).margin(0.002));
    }
}

TEST_CASE("a host that says that it plays and stays where it is has no position", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    test::TestPlayHead head;
    processor.setPlayHead(&head);
    processor.setNonRealtime(true);
    processor.prepareToPlay(rate, 4800);
    head.playing = true; // at 0 s
    juce::MidiBuffer midi;
    for (int block = 0; block < 30; ++block)
        for (const int samples : {0, 4800}) { // the LV2's blocks begin with an empty one
            juce::AudioBuffer<float> audio(2, samples);
            audio.clear();
            processor.processBlock(audio, midi);
        }
    head.seconds = 20.0;
    play(processor, head, 1.0);
    processor.setPlayHead(nullptr);
    const streaming::TimeMap times = timesOf(processor);
    REQUIRE(times.shown(0.5) == Approx(0.5).margin(0.002));
    REQUIRE(times.shown(2.5) == Approx(2.5).margin(0.002));
    REQUIRE(times.shown(3.5) == Approx(20.5).margin(0.002));
}

TEST_CASE("a host that plays at another rate shows its own times", "[unit]") {
    const test::ModelEnvironment environment;
    for (const int block : {64, 512, 4096}) {
        CAPTURE(block);
        plugin::EarshotProcessor processor;
        test::TestPlayHead head;
        head.playing = true;
        processor.setPlayHead(&head);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, block);
        juce::MidiBuffer midi;
        juce::AudioBuffer<float> audio(2, block);
        for (int done = 0; done < 6 * 48000; done += block) {
            audio.clear();
            processor.processBlock(audio, midi);
            head.seconds += 0.5 * block / rate;
        }
        processor.setPlayHead(nullptr);
        const streaming::TimeMap times = timesOf(processor);
        for (const double stream : {0.05, 1.0, 3.0, 5.9})
            REQUIRE(times.shown(stream) == Approx(0.5 * stream).margin(0.1));
        REQUIRE(times.segments().size() <= 3);
    }
}

TEST_CASE("a transport that tells nothing, or nonsense, counts as stopped", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    test::TestPlayHead head;
    processor.setPlayHead(&head);
    processor.setNonRealtime(true);
    processor.prepareToPlay(rate, 4800);
    head.playing = true;
    head.seconds = std::numeric_limits<double>::quiet_NaN();
    play(processor, head, 1.0);
    head.known = false;
    play(processor, head, 1.0);
    processor.setPlayHead(nullptr);
    const streaming::TimeMap times = timesOf(processor);
    REQUIRE(times.shown(0.5) == Approx(0.5).margin(0.002));
    REQUIRE(times.shown(1.5) == Approx(1.5).margin(0.002));
}
