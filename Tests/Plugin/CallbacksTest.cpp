// Nothing thrown leaves what a host calls.
#include "ProcessorRig.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/FailingNew.h"
#include "Support/Skip.h"
#include "Ui/ParameterIds.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

using namespace earshot;

namespace {

using Processor = plugin::EarshotProcessor;

void playNoise(Processor& processor) {
    juce::AudioBuffer<float> audio(2, 512);
    audio.clear();
    juce::MidiBuffer midi;
    midi.ensureSize(2048);
    processor.processBlock(audio, midi);
}

} // namespace

TEST_CASE("whichever allocation fails, no callback throws at the host, and the next call works", "[slow]") {
    if (!test::FailingNew::available()) return test::skip("not available in this build");
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "broken.safetensors", "no model");
    const juce::File broken((folder / "broken.safetensors").string());
    const juce::File recording(test::demoFile().string());
    ui::OutputSettings outputs;
    outputs.oscPort = 7000;
    juce::MemoryBlock kept;

    const std::vector<std::pair<const char*, std::function<void(Processor&)>>> callbacks{
        {"prepareToPlay", [](Processor& processor) { processor.prepareToPlay(48000.0, 512); }},
        {"releaseResources", [](Processor& processor) { processor.releaseResources(); }},
        {"setNonRealtime",
         [](Processor& processor) { processor.setNonRealtime(!processor.isNonRealtime()); }},
        {"processBlock", [](Processor& processor) { playNoise(processor); }},
        // Not states, nor the editor: nlohmann's JSON allocates in its destructor and JUCE's editor in a
        // noexcept constructor, which nobody can catch.
        {"the timer", [](Processor& processor) { processor.followParameters(); }},
        {"a parameter",
         [](Processor& processor) {
             const bool crop =
                 processor.parameters().getRawParameterValue(ui::parameter::mode)->load() > 0.5f;
             test::setParameter(processor, ui::parameter::mode, crop ? 0.0f : 1.0f);
         }},
        {"loadModel", [&](Processor& processor) { processor.model().load(broken); }},
        {"loadDefaultModel", [](Processor& processor) { processor.model().loadDefault(); }},
        {"setOutputs", [&](Processor& processor) { processor.outputs().set(outputs); }},
        {"allowHost", [](Processor& processor) { processor.outputs().allowHost(); }},
        {"openRecording", [&](Processor& processor) { processor.playback().open(recording); }},
        {"cancelRecording", [](Processor& processor) { processor.playback().cancel(); }},
        {"closeRecording", [](Processor& processor) { processor.playback().close(); }},
    };
    int points = 0;
    for (const auto& [name, callback] : callbacks) {
        CAPTURE(name);
        for (int nth = 1; nth < 100'000; nth += 1 + nth / 16) {
            Processor processor;
            processor.prepareToPlay(48000.0, 512);
            if (nth % 2 == 0) processor.playback().open(recording);
            bool threw = false;
            bool failed = false;
            {
                const test::FailingNew failing(nth);
                try {
                    callback(processor);
                } catch (...) {
                    threw = true;
                }
                failed = failing.failed();
            }
            CAPTURE(nth);
            REQUIRE_FALSE(threw);
            callback(processor);
            processor.prepareToPlay(48000.0, 512);
            playNoise(processor);
            processor.getStateInformation(kept);
            REQUIRE(kept.getSize() > 0);
            if (!failed) break;
            ++points;
        }
    }
    REQUIRE(points > 20);
}
