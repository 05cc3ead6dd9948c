#include "Plugin/Parameters/Parameters.h"

#include "Plugin/EarshotProcessor.h"
#include "Plugin/Parameters/ParameterText.h"
#include "Plugin/ProcessorRig.h"
#include "Support/Catch.h"
#include "Ui/ParameterIds.h"

#include <cmath>
#include <random>
#include <string>

using namespace earshot;

namespace {

juce::String textOf(juce::RangedAudioParameter& parameter, float normalised) {
    return parameter.getText(normalised, 100);
}

} // namespace

TEST_CASE("every parameter's text, read back, gives the same text", "[unit]") {
    plugin::EarshotProcessor processor;
    REQUIRE(processor.getParameters().size() == 14);
    for (auto* parameter : processor.getParameters()) {
        auto* ranged = dynamic_cast<juce::RangedAudioParameter*>(parameter);
        REQUIRE(ranged != nullptr);
        for (int step = 0; step <= 100; ++step) {
            const juce::String text = textOf(*ranged, static_cast<float>(step) / 100.0f);
            INFO(ranged->paramID << " " << text);
            REQUIRE(textOf(*ranged, ranged->getValueForText(text)) == text);
        }
    }
}

TEST_CASE("whatever is typed, a parameter stays in its range", "[unit]") {
    plugin::EarshotProcessor processor;
    std::mt19937 random(3);
    const std::string characters = "0123456789.,-+e%sm column()naif ";
    for (int round = 0; round < 3000; ++round) {
        std::string typed;
        for (auto length = random() % 12; length > 0; --length)
            typed += characters[random() % characters.size()];
        for (auto* parameter : processor.getParameters()) {
            const float value = parameter->getValueForText(juce::String::fromUTF8((typed + "é").c_str()));
            INFO(typed);
            REQUIRE(value >= 0.0f);
            REQUIRE(value <= 1.0f);
        }
    }
}

TEST_CASE("values are written as musicians write them, and read in several ways", "[unit]") {
    using namespace plugin;
    REQUIRE(probabilityText(0.4f) == "0.40");
    REQUIRE(percentText(0.5f) == "50 %");
    REQUIRE(secondsText(1.5f) == "1.5 s");
    REQUIRE(secondsText(0.0f) == "0.0 s");
    REQUIRE(probabilityFrom("0,4", 0.0f) == Approx(0.4));
    REQUIRE(probabilityFrom(" .4", 0.0f) == Approx(0.4));
    REQUIRE(probabilityFrom("40 %", 0.0f) == Approx(0.4));
    REQUIRE(probabilityFrom("loud", 0.7f) == Approx(0.7));
    REQUIRE(sensitivityText(0.04f) == "0.0");
    REQUIRE(sensitivityText(-0.04f) == "0.0");
    REQUIRE(sensitivityText(1.5f) == "+1.5");
    REQUIRE(sensitivityText(-2.0f) == "-2.0");
    REQUIRE(sensitivityFrom("+1,5", 0.0f, 6.0f) == Approx(1.5));
    REQUIRE(sensitivityFrom(juce::String::fromUTF8("−2"), 0.0f, 6.0f) == Approx(-2.0));
    REQUIRE(sensitivityFrom("-99", 0.0f, 6.0f) == Approx(-6.0));
    REQUIRE(sensitivityFrom("more", 0.5f, 6.0f) == Approx(0.5));
    REQUIRE(percentFrom("50", 0.0f) == Approx(0.5));
    REQUIRE(percentFrom("50%", 0.0f) == Approx(0.5));
    REQUIRE(percentFrom("0.5", 0.0f) == Approx(0.5));
    REQUIRE(percentFrom("1 %", 0.0f) == Approx(0.01));
    REQUIRE(secondsFrom("500 ms", 0.0f, 10.0f) == Approx(0.5));
    REQUIRE(secondsFrom("2", 0.0f, 10.0f) == Approx(2.0));
    REQUIRE(secondsFrom("1e99 s", 0.0f, 10.0f) == Approx(10.0));
    REQUIRE(secondsFrom("-3 s", 0.0f, 10.0f) == Approx(0.0));
    const juce::Array<double> choices = {0.0, 0.08, 0.32, 1.28};
    REQUIRE(nearestChoice("0.3", choices) == 2);
    REQUIRE(nearestChoice("80 ms", choices) == 1);
    REQUIRE(nearestChoice("0,01 s", choices) == 1);
    REQUIRE(nearestChoice("7 s", choices) == 3);
    REQUIRE(nearestChoice("0", choices) == 0);
    REQUIRE(nearestChoice("off", choices) == 0);
    REQUIRE(nearestChoice("whatever", choices) == 0);
}

