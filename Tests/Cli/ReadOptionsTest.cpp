// --channel, --gain and --speed, and what is said of levels.
#include "Cli/Earshot.h"
#include "Core/Audio/AudioFile.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using namespace earshot;
using test::AudioFormat;
using test::runEarshot;
using Json = nlohmann::json;

namespace {

// Seconds 1.5 to 8 of the demo, a voice, times that factor.
std::vector<float> voice(float factor = 1.0f) {
    audio::AudioFile demo(test::demoFile());
    const auto rate = static_cast<std::size_t>(demo.sampleRate());
    std::vector<float> samples(rate * 13 / 2);
    demo.seek(static_cast<std::int64_t>(rate * 3 / 2));
    samples.resize(demo.read(samples));
    for (float& sample : samples) sample *= factor;
    return samples;
}

int demoRate() { return audio::AudioFile(test::demoFile()).sampleRate(); }

std::vector<float> framesOf(const std::vector<std::vector<float>>& channels) {
    std::vector<float> frames;
    for (std::size_t i = 0; i < channels.front().size(); ++i)
        for (const auto& channel : channels) frames.push_back(channel[i]);
    return frames;
}

// Onset, offset and label of each event.
std::vector<std::string> eventsOf(const std::string& file, std::vector<std::string> options,
                                  int channel = 0) {
    options.insert(options.begin(), {"analyze", file, "--format", "json", "--precision", "f32"});
    const auto result = runEarshot(options);
    REQUIRE(result.exitCode == 0);
    std::vector<std::string> events;
    for (const Json& event : Json::parse(result.output))
        if (channel == 0 || event.value("channel", 0) == channel)
            events.push_back(event.at("onset_s").dump() + " " + event.at("offset_s").dump() + " " +
                             event.at("label").get<std::string>());
    return events;
}

} // namespace

TEST_CASE("one channel of a recording is analyzed as a recording of its own", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto left = voice();
    const auto noise = test::noise(left.size(), 1, 0.2f);
    const std::string mono = (directory / "mono.wav").string(), both = (directory / "both.wav").string();
    test::writeAudio(mono, AudioFormat::wavFloat, demoRate(), 1, left);
    test::writeAudio(both, AudioFormat::wavFloat, demoRate(), 2, framesOf({left, noise}));
    const auto alone = eventsOf(mono, {});
    REQUIRE_FALSE(alone.empty());
    CHECK(eventsOf(both, {}) != alone);
    CHECK(eventsOf(both, {"--channel", "mix"}) == eventsOf(both, {}));
    CHECK(eventsOf(both, {"--channel", "1"}) == alone);
    CHECK(eventsOf(both, {"--channel", "each"}, 1) == alone);
    CHECK(eventsOf(both, {"--channel", "each"}, 2) == eventsOf(both, {"--channel", "2"}));
    CHECK_THAT(runEarshot({"analyze", both, "--channel", "each"}).output, ContainsSubstring(" (channel 1)"));

    const auto missing = runEarshot({"analyze", both, "--channel", "3"});
    CHECK(missing.exitCode == 1);
    CHECK_THAT(missing.errors, ContainsSubstring("has 2 channels, but channel 3 is chosen"));
    for (const char* const wrong : {"0", "-1", "1.5", "left", "", "100000"})
        CHECK(runEarshot({"analyze", both, "--channel", wrong}).exitCode == 2);
    CHECK(runEarshot({"analyze", both, "--channel", "each", "--plot", "svg"}).exitCode == 2);
}

