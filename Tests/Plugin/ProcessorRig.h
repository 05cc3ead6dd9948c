// A host's work with a processor, for tests: audio in blocks, a transport, the default model and the demo
// recording.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Streaming/Session.h"
#include "Plugin/EarshotProcessor.h"
#include "Support/AudioMaker.h"
#include "Support/Environment.h"
#include "Support/Paths.h"
#include "Support/Waiting.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace earshot::test {

// The environment's EARSHOT_MODEL names the default model while it lives.
class ModelEnvironment {
  public:
    ModelEnvironment() { ::setenv("EARSHOT_MODEL", defaultModelFile().c_str(), 1); }
    ~ModelEnvironment() { ::unsetenv("EARSHOT_MODEL"); }
    ModelEnvironment(const ModelEnvironment&) = delete;
    ModelEnvironment& operator=(const ModelEnvironment&) = delete;
};

// While it lives, the user's settings lie in an empty folder.
class HomeEnvironment {
    TemporaryDirectory folder_;
    EnvironmentScope home_{"HOME", folder_.path().string()};
    EnvironmentScope config_{"XDG_CONFIG_HOME", ""};
};

inline juce::AudioBuffer<float> readAudio(const std::filesystem::path& path) {
    audio::AudioFile file(path);
    const auto channels = static_cast<std::size_t>(file.channels());
    std::vector<float> samples;
    std::vector<float> block(channels * 4096);
    while (const std::size_t frames = file.readInterleaved(block))
        samples.insert(samples.end(), block.begin(),
                       block.begin() + static_cast<std::ptrdiff_t>(frames * channels));
    juce::AudioBuffer<float> audio(file.channels(), static_cast<int>(samples.size() / channels));
    for (int channel = 0; channel < audio.getNumChannels(); ++channel)
        for (int i = 0; i < audio.getNumSamples(); ++i)
            audio.setSample(
                channel, i,
                samples[static_cast<std::size_t>(i) * channels + static_cast<std::size_t>(channel)]);
    return audio;
}

// A transport that the test moves.
class TestPlayHead : public juce::AudioPlayHead {
  public:
    juce::Optional<PositionInfo> getPosition() const override {
        if (!known) return {};
        PositionInfo position;
        position.setIsPlaying(playing);
        if (inSamples) {
            position.setTimeInSamples(static_cast<juce::int64>(seconds * rate));
        } else {
            position.setTimeInSeconds(seconds);
        }
        return position;
    }

    bool known = true;
    bool playing = false;
    bool inSamples = false;
    double seconds = 0.0;
    double rate = 48000.0;
};

// Plays `audio` through the processor in place, in blocks of the sizes that `blockSize()` returns. Calls
// after(midi, block position) for each.
template <typename BlockSize, typename After>
void playThrough(juce::AudioProcessor& processor, juce::AudioBuffer<float>& audio, BlockSize&& blockSize,
                 After&& after) {
    juce::MidiBuffer midi;
    midi.ensureSize(2048);
    for (int done = 0; done < audio.getNumSamples();) {
        const int count = std::min<int>(blockSize(), audio.getNumSamples() - done);
        juce::AudioBuffer<float> block(audio.getArrayOfWritePointers(), audio.getNumChannels(), done, count);
        midi.clear();
        processor.processBlock(block, midi);
        after(midi, done);
        done += count;
    }
}

// Sets a parameter to a value in its own unit.
inline void setParameter(plugin::EarshotProcessor& processor, const char* id, float value) {
    auto* parameter = processor.parameters().getParameter(id);
    parameter->setValueNotifyingHost(parameter->convertTo0to1(value));
}

} // namespace earshot::test
