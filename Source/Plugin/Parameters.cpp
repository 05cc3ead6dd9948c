#include "Plugin/Parameters.h"

#include "Plugin/ParameterText.h"
#include "Ui/ParameterIds.h"

#include <memory>

namespace earshot::plugin {

namespace {

namespace id = ui::parameter;

constexpr float longestSeconds = 10.0f;
const juce::StringArray modes = {"Auto", "Crop", "Repeat"}; // in detection::Mode's order
const juce::Array<int> medians = {1, 3, 5, 7, 9};           // columns
const juce::Array<int> hops = {1, 2, 4, 8, 16, 32};         // columns

using TextOf = juce::String (*)(float);

std::unique_ptr<juce::AudioParameterFloat> number(const char* name, const char* label, float initial,
                                                  TextOf textOf,
                                                  float (*valueOf)(const juce::String&, float)) {
    return std::make_unique<juce::AudioParameterFloat>(
        juce::ParameterID(name, 1), label, juce::NormalisableRange<float>(0.0f, 1.0f), initial,
        juce::AudioParameterFloatAttributes()
            .withStringFromValueFunction([textOf](float value, int) { return textOf(value); })
            .withValueFromStringFunction(
                [valueOf, initial](const juce::String& text) { return valueOf(text, initial); }));
}

std::unique_ptr<juce::AudioParameterFloat> seconds(const char* name, const char* label, float initial) {
    juce::NormalisableRange<float> range(0.0f, longestSeconds);
    range.setSkewForCentre(1.5f); // short times matter most
    return std::make_unique<juce::AudioParameterFloat>(
        juce::ParameterID(name, 1), label, range, initial,
        juce::AudioParameterFloatAttributes()
            .withStringFromValueFunction([](float value, int) { return secondsText(value); })
            .withValueFromStringFunction(
                [initial](const juce::String& text) { return secondsFrom(text, initial, longestSeconds); }));
}

std::unique_ptr<juce::AudioParameterChoice> columns(const char* name, const char* label,
                                                    const juce::Array<int>& choices, const char* one) {
    juce::StringArray texts;
    for (const int choice : choices) texts.add(choice == 1 && one != nullptr ? one : columnsText(choice));
    return std::make_unique<juce::AudioParameterChoice>(
        juce::ParameterID(name, 1), label, texts, 0,
        juce::AudioParameterChoiceAttributes().withValueFromStringFunction(
            [texts, choices](const juce::String& text) {
                const int exact = texts.indexOf(text.trim(), true);
                return exact >= 0 ? exact : columnsFrom(text, choices, 0);
            }));
}

std::unique_ptr<juce::AudioParameterChoice> mode() {
    return std::make_unique<juce::AudioParameterChoice>(
        juce::ParameterID(id::mode, 1), "Mode", modes, 0,
        juce::AudioParameterChoiceAttributes().withValueFromStringFunction([](const juce::String& text) {
            const juce::String typed = text.trim();
            for (int i = 0; i < modes.size(); ++i)
                if (typed.isNotEmpty() && modes[i].startsWithIgnoreCase(typed.substring(0, 3))) return i;
            return 0;
        }));
}

std::unique_ptr<juce::AudioParameterBool> toggle(const char* name, const char* label) {
    return std::make_unique<juce::AudioParameterBool>(juce::ParameterID(name, 1), label, false);
}

juce::AudioProcessorValueTreeState::ParameterLayout layout() {
    juce::AudioProcessorValueTreeState::ParameterLayout all;
    all.add(number(id::threshold, "Threshold", detection::defaultThreshold, probabilityText, probabilityFrom),
            number(id::release, "Release", detection::defaultRelease, percentText, percentFrom),
            seconds(id::minDuration, "Shortest", 0.0f), seconds(id::mergeGap, "Join gaps under", 0.0f),
            columns(id::median, "Median", medians, "Off"), mode(), columns(id::hop, "Hop", hops, nullptr),
            toggle(id::midiOut, "MIDI out"), seconds(id::hold, "Hold", 1.5f), toggle(id::bypass, "Bypass"));
    return all;
}

int chosen(const std::atomic<float>& value, int choices) noexcept {
    return juce::jlimit(0, choices - 1, juce::roundToInt(value.load(std::memory_order_relaxed)));
}

} // namespace

Parameters::Parameters(juce::AudioProcessor& processor)
    : tree(processor, nullptr, "parameters", layout())
    , bypass_(tree.getParameter(id::bypass))
    , threshold_(*tree.getRawParameterValue(id::threshold))
    , release_(*tree.getRawParameterValue(id::release))
    , minDuration_(*tree.getRawParameterValue(id::minDuration))
    , mergeGap_(*tree.getRawParameterValue(id::mergeGap))
    , median_(*tree.getRawParameterValue(id::median))
    , mode_(*tree.getRawParameterValue(id::mode))
    , hop_(*tree.getRawParameterValue(id::hop))
    , midiOut_(*tree.getRawParameterValue(id::midiOut))
    , hold_(*tree.getRawParameterValue(id::hold))
    , bypassed_(*tree.getRawParameterValue(id::bypass)) {}

void Parameters::setClassThresholds(const std::map<std::string, float>& thresholds) {
    const std::scoped_lock lock(mutex_);
    classThresholds_ = thresholds;
}

detection::RuleChoice Parameters::rules(const detection::Labels& labels, double secondsPerColumn) const {
    detection::RuleChoice choice;
    choice.threshold = threshold_.load(std::memory_order_relaxed);
    choice.release = release_.load(std::memory_order_relaxed);
    if (const int median = medians.getUnchecked(chosen(median_, medians.size())); median > 1)
        choice.median = detection::medianOf(median * secondsPerChoice, secondsPerColumn);
    choice.minDuration = static_cast<double>(minDuration_.load(std::memory_order_relaxed));
    choice.mergeGap = static_cast<double>(mergeGap_.load(std::memory_order_relaxed));
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, threshold] : classThresholds_)
        if (const auto classIndex = labels.find(name)) choice.classThresholds[*classIndex] = threshold;
    return choice;
}

streaming::SessionSettings Parameters::sessionSettings() const noexcept {
    streaming::SessionSettings settings;
    settings.mode = static_cast<detection::Mode>(chosen(mode_, modes.size()));
    settings.hopSeconds = hops.getUnchecked(chosen(hop_, hops.size())) * secondsPerChoice;
    return settings;
}

} // namespace earshot::plugin
