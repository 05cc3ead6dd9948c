#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Ui/ParameterIds.h"

#include <cstring>
#include <limits>
#include <random>

using namespace earshot;

namespace {

const std::vector<juce::AudioChannelSet>& layouts() {
    static const std::vector<juce::AudioChannelSet> all = {juce::AudioChannelSet::disabled(),
                                                           juce::AudioChannelSet::mono(),
                                                           juce::AudioChannelSet::stereo(),
                                                           juce::AudioChannelSet::createLCR(),
                                                           juce::AudioChannelSet::quadraphonic(),
                                                           juce::AudioChannelSet::create5point1(),
                                                           juce::AudioChannelSet::create7point1(),
                                                           juce::AudioChannelSet::create7point1point4(),
                                                           juce::AudioChannelSet::discreteChannels(1),
                                                           juce::AudioChannelSet::discreteChannels(13)};
    return all;
}

juce::AudioProcessor::BusesLayout busesOf(const juce::AudioChannelSet& in, const juce::AudioChannelSet& out) {
    juce::AudioProcessor::BusesLayout layout;
    layout.inputBuses.add(in);
    layout.outputBuses.add(out);
    return layout;
}

// Audio with everything in it that a broken neighbour may send.
template <typename Sample>
void fill(juce::AudioBuffer<Sample>& buffer, std::mt19937& random) {
    std::uniform_real_distribution<Sample> uniform(-2, 2);
    for (int channel = 0; channel < buffer.getNumChannels(); ++channel)
        for (int i = 0; i < buffer.getNumSamples(); ++i) {
            Sample value = uniform(random);
            switch (random() % 200) {
            case 0:
                value = std::numeric_limits<Sample>::quiet_NaN();
                break;
            case 1:
                value = std::numeric_limits<Sample>::infinity();
                break;
            case 2:
                value = -std::numeric_limits<Sample>::infinity();
                break;
            case 3:
                value = std::numeric_limits<Sample>::denorm_min();
                break;
            case 4:
                value = std::numeric_limits<Sample>::max();
                break;
            case 5:
                value = Sample(-0.0);
                break;
            default:
                break;
            }
            buffer.setSample(channel, i, value);
        }
}

template <typename Sample>
bool sameBits(const juce::AudioBuffer<Sample>& a, const juce::AudioBuffer<Sample>& b) {
    for (int channel = 0; channel < a.getNumChannels(); ++channel)
        if (std::memcmp(a.getReadPointer(channel), b.getReadPointer(channel),
                        sizeof(Sample) * static_cast<std::size_t>(a.getNumSamples())) != 0)
            return false;
    return true;
}

template <typename Sample>
void checkBlock(juce::AudioProcessor& processor, int channels, int samples, std::mt19937& random) {
    juce::AudioBuffer<Sample> buffer(channels, samples);
    fill(buffer, random);
    juce::AudioBuffer<Sample> before;
    before.makeCopyOf(buffer);
    juce::MidiBuffer midi;
    if (random() % 8 == 0) {
        processor.processBlockBypassed(buffer, midi);
    } else {
        processor.processBlock(buffer, midi);
    }
    REQUIRE(sameBits(buffer, before));
}

} // namespace

