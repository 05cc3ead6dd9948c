// One of the built plugins in JUCE's own host classes. Message thread.
#pragma once

#include "Support/Catch.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <memory>
#include <string>

namespace earshot::test {

inline std::unique_ptr<juce::AudioPluginFormat> makeFormat(const std::string& name) {
    if (name == "VST3") return std::make_unique<juce::VST3PluginFormat>();
    return std::make_unique<juce::LV2PluginFormat>();
}

// JUCE keeps an LV2's world in its format, which therefore lives as long as the plugin.
struct Hosted {
    explicit Hosted(const std::string& name, double rate = 48000.0, int blockSize = 512)
        : format(makeFormat(name)) {
        juce::OwnedArray<juce::PluginDescription> found;
        if (name == "VST3") {
            // Earshot.vst3/Contents/x86_64-linux/Earshot.so
            const juce::File bundle =
                juce::File(EARSHOT_VST3_BINARY).getParentDirectory().getParentDirectory();
            format->findAllTypesForFile(found, bundle.getParentDirectory().getFullPathName());
        } else {
            const juce::FileSearchPath folder(
                juce::File(EARSHOT_LV2_BUNDLE).getParentDirectory().getFullPathName());
            // also lists the other plugins of the machine
            format->searchPathsForPlugins(folder, false, false);
            format->findAllTypesForFile(found, "https://earshot-audio.github.io/earshot");
        }
        INFO(name);
        REQUIRE(found.size() == 1);
        description = *found[0];
        juce::String error;
        plugin = format->createInstanceFromDescription(description, rate, blockSize, error);
        INFO(error);
        REQUIRE(plugin != nullptr);
    }

    std::unique_ptr<juce::AudioPluginFormat> format;
    juce::PluginDescription description;
    std::unique_ptr<juce::AudioPluginInstance> plugin;
};

} // namespace earshot::test
