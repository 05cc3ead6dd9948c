// Which channels of a bus Earshot analyses.
#include "Plugin/Live/DownMix.h"

#include "Plugin/EarshotProcessor.h"
#include "Support/Catch.h"

#include <array>
#include <limits>
#include <span>

using namespace earshot;
using plugin::MixedChannels;

namespace {

// Of a bus whose channel c has the value c + 1.
float mixOf(const juce::AudioChannelSet& bus, int chosen = 0) {
    juce::AudioBuffer<float> buffer(bus.size(), 8);
    for (int channel = 0; channel < bus.size(); ++channel)
        for (int i = 0; i < 8; ++i) buffer.setSample(channel, i, static_cast<float>(channel + 1));
    std::array<float, 8> mono{};
    plugin::mixToMono(buffer, 0, mono, MixedChannels{.chosen = chosen, .leftOut = plugin::leftOutOfMix(bus)});
    for (const float sample : mono) CHECK(sample == mono.front());
    return mono.front();
}

} // namespace

TEST_CASE("The mix of a bus leaves out LFE, and of ambisonics all but W", "[unit]") {
    using Set = juce::AudioChannelSet;
    CHECK(mixOf(Set::mono()) == 1.0f);
    CHECK(mixOf(Set::stereo()) == 1.5f);
    CHECK(mixOf(Set::quadraphonic()) == 2.5f);
    CHECK(mixOf(Set::discreteChannels(9)) == 5.0f);
    for (const int order : {0, 1, 2, 3, 5}) CHECK(mixOf(Set::ambisonic(order)) == 1.0f);
    for (const auto& surround : {Set::create5point1(), Set::create7point1(), Set::create7point1point4()}) {
        const int effects = surround.getChannelIndexForType(Set::LFE);
        REQUIRE(effects >= 0);
        float sum = 0.0f;
        for (int channel = 0; channel < surround.size(); ++channel)
            if (channel != effects) sum += static_cast<float>(channel + 1);
        CHECK(mixOf(surround) == Approx(sum / static_cast<float>(surround.size() - 1)));
    }
}

TEST_CASE("A chosen channel of a bus is that one, and one that it lacks is the mix", "[unit]") {
    using Set = juce::AudioChannelSet;
    for (const int chosen : {1, 4, 6})
        CHECK(mixOf(Set::create5point1(), chosen) == static_cast<float>(chosen));
    CHECK(mixOf(Set::ambisonic(1), 3) == 3.0f);
    CHECK(mixOf(Set::stereo(), 3) == 1.5f);
}

TEST_CASE("Samples that are no numbers count as silence in the chosen channel too", "[unit]") {
    juce::AudioBuffer<double> buffer(2, 1);
    buffer.setSample(0, 0, std::numeric_limits<double>::quiet_NaN());
    buffer.setSample(1, 0, 0.5);
    std::array<float, 1> mono{};
    plugin::mixToMono(buffer, 0, mono, MixedChannels{.chosen = 1, .leftOut = 0});
    CHECK(mono[0] == 0.0f);
    plugin::mixToMono(buffer, 0, mono, MixedChannels{});
    CHECK(mono[0] == 0.25f);
}

TEST_CASE("An ambisonic bus is accepted", "[unit]") {
    plugin::EarshotProcessor processor;
    juce::AudioProcessor::BusesLayout layout;
    layout.inputBuses.add(juce::AudioChannelSet::ambisonic(3));
    layout.outputBuses.add(juce::AudioChannelSet::ambisonic(3));
    REQUIRE(processor.setBusesLayout(layout));
    CHECK(processor.getChannelLayoutOfBus(true, 0).getAmbisonicOrder() == 3);
}