TEST_CASE("a fresh instance has the command line's defaults and the modes by name", "[unit]") {
    plugin::EarshotProcessor processor;
    const plugin::PluginState state = processor.state();
    REQUIRE(state.parameters.at(ui::parameter::threshold) == Approx(0.4));
    REQUIRE(state.parameters.at(ui::parameter::release) == Approx(0.5));
    REQUIRE(state.parameters.at(ui::parameter::hold) == Approx(1.5));
    REQUIRE(state.parameters.at(ui::parameter::bypass) == 0.0f);
    REQUIRE(processor.getBypassParameter()->getName(100) == "Bypass");

    auto* mode = processor.parameters().getParameter(ui::parameter::mode);
    for (const char* name : {"Auto", "Crop", "Repeat"})
        REQUIRE(mode->getText(mode->getValueForText(name), 100) == name);
    auto* hop = processor.parameters().getParameter(ui::parameter::hopSeconds);
    REQUIRE(hop->getCurrentValueAsText() == "Auto");
    REQUIRE(processor.parameters().getParameter(ui::parameter::hopSeconds)->getText(1.0f, 100) == "10.24 s");
    auto* median = processor.parameters().getParameter(ui::parameter::medianSeconds);
    REQUIRE(median->getCurrentValueAsText() == "Off");
}

TEST_CASE("the median filter is as long with any model, and off is off", "[unit]") {
    plugin::EarshotProcessor processor;
    const auto labels = detection::Labels::read({}, "m.safetensors", 2);
    CHECK(processor.rules(labels, 0.08).median == 1);
    test::setParameter(processor, ui::parameter::medianSeconds, 4.0f); // 0.96 s
    CHECK(processor.rules(labels, 0.32).median == 3);
    CHECK(processor.rules(labels, 0.192).median == 5);
    CHECK(processor.rules(labels, 0.08).median == 13);
}

TEST_CASE("hop and median of old projects are the same seconds, restored or automated", "[unit]") {
    const struct {
        float hop, median; // choices in columns
        const char *hopText, *medianText;
    } cases[] = {{0.0f, 0.0f, "0.32 s", "Off"},
                 {1.0f, 1.0f, "0.64 s", "0.96 s"},
                 {3.0f, 2.0f, "2.56 s", "1.6 s"},
                 {5.0f, 4.0f, "10.24 s", "2.88 s"}};
    const auto textOfValue = [](plugin::EarshotProcessor& processor, const char* id) {
        return processor.parameters().getParameter(id)->getCurrentValueAsText();
    };
    for (const auto& expected : cases) {
        plugin::PluginState old;
        old.parameters = {{ui::parameter::hop, expected.hop}, {ui::parameter::median, expected.median}};
        const std::string json = toJson(old);
        plugin::EarshotProcessor restored;
        restored.setStateInformation(json.data(), static_cast<int>(json.size()));
        restored.followParameters();
        CHECK(textOfValue(restored, ui::parameter::hopSeconds) == expected.hopText);
        CHECK(textOfValue(restored, ui::parameter::medianSeconds) == expected.medianText);

        // What a project says in seconds counts.
        old.parameters[ui::parameter::hopSeconds] = 0.0f;
        const std::string both = toJson(old);
        restored.setStateInformation(both.data(), static_cast<int>(both.size()));
        restored.followParameters();
        CHECK(textOfValue(restored, ui::parameter::hopSeconds) == "Auto");

        plugin::EarshotProcessor automated;
        automated.followParameters();
        CHECK(textOfValue(automated, ui::parameter::hopSeconds) == "Auto");
        test::setParameter(automated, ui::parameter::hop, 2.0f);
        automated.followParameters();
        CHECK(textOfValue(automated, ui::parameter::hopSeconds) == "1.28 s");
        test::setParameter(automated, ui::parameter::hop, expected.hop);
        test::setParameter(automated, ui::parameter::median, expected.median);
        automated.followParameters();
        CHECK(textOfValue(automated, ui::parameter::hopSeconds) == expected.hopText);
        CHECK(textOfValue(automated, ui::parameter::medianSeconds) == expected.medianText);
        // The user's own choice stays until the host changes the old parameter again.
        test::setParameter(automated, ui::parameter::hopSeconds, 1.0f);
        automated.followParameters();
        CHECK(textOfValue(automated, ui::parameter::hopSeconds) == "0.08 s");
    }
}

