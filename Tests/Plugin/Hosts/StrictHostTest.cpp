// What strict validators of plugins try, and what hosts really do: odd rates and block sizes, random
// automation, states that are saved and restored while audio runs, editors that open and close in the middle,
// threads. The checks follow those of pluginval at its strictest, for the built VST3 and LV2.
#include "Hosted.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

using earshot::test::Hosted;

namespace {

constexpr std::array formats = {"VST3", "LV2"};

// Everything a sample can be: sound, silence, far too loud, denormal, infinite, not a number.
void fill(juce::AudioBuffer<float>& audio, std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    const auto kind = random() % 8;
    for (int channel = 0; channel < audio.getNumChannels(); ++channel)
        for (int i = 0; i < audio.getNumSamples(); ++i)
            audio.setSample(channel, i,
                            kind == 0   ? 0.0f
                            : kind == 1 ? 1e30f * uniform(random)
                            : kind == 2 ? 1e-40f
                                        : uniform(random));
    if (audio.getNumSamples() == 0) return;
    if (kind == 3) audio.setSample(0, 0, std::numeric_limits<float>::quiet_NaN());
    if (kind == 4) audio.setSample(0, 0, -std::numeric_limits<float>::infinity());
}

juce::MidiBuffer someMidi(std::mt19937& random, int samples) {
    juce::MidiBuffer midi;
    if (samples > 0 && random() % 4 == 0)
        midi.addEvent(juce::MidiMessage::noteOn(1 + static_cast<int>(random() % 16),
                                                static_cast<int>(random() % 128),
                                                static_cast<juce::uint8>(1 + random() % 127)),
                      static_cast<int>(random() % static_cast<unsigned>(samples)));
    return midi;
}

// True if the block leaves the plugin bit by bit as it came.
bool passes(juce::AudioPluginInstance& plugin, int samples, std::mt19937& random) {
    juce::AudioBuffer<float> audio(
        juce::jmax(plugin.getTotalNumInputChannels(), plugin.getTotalNumOutputChannels()), samples);
    fill(audio, random);
    juce::AudioBuffer<float> before;
    before.makeCopyOf(audio);
    juce::MidiBuffer midi = someMidi(random, samples);
    plugin.processBlock(audio, midi);
    for (int channel = 0; channel < audio.getNumChannels(); ++channel)
        if (std::memcmp(audio.getReadPointer(channel), before.getReadPointer(channel),
                        sizeof(float) * static_cast<std::size_t>(samples)) != 0)
            return false;
    return true;
}

// A transport that loops, jumps, stands still, and at times says nothing.
class OddPlayHead : public juce::AudioPlayHead {
  public:
    juce::Optional<PositionInfo> getPosition() const override {
        if (random_() % 5 == 0) return {};
        PositionInfo info;
        const auto sample = static_cast<juce::int64>(random_() % 10'000'000) - 1'000'000;
        if (random_() % 4 != 0) info.setTimeInSamples(sample);
        if (random_() % 4 != 0) info.setTimeInSeconds(static_cast<double>(sample) / 48000.0);
        if (random_() % 4 != 0)
            info.setBpm(random_() % 8 == 0 ? 0.0 : 1.0 + static_cast<double>(random_() % 400));
        info.setIsPlaying(random_() % 3 != 0);
        info.setIsLooping(random_() % 2 == 0);
        info.setLoopPoints(LoopPoints{4.0, 2.0});
        return info;
    }

