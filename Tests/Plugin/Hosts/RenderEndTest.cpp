// Renders whose host removes the built plugin right after the last block: nothing of them is lost.
#include "Hosted.h"
#include "Lv2Host.h"
#include "Support/Catch.h"
#include "Support/Environment.h"
#include "Support/Paths.h"

#include <chrono>
#include <sndfile.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace earshot;
using test::Lv2Host;

namespace {

constexpr double seconds = 8.2; // of the demo: a speaker from 2 s to 7 s, at whose end the render stops

juce::AudioBuffer<float> speech() {
    SF_INFO info{};
    SNDFILE* const file = sf_open(test::demoFile().c_str(), SFM_READ, &info);
    REQUIRE(file != nullptr);
    const auto frames = static_cast<int>(seconds * Lv2Host::rate);
    std::vector<float> samples(static_cast<std::size_t>(info.channels) * static_cast<std::size_t>(frames));
    const auto found = sf_readf_float(file, samples.data(), frames);
    sf_close(file);
    REQUIRE(found == frames);
    REQUIRE(info.samplerate == static_cast<int>(Lv2Host::rate));
    juce::AudioBuffer<float> audio(2, frames);
    for (int channel = 0; channel < 2; ++channel)
        for (int i = 0; i < frames; ++i)
            audio.setSample(channel, i,
                            samples[static_cast<std::size_t>(i * info.channels + channel % info.channels)]);
    return audio;
}

// The event log of what `render` does.
std::string logOf(const std::function<void(juce::AudioBuffer<float>&)>& render) {
    const juce::TemporaryFile file(".csv");
    const test::EnvironmentScope logged("EARSHOT_EVENT_LOG", file.getFile().getFullPathName().toStdString());
    juce::AudioBuffer<float> audio = speech();
    render(audio);
    return file.getFile().loadFileAsString().toStdString();
}

std::string lv2Render(const std::function<void(Lv2Host&)>& end) {
    return logOf([&](const juce::AudioBuffer<float>& audio) {
        Lv2Host host;
        host.controls[1] = 1.0f; // freewheeling
        host.activate();
        for (int at = 0; at < audio.getNumSamples(); at += 512) {
            const int count = std::min(512, audio.getNumSamples() - at);
            for (int channel = 0; channel < 2; ++channel)
                std::copy_n(audio.getReadPointer(channel, at), count,
                            host.audio[static_cast<std::size_t>(channel)].begin());
            host.run(static_cast<std::uint32_t>(count));
        }
        end(host);
    });
}

std::string vst3Render(bool releases, const juce::String& track = {}) {
    return logOf([&](const juce::AudioBuffer<float>& audio) {
        test::Hosted hosted("VST3");
        if (track.isNotEmpty()) hosted.plugin->updateTrackProperties({track, {}});
        hosted.plugin->setNonRealtime(true);
        hosted.plugin->prepareToPlay(Lv2Host::rate, 512);
        juce::MidiBuffer midi;
        for (int at = 0; at < audio.getNumSamples(); at += 512) {
            juce::AudioBuffer<float> block;
            block.setSize(2, std::min(512, audio.getNumSamples() - at));
            for (int channel = 0; channel < 2; ++channel)
                block.copyFrom(channel, 0, audio, channel, at, block.getNumSamples());
            hosted.plugin->processBlock(block, midi);
        }
        if (releases) hosted.plugin->releaseResources();
    });
}

void wait() { std::this_thread::sleep_for(std::chrono::seconds(3)); }

} // namespace

TEST_CASE("a render is whole whose host removes the plugin right after the last block", "[slow]") {
    const std::string whole = lv2Render([](Lv2Host& host) {
        wait();
        host.remove(false);
    });
    INFO(whole);
    REQUIRE_THAT(whole, ContainsSubstring("Speech"));
    REQUIRE_THAT(whole,
                 ContainsSubstring(
                     " in 8.20 s with earshot-default, 0 chunks dropped, 0 windows skipped, instance 1\n"));
    CHECK(lv2Render([](Lv2Host& host) { host.remove(true); }) == whole);
    CHECK(lv2Render([](Lv2Host& host) { host.remove(false); }) == whole);
    CHECK(vst3Render(true) == whole);
    CHECK(vst3Render(false) == whole);
    // Deactivated it is whole already, and it goes on when it is activated.
    std::string early;
    lv2Render([&](Lv2Host& host) {
        host.deactivate();
        early = juce::File(std::getenv("EARSHOT_EVENT_LOG")).loadFileAsString().toStdString();
        host.controls[1] = 0.0f;
        host.activate();
        host.run(512);
    });
    CHECK(early == whole);
}

TEST_CASE("the VST3's events have the name of their track", "[slow]") {
    const std::string log = vst3Render(true, "Room, left");
    INFO(log);
    CHECK_THAT(log, ContainsSubstring("onset_time,instance"));
    CHECK_THAT(log, ContainsSubstring(",Speech,") && ContainsSubstring(",,,\"Room, left\""));
    CHECK_THAT(log, ContainsSubstring(", instance Room, left\n"));
}