namespace {

float commonThreshold(const plugin::EarshotProcessor& processor) {
    return processor.rules(detection::Labels::read({}, "m.safetensors", 2), 0.08).threshold;
}

float sensitivityOf(plugin::EarshotProcessor& processor) {
    return processor.parameters().getRawParameterValue(ui::parameter::sensitivity)->load();
}

} // namespace

TEST_CASE(
    "the threshold of an old project counts to the bit, restored or automated, and moves the sensitivity",
    "[unit]") {
    for (const float threshold : {0.0f, 1e-4f, 0.05f, 0.3141593f, 0.4f, 0.62f, 0.99f, 0.9999f, 1.0f}) {
        CAPTURE(threshold);
        plugin::PluginState old;
        old.parameters = {{ui::parameter::threshold, threshold}};
        const std::string json = toJson(old);
        plugin::EarshotProcessor restored;
        restored.setStateInformation(json.data(), static_cast<int>(json.size()));
        CHECK(commonThreshold(restored) == threshold);
        restored.followParameters();
        CHECK(commonThreshold(restored) == threshold);
        CHECK(sensitivityOf(restored) == Approx(detection::sensitivityAt(threshold)).margin(1e-5));

        const std::string again = toJson(restored.state());
        plugin::EarshotProcessor reopened;
        reopened.setStateInformation(again.data(), static_cast<int>(again.size()));
        reopened.followParameters();
        CHECK(commonThreshold(reopened) == threshold);

        plugin::EarshotProcessor automated;
        test::setParameter(automated, ui::parameter::threshold, threshold);
        CHECK(commonThreshold(automated) == threshold); // without waiting for the message thread
        automated.followParameters();
        CHECK(sensitivityOf(automated) == Approx(detection::sensitivityAt(threshold)).margin(1e-5));
        CHECK(commonThreshold(automated) == threshold);
        // The user's own sensitivity stays until the host changes the threshold again.
        test::setParameter(automated, ui::parameter::sensitivity, 1.5f);
        automated.followParameters();
        CHECK(sensitivityOf(automated) == Approx(1.5));
        CHECK(commonThreshold(automated) == Approx(detection::thresholdAt(1.5f)));
        test::setParameter(automated, ui::parameter::sensitivity, 0.0f);
        CHECK(commonThreshold(automated) == 0.4f);

        const std::string both = toJson(automated.state());
        plugin::EarshotProcessor chosen;
        chosen.setStateInformation(both.data(), static_cast<int>(both.size()));
        chosen.followParameters();
        CHECK(commonThreshold(chosen) == 0.4f); // the sensitivity decides
    }
}

TEST_CASE("what follows an automated threshold does not overtake it", "[unit]") {
    plugin::MovedThreshold moved;
    CHECK(moved.of(0.0f, 0.3f) == 0.3f);
    const auto asked = moved.follow();
    REQUIRE(asked);
    CHECK(moved.of(0.0f, 0.6f) == 0.6f);   // the host goes on before the sensitivity is set
    CHECK(moved.of(*asked, 0.6f) == 0.6f); // and then it is
    CHECK(moved.follow());
    CHECK(moved.of(2.0f, 0.6f) == detection::thresholdAt(2.0f));
    CHECK(moved.of(*asked, 0.6f) == detection::thresholdAt(*asked)); // now it is a user's choice
}