TEST_CASE("the plugin adds no delay, and a tail only for the notes and messages that it sends", "[unit]") {
    plugin::EarshotProcessor processor;
    REQUIRE(processor.getLatencySamples() == 0);
    REQUIRE(processor.getTailLengthSeconds() == 0.0);
    test::setParameter(processor, ui::parameter::midiOut, 1.0f);
    REQUIRE(processor.getTailLengthSeconds() == Approx(3.5)); // with a hold of 1.5 s
    test::setParameter(processor, ui::parameter::hold, 10.0f);
    REQUIRE(processor.getTailLengthSeconds() == Approx(12.0));
    test::setParameter(processor, ui::parameter::hold, 0.0f);
    test::setParameter(processor, ui::parameter::mergeGap, 3.0f);
    test::setParameter(processor, ui::parameter::hopSeconds, 8.0f); // 10.24 s
    REQUIRE(processor.getTailLengthSeconds() == Approx(15.24));
    test::setParameter(processor, ui::parameter::midiOut, 0.0f);
    REQUIRE(processor.getTailLengthSeconds() == 0.0);
    ui::OutputSettings outputs;
    outputs.osc = true;
    processor.outputs().set(outputs);
    REQUIRE(processor.getTailLengthSeconds() == Approx(15.24));
    REQUIRE(processor.getBypassParameter() != nullptr);
    REQUIRE_FALSE(processor.acceptsMidi());
    REQUIRE(processor.producesMidi());
}

TEST_CASE("as many channels go out as come in, whatever they are, and nothing else is accepted", "[unit]") {
    plugin::EarshotProcessor processor;
    for (const auto& in : layouts())
        for (const auto& out : layouts()) {
            INFO(in.getDescription() << " -> " << out.getDescription());
            REQUIRE(processor.checkBusesLayoutSupported(busesOf(in, out)) == (in == out));
        }
}

TEST_CASE("audio passes through bit by bit in any layout, rate and block size", "[unit]") {
    const test::ModelEnvironment environment;
    std::mt19937 random(5);
    const std::vector<double> rates = {8000.0,  11025.0, 22050.0, 44100.0,
                                       48000.0, 88200.0, 96000.0, 192000.0};
    const std::vector<int> sizes = {0, 1, 2, 3, 16, 63, 64, 441, 511, 512, 513, 1024, 4096, 10000};
    for (const auto& layout : layouts()) {
        plugin::EarshotProcessor processor;
        REQUIRE(processor.setBusesLayout(busesOf(layout, layout)));
        const double rate = rates[random() % rates.size()];
        INFO(layout.getDescription() << " at " << rate);
        checkBlock<float>(processor, layout.size(), 64, random); // not prepared at all
        processor.setRateAndBufferSizeDetails(rate, 64);
        processor.prepareToPlay(rate, 64);
        for (int block = 0; block < 60; ++block) {
            test::setParameter(processor, ui::parameter::bypass, random() % 4 == 0 ? 1.0f : 0.0f);
            test::setParameter(processor, ui::parameter::midiOut, random() % 2 == 0 ? 1.0f : 0.0f);
            const int samples = sizes[random() % sizes.size()]; // also larger than announced
            if (random() % 2 == 0) {
                checkBlock<float>(processor, layout.size(), samples, random);
            } else {
                checkBlock<double>(processor, layout.size(), samples, random);
            }
        }
        processor.releaseResources();
        checkBlock<float>(processor, layout.size(), 64, random); // after the end
    }
}

TEST_CASE("rates that make no sense are survived", "[unit]") {
    const test::ModelEnvironment environment;
    std::mt19937 random(6);
    for (const double rate : {0.0, -48000.0, 1e300, std::numeric_limits<double>::quiet_NaN(), 7.0}) {
        plugin::EarshotProcessor processor;
        processor.prepareToPlay(rate, 0);
        checkBlock<float>(processor, 2, 512, random);
        processor.releaseResources();
    }
}

TEST_CASE("bypassed, nothing is analysed", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    processor.setNonRealtime(true);
    processor.prepareToPlay(48000.0, 512);
    juce::AudioBuffer<float> audio(2, 48000);
    const auto play = [&] {
        audio.clear();
        test::playThrough(
            processor, audio, [] { return 512; }, [](const juce::MidiBuffer&, int) {});
    };
    test::setParameter(processor, ui::parameter::bypass, 1.0f);
    play();
    test::setParameter(processor, ui::parameter::bypass, 0.0f);
    play();
    processor.releaseResources();
    REQUIRE(processor.bounce()->status().heard == Approx(1.0));
}
