// --channel, --gain, --speed and --decode-with, and what is said of levels.
#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Audio/ExternalDecoder.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/Skip.h"

#include <cstdlib>
#include <filesystem>
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

TEST_CASE("one channel of a recording is analysed as a recording of its own", "[unit]") {
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

TEST_CASE("evaluate reads recordings by channel, gain and speed, as analyze does", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto sound = voice();
    std::vector<float> quiet = voice(1e-4f);
    const auto scores = [&](const std::vector<float>& frames, int channels, int rate,
                            std::vector<std::string> options) {
        test::writeAudio(directory / "a.wav", AudioFormat::wavFloat, rate, channels, frames);
        test::writeBytes(directory / "a.csv", "file,onset,offset,label\na.wav,0.5,6,Speech\n");
        options.insert(options.begin(),
                       {"evaluate", "--data", (directory / "a.csv").string(), "--format", "json"});
        const auto result = runEarshot(options);
        INFO(result.errors);
        REQUIRE(result.exitCode == 0);
        return result.output;
    };
    const auto expected = scores(sound, 1, demoRate(), {});
    const auto stereo = framesOf({test::noise(sound.size(), 1, 0.2f), sound});
    CHECK(scores(stereo, 2, demoRate(), {}) != expected);
    CHECK(scores(stereo, 2, demoRate(), {"--channel", "2"}) == expected);
    CHECK(scores(sound, 1, demoRate() / 8, {"--speed", "8"}) == expected);
    CHECK(scores(quiet, 1, demoRate(), {}) != expected);
    CHECK(scores(quiet, 1, demoRate(), {"--gain", "auto"}) ==
          scores(sound, 1, demoRate(), {"--gain", "auto"}));
}

TEST_CASE("a channel that labelled recordings lack is named, and each of them is refused", "[unit]") {
    const test::TemporaryDirectory directory;
    std::filesystem::create_directories(directory / "sounds/Beep");
    for (int i = 0; i < 4; ++i)
        test::writeAudio(directory / ("sounds/Beep/" + std::to_string(i) + ".wav"), AudioFormat::wavFloat,
                         32000, 2,
                         framesOf({test::noise(16000, 7u + static_cast<unsigned>(i), 0.3f),
                                   test::sine(2500.0 + 100.0 * i, 0.5, 32000)}));
    const auto sounds = (directory / "sounds").string(), model = (directory / "m.safetensors").string();
    const std::vector<std::vector<std::string>> commands = {
        {"evaluate", "--data", sounds, "--listen", "Beep"},
        {"teach", sounds, "--output", model},
        {"train", "--data", sounds, "--output", model, "--epochs", "1"}};
    for (auto words : commands) {
        CAPTURE(words.front());
        words.insert(words.end(), {"--channel", "each"});
        const auto each = runEarshot(words);
        CHECK(each.exitCode == 2);
        CHECK_THAT(each.errors, ContainsSubstring("labels are of a recording, not of its channels"));
        if (words.front() == "evaluate") continue; // such models come with no text half
        words.back() = "3";
        const auto missing = runEarshot(words);
        CHECK(missing.exitCode == 1);
        CHECK_THAT(missing.errors, ContainsSubstring("has 2 channels, but channel 3 is chosen"));
        CHECK_FALSE(std::filesystem::exists(model));
    }
    // The sound of the second channel alone is learnt.
    const auto small = test::writeNamedModel(directory / "small.safetensors", {"Bark", "Rain"});
    const auto taught = runEarshot(
        {"teach", sounds, "--model", small, "--output", model, "--channel", "2", "--threads", "2"});
    INFO(taught.errors);
    REQUIRE(taught.exitCode == 0);
    const std::string clip = (directory / "clip.wav").string();
    test::writeAudio(clip, AudioFormat::wavFloat, 32000, 1, test::sine(2550.0, 3.0, 32000));
    CHECK_THAT(runEarshot({"analyze", clip, "--model", model, "--only", "Beep"}).output,
               ContainsSubstring("Beep"));
    test::writeAudio(clip, AudioFormat::wavFloat, 32000, 1, test::noise(96000, 8, 0.3f));
    CHECK_THAT(runEarshot({"analyze", clip, "--model", model, "--only", "Beep"}).output,
               ContainsSubstring("Nothing detected"));
}

TEST_CASE("labelled recordings that ffmpeg alone reads are named, or read by it", "[unit]") {
    if (!audio::ffmpegIsInstalled()) return test::skip("ffmpeg is not installed");
    const test::TemporaryDirectory directory;
    std::filesystem::create_directories(directory / "sounds/Speech");
    const std::string wav = (directory / "a.wav").string(),
                      m4a = (directory / "sounds/Speech/a.m4a").string();
    test::writeAudio(wav, AudioFormat::wavPcm16, demoRate(), 1, voice());
    if (std::system(("ffmpeg -v error -i '" + wav + "' -c:a alac '" + m4a + "'").c_str()) != 0)
        return test::skip("this ffmpeg makes no M4A");
    test::writeBytes(directory / "sounds/data.csv", "file,onset,offset,label\nSpeech/a.m4a,0,6,Speech\n");
    for (const std::string data : {"sounds", "sounds/data.csv"}) {
        std::vector<std::string> words = {"evaluate", "--data", (directory / data).string(), "--split", "all",
                                          "--format", "json"};
        const auto named = runEarshot(words);
        CHECK(named.exitCode == 1);
        CHECK_THAT(named.errors, ContainsSubstring("a.m4a: ") && ContainsSubstring("ffmpeg -i ") &&
                                     ContainsSubstring("--decode-with ffmpeg"));
        words.insert(words.end(), {"--decode-with", "ffmpeg"});
        const auto read = runEarshot(words);
        INFO(read.errors);
        CHECK(read.exitCode == 0);
        CHECK(Json::parse(read.output).at("data").at("recordings") == 1);
    }
    // Beside recordings that are read it is an error, not left out: also where warnings are not wanted.
    std::filesystem::copy_file(wav, directory / "sounds/Speech/b.wav");
    const auto beside = runEarshot({"evaluate", "--data", (directory / "sounds").string(), "--quiet"});
    CHECK(beside.exitCode == 1);
    CHECK_THAT(beside.errors, ContainsSubstring("a.m4a: is audio that Earshot does not read"));
    CHECK_THAT(beside.output, ContainsSubstring("1 file could not be used"));

    const std::string model = (directory / "m.safetensors").string();
    const auto small = test::writeNamedModel(directory / "small.safetensors", {"Bark", "Rain"});
    const std::vector<std::string> teach = {
        "teach", (directory / "sounds").string(), "--model", small, "--output", model};
    CHECK_THAT(runEarshot(teach).errors, ContainsSubstring("a.m4a: is audio that Earshot does not read"));
    auto all = teach;
    all.insert(all.end(), {"--decode-with", "ffmpeg", "--overwrite"});
    const auto taught = runEarshot(all);
    INFO(taught.errors);
    CHECK(taught.exitCode == 0);
    CHECK_THAT(taught.errors, !ContainsSubstring("does not read"));
    const auto trained = runEarshot({"train", "--data", (directory / "sounds").string(), "--output",
                                     (directory / "t.safetensors").string(), "--fewest-clips", "2"});
    CHECK(trained.exitCode == 1);
    CHECK_THAT(trained.errors, ContainsSubstring("a.m4a: is audio that Earshot does not read"));
}