  private:
    mutable std::mt19937 random_{7};
};

// The audio thread of a host: blocks of every size up to the largest, as fast as they go, until it is
// stopped.
class AudioThread {
  public:
    AudioThread(juce::AudioPluginInstance& plugin, int largest, unsigned seed)
        : thread_([this, &plugin, largest, seed] {
            std::mt19937 random(seed);
            while (!stopped_) {
                if (!passes(plugin, 1 + static_cast<int>(random() % static_cast<unsigned>(largest)), random))
                    exact_ = false;
                ++blocks_;
                if (blocks_ % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }) {}
    ~AudioThread() { stop(); }

    // Returns when the thread has made so many further blocks: what was done meanwhile met the audio.
    void waitFor(int blocks) const {
        const int until = blocks_ + blocks;
        while (blocks_ < until) std::this_thread::yield();
    }
    // True if every block was passed on bit by bit.
    bool stop() {
        stopped_ = true;
        if (thread_.joinable()) thread_.join();
        return exact_;
    }

  private:
    std::atomic<bool> stopped_ = false, exact_ = true;
    std::atomic<int> blocks_ = 0;
    std::thread thread_;
};

juce::MemoryBlock stateOf(juce::AudioPluginInstance& plugin) {
    juce::MemoryBlock state;
    plugin.getStateInformation(state);
    return state;
}

void restore(juce::AudioPluginInstance& plugin, const juce::MemoryBlock& state) {
    plugin.setStateInformation(state.getData(), static_cast<int>(state.getSize()));
}

// A state that is cut, has wrong bits, or is noise. Of an LV2's, which is Turtle with the plugin's text in
// base 64, only that text is damaged: JUCE's host (7.0.5) does not survive wrong Turtle itself.
juce::MemoryBlock damaged(const juce::MemoryBlock& state, bool isLv2, std::mt19937& random) {
    std::string text(static_cast<const char*>(state.getData()), state.getSize());
    std::size_t begin = 0, end = text.size();
    if (isLv2) {
        const auto dot = text.find('.', text.find("StateString"));
        if (dot == std::string::npos) return state;
        begin = text.rfind('"', dot) + 1;
        end = text.find('"', dot);
    }
    const auto place = [&] { return begin + random() % (end - begin); };
    const auto letter = [&] {
        return isLv2 ? static_cast<char>('.' + random() % 77) : static_cast<char>(random());
    };
    switch (random() % 3) {
    case 0: {
        const auto cut = place();
        text.erase(cut, end - cut);
        break;
    }
    case 1:
        for (int i = 0; i < 8; ++i) text[place()] = letter();
        break;
    default:
        for (auto at = begin; at < end; ++at) text[at] = letter();
    }
    std::erase(text, isLv2 ? '\\' : '\0');
    return {text.data(), text.size()};
}

// Opens and closes the editor a dozen times while another thread processes.
void tryEditors(const char* format) {
    Hosted hosted(format);
    auto& plugin = *hosted.plugin;
    std::mt19937 random(6);
    plugin.prepareToPlay(48000.0, 512);
    AudioThread audio(plugin, 512, 7);
    REQUIRE(plugin.hasEditor());
    for (int round = 0; round < 12; ++round) {
        const std::unique_ptr<juce::AudioProcessorEditor> editor(plugin.createEditorIfNeeded());
        REQUIRE(editor != nullptr);
        audio.waitFor(3);
        editor->setSize(400 + static_cast<int>(random() % 1400), 300 + static_cast<int>(random() % 900));
        plugin.getParameters()[0]->setValueNotifyingHost(0.1f * static_cast<float>(round % 10));
        audio.waitFor(1 + static_cast<int>(random() % 5));
    }
    REQUIRE(audio.stop());
}

} // namespace

TEST_CASE("strict: plugins come and go", "[slow]") {
    for (const char* const name : formats)
        for (int i = 0; i < 6; ++i) {
            Hosted hosted(name);
            if (i % 2 == 0) continue;
            hosted.plugin->prepareToPlay(48000.0, 256);
            if (i % 3 == 0) continue; // destroyed while it is prepared
            hosted.plugin->releaseResources();
            hosted.plugin->releaseResources();
        }
}

TEST_CASE("strict: any rate and any block size", "[slow]") {
    for (const char* const name : formats) {
        Hosted hosted(name);
        std::mt19937 random(1);
        for (const double rate :
             {8000.0, 11025.0, 22050.0, 44100.0, 44099.5, 48000.0, 88200.0, 96000.0, 192000.0, 384000.0})
            for (const int size : {1, 2, 7, 63, 64, 333, 512, 1024, 4096}) {
                INFO(name << ", " << rate << " Hz, " << size << " samples");
                hosted.plugin->prepareToPlay(rate, size);
                REQUIRE(hosted.plugin->getLatencySamples() == 0);
                for (const int samples :
                     {size, 1, 1 + static_cast<int>(random() % static_cast<unsigned>(size)), size})
                    REQUIRE(passes(*hosted.plugin, samples, random));
                hosted.plugin->releaseResources();
            }
    }
}

TEST_CASE("strict: any layout that the plugin accepts", "[slow]") {
    for (const char* const name : formats) {
        Hosted hosted(name);
        std::mt19937 random(2);
        int accepted = 0;
        for (const auto& set : {juce::AudioChannelSet::mono(), juce::AudioChannelSet::stereo(),
                                juce::AudioChannelSet::quadraphonic(), juce::AudioChannelSet::create5point1(),
                                juce::AudioChannelSet::stereo()}) {
            juce::AudioProcessor::BusesLayout layout;
            layout.inputBuses.add(set);
            layout.outputBuses.add(set);
            hosted.plugin->releaseResources();
            if (!hosted.plugin->setBusesLayout(layout)) continue;
            ++accepted;
            INFO(name << ", " << set.getDescription());
            hosted.plugin->prepareToPlay(48000.0, 512);
            for (int block = 0; block < 20; ++block) REQUIRE(passes(*hosted.plugin, 512, random));
        }
        REQUIRE(accepted >= 1);
    }
}

TEST_CASE("strict: random automation between blocks", "[slow]") {
    for (const char* const name : formats) {
        Hosted hosted(name);
        auto& plugin = *hosted.plugin;
        const auto& parameters = plugin.getParameters();
        REQUIRE(parameters.size() >= 9);
        std::mt19937 random(3);
        std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
        plugin.prepareToPlay(44100.0, 512);
        for (int block = 0; block < 400; ++block) {
            for (int i = 0; i < 4; ++i) {
                auto& parameter =
                    *parameters[static_cast<int>(random() % static_cast<unsigned>(parameters.size()))];
                const auto extreme = random() % 4;
                parameter.setValueNotifyingHost(extreme == 0 ? 0.0f : extreme == 1 ? 1.0f : uniform(random));
            }
            REQUIRE(passes(plugin, 1 + static_cast<int>(random() % 512), random));
        }
        for (auto* const parameter : parameters)
            for (const float value : {0.0f, 0.25f, 0.5f, 0.999f, 1.0f}) {
                INFO(name << ", " << parameter->getName(64) << " at " << value);
                parameter->setValueNotifyingHost(value);
                const float found = parameter->getValue();
                CHECK((std::isfinite(found) && found >= 0.0f && found <= 1.0f));
                CHECK(parameter->getText(value, 64).isNotEmpty());
                CHECK(parameter->getName(64).isNotEmpty());
            }
        plugin.releaseResources();
    }
}

TEST_CASE("strict: parameters and states change while another thread processes", "[slow]") {
    for (const char* const name : formats) {
        INFO(name);
        Hosted hosted(name);
        auto& plugin = *hosted.plugin;
        std::mt19937 random(4);
        std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
        plugin.prepareToPlay(48000.0, 512);
        const juce::MemoryBlock first = stateOf(plugin);
        std::vector<juce::MemoryBlock> states = {first};
        {
            AudioThread audio(plugin, 512, 5);
            for (int round = 0; round < 60; ++round) {
                for (auto* const parameter : plugin.getParameters())
                    if (random() % 3 == 0) parameter->setValueNotifyingHost(uniform(random));
                states.push_back(stateOf(plugin));
                REQUIRE_FALSE(states.back().isEmpty());
                const auto& state = states[random() % states.size()];
                restore(plugin, round % 2 == 0
                                    ? state
                                    : damaged(state, hosted.description.pluginFormatName == "LV2", random));
                audio.waitFor(2);
            }
            REQUIRE(audio.stop());
        }
        // After all that a valid state is restored as ever.
        restore(plugin, first);
        passes(plugin, 64, random);
        REQUIRE(stateOf(plugin) == first);
        plugin.releaseResources();
    }
}

TEST_CASE("strict: the VST3's editor opens and closes in the middle", "[slow]") { tryEditors("VST3"); }

// Tests/Hosts runs it under Xvfb.
TEST_CASE("strict: the LV2's editor opens and closes in the middle", "[slow]") {
    if (juce::Desktop::getInstance().getDisplays().displays.isEmpty())
        return earshot::test::skip(
            "JUCE's host shows an LV2's editor in an X11 window, and there is no display");
    tryEditors("LV2");
}

TEST_CASE("strict: several instances at once, with transports that jump", "[slow]") {
    for (const char* const name : formats) {
        INFO(name);
        OddPlayHead transport;
        std::vector<std::unique_ptr<Hosted>> instances;
        for (int i = 0; i < 3; ++i) {
            instances.push_back(std::make_unique<Hosted>(name));
            instances.back()->plugin->prepareToPlay(i == 0 ? 44100.0 : 48000.0, 512);
        }
        instances[0]->plugin->setPlayHead(&transport);
        std::vector<std::unique_ptr<AudioThread>> threads;
        for (unsigned i = 0; i < 3; ++i)
            threads.push_back(std::make_unique<AudioThread>(*instances[i]->plugin, 512, i));
        for (auto& thread : threads) thread->waitFor(150);
        REQUIRE(threads[2]->stop());
        instances[2].reset(); // the others go on
        threads[0]->waitFor(50);
        REQUIRE(threads[0]->stop());
        REQUIRE(threads[1]->stop());
    }
}

TEST_CASE("strict: bounces between live playing", "[slow]") {
    for (const char* const name : formats) {
        INFO(name);
        Hosted hosted(name);
        auto& plugin = *hosted.plugin;
        std::mt19937 random(8);
        for (int round = 0; round < 8; ++round) {
            plugin.setNonRealtime(round % 2 == 1);
            plugin.prepareToPlay(48000.0, 1024);
            for (int block = 0; block < 30; ++block) REQUIRE(passes(plugin, 1024, random));
            plugin.reset();
            plugin.releaseResources();
        }
        for (int program = 0; program < plugin.getNumPrograms(); ++program) {
            plugin.setCurrentProgram(program);
            plugin.getProgramName(program);
        }
        REQUIRE(plugin.getTailLengthSeconds() >= 0.0);
    }
}
