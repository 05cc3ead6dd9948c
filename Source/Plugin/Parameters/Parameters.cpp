#include "Plugin/Parameters/Parameters.h"

#include "Core/Audio/ReadOptions.h"
#include "Plugin/Parameters/ParameterText.h"
#include "Ui/ParameterIds.h"

#include <array>
#include <cmath>
#include <memory>
#include <utility>

namespace earshot::plugin {

namespace {

namespace id = ui::parameter;

constexpr float maxSeconds = 10.0f;
const juce::StringArray modes = {"Auto", "Crop", "Repeat"}; // in detection::Mode's order
// Seconds; 0 is the automatic hop, and no filter.
const juce::Array<double> hops = {0.0, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24};
const juce::Array<double> medians = {0.0, 0.24, 0.4, 0.56, 0.96, 1.6, 2.24, 2.88};

// The same in older versions: columns of 0.32 s; a filter of one column is none.
const juce::Array<int> columnHops = {1, 2, 4, 8, 16, 32};
const juce::Array<int> columnMedians = {1, 3, 5, 7, 9};

constexpr int maxChannelChoice = 16;
constexpr int eachChannelChoice = maxChannelChoice + 1; // behind the others, whose numbers projects hold

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
    juce::NormalisableRange<float> range(0.0f, maxSeconds);
    range.setSkewForCentre(1.5f); // short times matter most
    return std::make_unique<juce::AudioParameterFloat>(
        juce::ParameterID(name, 1), label, range, initial,
        juce::AudioParameterFloatAttributes()
            .withStringFromValueFunction([](float value, int) { return secondsText(value); })
            .withValueFromStringFunction(
                [initial](const juce::String& text) { return secondsFrom(text, initial, maxSeconds); }));
}

std::unique_ptr<juce::AudioParameterFloat> sensitivity() {
    constexpr float most = detection::maxSensitivity;
    return std::make_unique<juce::AudioParameterFloat>(
        juce::ParameterID(id::sensitivity, 1), "Sensitivity", juce::NormalisableRange<float>(-most, most),
        0.0f,
        juce::AudioParameterFloatAttributes()
            .withStringFromValueFunction([](float value, int) { return sensitivityText(value); })
            .withValueFromStringFunction(
                [](const juce::String& text) { return sensitivityFrom(text, 0.0f, most); }));
}

// none: the text of the first choice.
std::unique_ptr<juce::AudioParameterChoice>
secondsChoice(const char* name, const char* label, const juce::Array<double>& choices, const char* none) {
    juce::StringArray texts;
    for (const double choice : choices)
        texts.add(choice == 0.0 ? juce::String(none) : secondsText(static_cast<float>(choice)));
    return std::make_unique<juce::AudioParameterChoice>(
        juce::ParameterID(name, 1), label, texts, 0,
        juce::AudioParameterChoiceAttributes().withValueFromStringFunction(
            [choices](const juce::String& text) { return nearestChoice(text, choices); }));
}

std::unique_ptr<juce::AudioParameterChoice> columns(const char* name, const char* label,
                                                    const juce::Array<int>& choices) {
    juce::StringArray texts;
    for (const int choice : choices) texts.add(juce::String(choice));
    return std::make_unique<juce::AudioParameterChoice>(
        juce::ParameterID(name, 1), label, texts, 0,
        juce::AudioParameterChoiceAttributes().withValueFromStringFunction(
            [choices](const juce::String& text) {
                juce::Array<double> numbers;
                for (const int choice : choices) numbers.add(choice);
                return nearestChoice(text, numbers);
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

std::unique_ptr<juce::AudioParameterChoice> channel() {
    juce::StringArray texts = {"Mix"};
    for (int i = 1; i <= maxChannelChoice; ++i) texts.add(juce::String(i));
    texts.add("Each");
    return std::make_unique<juce::AudioParameterChoice>(
        juce::ParameterID(id::channel, 1), "Channel", texts, 0,
        juce::AudioParameterChoiceAttributes().withValueFromStringFunction([](const juce::String& text) {
            if (text.trim().startsWithIgnoreCase("e")) return eachChannelChoice;
            return juce::jlimit(0, maxChannelChoice, text.trim().getIntValue());
        }));
}

std::unique_ptr<juce::AudioParameterBool> toggle(const char* name, const char* label) {
    return std::make_unique<juce::AudioParameterBool>(juce::ParameterID(name, 1), label, false);
}

juce::AudioProcessorValueTreeState::ParameterLayout layout() {
    juce::AudioProcessorValueTreeState::ParameterLayout all;
    all.add(number(id::threshold, "Threshold (old)", detection::defaultThreshold, probabilityText,
                   probabilityFrom),
            number(id::release, "Release", detection::defaultRelease, percentText, percentFrom),
            seconds(id::minDuration, "Shortest", 0.0f), seconds(id::mergeGap, "Join gaps under", 0.0f),
            columns(id::median, "Median (columns)", columnMedians), mode(),
            columns(id::hop, "Hop (columns)", columnHops), toggle(id::midiOut, "MIDI out"),
            seconds(id::hold, "Hold", 1.5f), toggle(id::bypass, "Bypass"),
            secondsChoice(id::hopSeconds, "Hop", hops, "Auto"),
            secondsChoice(id::medianSeconds, "Median", medians, "Off"), channel(), sensitivity());
    return all;
}

int chosen(const std::atomic<float>& value, int choices) noexcept {
    return juce::jlimit(0, choices - 1, juce::roundToInt(value.load(std::memory_order_relaxed)));
}

// A parameter in columns, and the one in seconds that takes its place.
struct Successor {
    const char* inColumns;
    const char* inSeconds;
    juce::Array<int> choices; // in seconds, for each choice in columns

    int of(float index) const {
        return choices[juce::jlimit(0, choices.size() - 1, juce::roundToInt(index))];
    }
};

const std::array<Successor, 2>& successors() {
    static const std::array<Successor, 2> all = {
        {{id::hop, id::hopSeconds, {3, 4, 5, 6, 7, 8}}, {id::median, id::medianSeconds, {0, 4, 5, 6, 7}}}};
    return all;
}

} // namespace

Parameters::Parameters(juce::AudioProcessor& processor)
    : tree(processor, nullptr, "parameters", layout())
    , bypass_(tree.getParameter(id::bypass))
    , sensitivity_(*tree.getRawParameterValue(id::sensitivity))
    , threshold_(*tree.getRawParameterValue(id::threshold))
    , release_(*tree.getRawParameterValue(id::release))
    , minDuration_(*tree.getRawParameterValue(id::minDuration))
    , mergeGap_(*tree.getRawParameterValue(id::mergeGap))
    , median_(*tree.getRawParameterValue(id::medianSeconds))
    , mode_(*tree.getRawParameterValue(id::mode))
    , hop_(*tree.getRawParameterValue(id::hopSeconds))
    , midiOut_(*tree.getRawParameterValue(id::midiOut))
    , hold_(*tree.getRawParameterValue(id::hold))
    , bypassed_(*tree.getRawParameterValue(id::bypass))
    , channel_(*tree.getRawParameterValue(id::channel)) {}

float MovedThreshold::of(float sensitivity, float old) {
    const bool moved = sensitivity != std::exchange(sensitivity_, sensitivity);
    if (old != std::exchange(old_, old)) {
        threshold_ = old;
    } else if (moved && !isNear(sensitivity, followed_)) {
        followed_.reset();
        if (!isNear(sensitivity, detection::sensitivityAt(threshold_)))
            threshold_ = detection::thresholdAt(sensitivity);
    }
    return threshold_;
}

void MovedThreshold::restore(float sensitivity, float old) {
    const bool same = isNear(sensitivity, detection::sensitivityAt(old));
    *this = {};
    sensitivity_ = sensitivity;
    old_ = old;
    threshold_ = same ? old : detection::thresholdAt(sensitivity);
}

std::optional<float> MovedThreshold::follow() {
    const float sensitivity = detection::sensitivityAt(threshold_);
    if (isNear(sensitivity, sensitivity_)) return std::nullopt;
    followed_ = sensitivity;
    return sensitivity;
}

bool MovedThreshold::isNear(float sensitivity, std::optional<float> other) {
    constexpr float rounding = 1e-4f; // of a value that went through a host
    return other && std::abs(sensitivity - *other) <= rounding;
}

float Parameters::threshold() const {
    return moved_.of(sensitivity_.load(std::memory_order_relaxed),
                     threshold_.load(std::memory_order_relaxed));
}

void Parameters::setClassThresholds(const std::map<std::string, float>& thresholds) {
    const std::scoped_lock lock(mutex_);
    classThresholds_ = thresholds;
}

detection::RuleChoice ChosenRules::of(const detection::Labels& labels, double secondsPerColumn) const {
    detection::RuleChoice choice = common;
    if (median > 0.0) choice.median = detection::medianOf(median, secondsPerColumn);
    for (const auto& [name, threshold] : classThresholds)
        if (const auto classIndex = labels.find(name)) choice.classThresholds[*classIndex] = threshold;
    return choice;
}

ChosenRules Parameters::chosenRules() const {
    ChosenRules rules;
    rules.common.release = release_.load(std::memory_order_relaxed);
    rules.common.minDuration = static_cast<double>(minDuration_.load(std::memory_order_relaxed));
    rules.common.mergeGap = static_cast<double>(mergeGap_.load(std::memory_order_relaxed));
    rules.median = medians.getUnchecked(chosen(median_, medians.size()));
    const std::scoped_lock lock(mutex_);
    rules.common.threshold = threshold();
    rules.classThresholds = classThresholds_;
    return rules;
}

detection::RuleChoice Parameters::rules(const detection::Labels& labels, double secondsPerColumn) const {
    return chosenRules().of(labels, secondsPerColumn);
}

streaming::SessionSettings Parameters::sessionSettings() const noexcept {
    streaming::SessionSettings settings;
    settings.mode = static_cast<detection::Mode>(chosen(mode_, modes.size()));
    settings.hopSeconds = hops.getUnchecked(chosen(hop_, hops.size()));
    return settings;
}

int Parameters::channel() const noexcept {
    const int choice = chosen(channel_, eachChannelChoice + 1);
    return choice == eachChannelChoice ? audio::ReadOptions::eachChannel : choice;
}

double Parameters::endDelay() const noexcept {
    return sessionSettings().hopSeconds + static_cast<double>(mergeGap_.load(std::memory_order_relaxed)) +
           0.5 * medians.getUnchecked(chosen(median_, medians.size())) + holdSeconds();
}

void Parameters::restore(std::map<std::string, float> values) {
    for (const Successor& successor : successors())
        if (const auto columns = values.find(successor.inColumns); columns != values.end())
            values.try_emplace(successor.inSeconds, static_cast<float>(successor.of(columns->second)));
    if (const auto old = values.find(id::threshold); old != values.end())
        values.try_emplace(id::sensitivity, detection::sensitivityAt(old->second));
    const std::scoped_lock lock(columnsMutex_);
    const juce::ScopedValueSetter<bool> restoring(restoring_, true, false);
    for (juce::AudioProcessorParameter* parameter : tree.processor.getParameters()) {
        auto* ranged = dynamic_cast<juce::RangedAudioParameter*>(parameter);
        if (ranged == nullptr) continue;
        const auto found = values.find(ranged->paramID.toStdString());
        const float value =
            found == values.end() ? ranged->getDefaultValue() : ranged->convertTo0to1(found->second);
        if (value != ranged->getValue()) ranged->setValueNotifyingHost(value);
    }
    noteColumns();
    const std::scoped_lock rulesLock(mutex_);
    moved_.restore(sensitivity_.load(std::memory_order_relaxed), threshold_.load(std::memory_order_relaxed));
}

void Parameters::noteColumns() {
    for (std::size_t i = 0; i < columns_.size(); ++i)
        columns_[i] = tree.getRawParameterValue(successors()[i].inColumns)->load(std::memory_order_relaxed);
}

void Parameters::followColumns() {
    const std::unique_lock lock(columnsMutex_, std::try_to_lock);
    if (!lock || restoring_) return;
    followThreshold();
    const auto before = columns_;
    noteColumns();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i] == before[i]) continue;
        auto* parameter = tree.getParameter(successors()[i].inSeconds);
        parameter->setValueNotifyingHost(
            parameter->convertTo0to1(static_cast<float>(successors()[i].of(columns_[i]))));
    }
}

void Parameters::followThreshold() {
    const auto sensitivity = [this] {
        const std::scoped_lock lock(mutex_);
        threshold();
        return moved_.follow();
    }();
    if (!sensitivity) return;
    auto* parameter = tree.getParameter(id::sensitivity);
    parameter->setValueNotifyingHost(parameter->convertTo0to1(*sensitivity));
}

} // namespace earshot::plugin
