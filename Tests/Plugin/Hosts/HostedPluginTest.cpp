// The built VST3 and LV2 through JUCE's own host classes, as a DAW loads them.
#include "Hosted.h"
#include "Support/Catch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>

using earshot::test::Hosted;

namespace {

juce::AudioProcessorParameter* find(juce::AudioPluginInstance& plugin, const juce::String& name) {
    for (auto* parameter : plugin.getParameters())
        if (parameter->getName(100) == name) return parameter;
    return nullptr;
}

void playSilence(juce::AudioPluginInstance& plugin) {
    plugin.prepareToPlay(48000.0, 512);
    juce::AudioBuffer<float> audio(2, 512);
    audio.clear();
    juce::MidiBuffer midi;
    plugin.processBlock(audio, midi);
    plugin.releaseResources();
}

} // namespace

TEST_CASE("the built plugins pass audio bit by bit", "[slow]") {
    for (const char* name : {"VST3", "LV2"}) {
        Hosted hosted(name);
        juce::AudioPluginInstance& plugin = *hosted.plugin;
        REQUIRE(plugin.getLatencySamples() == 0);
        REQUIRE(plugin.getTotalNumInputChannels() == 2);
        REQUIRE(plugin.getTotalNumOutputChannels() == 2);
        plugin.prepareToPlay(48000.0, 512);
        std::mt19937 random(1);
        std::uniform_real_distribution<float> uniform(-1.5f, 1.5f);
        for (int block = 0; block < 400; ++block) {
            juce::AudioBuffer<float> audio(2, 1 + static_cast<int>(random() % 512));
            for (int channel = 0; channel < 2; ++channel)
                for (int i = 0; i < audio.getNumSamples(); ++i) audio.setSample(channel, i, uniform(random));
            if (block % 50 == 0) audio.setSample(0, 0, std::numeric_limits<float>::quiet_NaN());
            juce::AudioBuffer<float> before;
            before.makeCopyOf(audio);
            juce::MidiBuffer midi;
            plugin.processBlock(audio, midi);
            INFO(name << " block " << block);
            for (int channel = 0; channel < 2; ++channel)
                REQUIRE(std::memcmp(audio.getReadPointer(channel), before.getReadPointer(channel),
                                    sizeof(float) * static_cast<std::size_t>(audio.getNumSamples())) == 0);
        }
        plugin.releaseResources();
    }
}

TEST_CASE("the built plugins say in the host what their parameters mean", "[slow]") {
    for (const char* name : {"VST3", "LV2"}) {
        Hosted hosted(name);
        INFO(name);
        for (const char* parameter : {"Sensitivity", "Threshold (old)", "Release", "Shortest",
                                      "Join gaps under", "Median", "Mode", "Hop", "MIDI out", "Hold"}) {
            INFO(parameter);
            REQUIRE(find(*hosted.plugin, parameter) != nullptr);
        }
        if (std::string(name) == "VST3") {
            REQUIRE(find(*hosted.plugin, "Sensitivity")->getCurrentValueAsText() == "0.0");
            REQUIRE(find(*hosted.plugin, "Hold")->getCurrentValueAsText() == "1.5 s");
            REQUIRE(find(*hosted.plugin, "Mode")->getCurrentValueAsText() == "Auto");
            REQUIRE(hosted.plugin->getBypassParameter() != nullptr);
        }
    }
}

// Debian's JUCE 7 wrote the choices of the LV2's lists wrongly (Resources/cmake/Lv2Metadata.cmake).
TEST_CASE("a list of the LV2 has the choices that it has in the VST3", "[slow]") {
    Hosted lv2("LV2"), vst3("VST3");
    int lists = 0;
    for (auto* parameter : lv2.plugin->getParameters()) {
        const auto* same = find(*vst3.plugin, parameter->getName(100));
        if (!parameter->isDiscrete() || parameter->isBoolean() || same == nullptr) continue;
        const int last = parameter->getNumSteps() - 1;
        INFO(parameter->getName(100));
        REQUIRE(last > 0);
        for (int i = 0; i <= last; ++i) {
            const float value = static_cast<float>(i) / static_cast<float>(last);
            const auto text = parameter->getText(value, 100);
            CHECK(text == same->getText(value, 100));
            CHECK(std::abs(parameter->getValueForText(text) - value) < 1e-6f);
        }
        ++lists;
    }
    REQUIRE(lists == 6);
}

TEST_CASE("the built plugins' state comes back", "[slow]") {
    for (const char* name : {"VST3", "LV2"}) {
        INFO(name);
        juce::MemoryBlock state;
        {
            Hosted first(name);
            find(*first.plugin, "Threshold (old)")->setValueNotifyingHost(0.75f);
            playSilence(*first.plugin); // what a host changed reaches the plugin with the next block
            first.plugin->getStateInformation(state);
        }
        REQUIRE(state.getSize() > 0);
        Hosted second(name);
        juce::MemoryBlock fresh;
        second.plugin->getStateInformation(fresh);
        REQUIRE(fresh != state);
        second.plugin->setStateInformation(state.getData(), static_cast<int>(state.getSize()));
        juce::MemoryBlock restored;
        second.plugin->getStateInformation(restored);
        REQUIRE(restored == state);
        second.plugin->setStateInformation("garbage", 7);
        playSilence(*second.plugin);
    }
}

TEST_CASE("an LV2's state that claims any size does its host no harm", "[slow]") {
    Hosted hosted("LV2");
    juce::MemoryBlock state;
    hosted.plugin->getStateInformation(state);
    const std::string whole(static_cast<const char*>(state.getData()), state.getSize());
    // The base 64 of a state of some hundred bytes: "312.7hjY...".
    const auto dot = whole.find('.', whole.find("StateString"));
    REQUIRE(dot != std::string::npos);
    const auto begin = whole.rfind('"', dot) + 1;
    const auto end = whole.find('"', dot);
    REQUIRE(begin < dot);
    for (const char* text : {"-5.AAAA", "-5.", "4294967291.AAAA", "2000000000.AAAA", ".", "9.A", ""}) {
        INFO(text);
        std::string damaged = whole;
        damaged.replace(begin, end - begin, text);
        hosted.plugin->setStateInformation(damaged.data(), static_cast<int>(damaged.size()));
        juce::MemoryBlock after;
        hosted.plugin->getStateInformation(after);
        REQUIRE(after == state);
    }
    playSilence(*hosted.plugin);
}

TEST_CASE("the VST3's editor opens without a display", "[slow]") {
    Hosted hosted("VST3");
    REQUIRE(hosted.plugin->hasEditor());
    for (int i = 0; i < 3; ++i) {
        const std::unique_ptr<juce::AudioProcessorEditor> editor(hosted.plugin->createEditorIfNeeded());
        REQUIRE(editor != nullptr);
    }
}