TEST_CASE("a batch belongs to its channel, gain and speed", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "both.wav").string(), results = (directory / "results").string();
    const auto sound = voice();
    test::writeAudio(file, AudioFormat::wavFloat, demoRate(), 2, framesOf({sound, sound}));
    const auto batch = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"analyze", file, "--output-dir", results, "--joined", "sqlite"});
        return runEarshot(options);
    };
    CHECK(batch({"--channel", "each"}).exitCode == 0);
    const std::string csv = test::readBytes(directory / "results" / "both.wav.csv");
    CHECK_THAT(csv, ContainsSubstring(",,1,\n") && ContainsSubstring(",,2,\n"));
    CHECK_THAT(batch({}).errors, ContainsSubstring("channel was each and is not set now"));
    CHECK_THAT(batch({"--channel", "each", "--gain", "auto"}).errors,
               ContainsSubstring("gain was not set and is auto"));
    CHECK_THAT(batch({"--channel", "each", "--speed", "2"}).errors,
               ContainsSubstring("speed was not set and is 2"));
    CHECK_THAT(batch({"--channel", "each"}).errors, ContainsSubstring("1 of 1 recordings are done already"));
    CHECK(batch({"--channel", "each", "--keep-activations"}).exitCode == 2);
}

TEST_CASE("a gain finds the sounds of recordings that are too quiet or too loud", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string usual = (directory / "usual.wav").string(), other = (directory / "other.wav").string();
    test::writeAudio(usual, AudioFormat::wavFloat, demoRate(), 1, voice());
    const auto expected = eventsOf(usual, {"--gain", "auto"});
    REQUIRE_FALSE(expected.empty());
    for (const float factor : {1e-4f, 1e3f}) {
        test::writeAudio(other, AudioFormat::wavFloat, demoRate(), 1, voice(factor));
        CHECK(eventsOf(other, {"--gain", "auto"}) == expected);
    }
    test::writeAudio(other, AudioFormat::wavFloat, demoRate(), 1, voice(1e-4f));
    CHECK(eventsOf(other, {"--gain", "80"}) == eventsOf(usual, {}));
    const auto nothing = runEarshot({"analyze", other});
    CHECK_THAT(nothing.output,
               ContainsSubstring("Its loudest second is at -") && ContainsSubstring("dB (RMS); --gain auto"));
    CHECK_THAT(runEarshot({"analyze", usual, "--threshold", "1"}).output,
               ContainsSubstring("dB (RMS).\n") && !ContainsSubstring("--gain"));
    for (const char* const wrong : {"loud", "", "nan", "1000"})
        CHECK(runEarshot({"analyze", usual, "--gain", wrong}).exitCode == 2);
}

TEST_CASE("a speed gives the times and the pitch of the sound", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string usual = (directory / "usual.wav").string(),
                      slowed = (directory / "slowed.wav").string();
    test::writeAudio(usual, AudioFormat::wavFloat, demoRate(), 1, voice());
    test::writeAudio(slowed, AudioFormat::wavFloat, demoRate() / 8, 1, voice());
    const auto expected = eventsOf(usual, {});
    REQUIRE_FALSE(expected.empty());
    CHECK(eventsOf(slowed, {"--speed", "8"}) == expected);
    CHECK(eventsOf(slowed, {}) != expected);
    for (const char* const wrong : {"0", "-2", "fast", "1e9"})
        CHECK(runEarshot({"analyze", usual, "--speed", wrong}).exitCode == 2);
    CHECK_THAT(runEarshot({"analyze", usual, "--speed", "1000"}).errors,
               ContainsSubstring("choose another --speed"));
}

TEST_CASE("nothing is reported of a recording of a few samples, and that is said", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "three.wav").string();
    test::writeAudio(file, AudioFormat::wavFloat, 8000, 1, std::vector<float>{0.5f, -0.5f, 0.25f});
    const auto result = runEarshot({"analyze", file});
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring("nothing is reported of recordings under 0.05 s"));
    CHECK(eventsOf(file, {"--threshold", "0.05"}).empty());
    const std::string results = (directory / "results").string();
    const auto batch = runEarshot({"analyze", file, "--output-dir", results, "--keep-activations"});
    CHECK(batch.exitCode == 0);
    CHECK_THAT(batch.errors, ContainsSubstring("three.wav: is 0.00038 s long; nothing is reported"));
}
