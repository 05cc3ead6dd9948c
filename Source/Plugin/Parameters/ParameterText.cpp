#include "Plugin/Parameters/ParameterText.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace earshot::plugin {

namespace {

// The first number in the text; a comma counts as a point.
std::optional<double> numberIn(const juce::String& text) {
    const juce::String plain = text.replaceCharacter(',', '.');
    const int first = plain.indexOfAnyOf("0123456789");
    if (first < 0) return std::nullopt;
    int begin = first;
    if (begin > 0 && plain[begin - 1] == '.') --begin;
    if (begin > 0 && plain[begin - 1] == '-') --begin;
    const double value = plain.substring(begin).getDoubleValue();
    if (std::isnan(value)) return std::nullopt;
    return value;
}

float limited(double value, float most) {
    return static_cast<float>(juce::jlimit(0.0, static_cast<double>(most), value));
}

} // namespace

juce::String probabilityText(float value) { return juce::String(value, 2); }

float probabilityFrom(const juce::String& text, float fallback) {
    const auto number = numberIn(text);
    if (!number) return fallback;
    return limited(text.containsChar('%') ? *number / 100.0 : *number, 1.0f);
}

juce::String sensitivityText(float value) {
    const int tenths = juce::roundToInt(10.0f * value);
    return (tenths > 0 ? "+" : "") + juce::String(tenths / 10.0, 1);
}

float sensitivityFrom(const juce::String& text, float fallback, float most) {
    const auto number = numberIn(text.replace(juce::String::fromUTF8("\xe2\x88\x92"), "-")); // a true minus
    if (!number) return fallback;
    return static_cast<float>(juce::jlimit(-static_cast<double>(most), static_cast<double>(most), *number));
}

juce::String percentText(float value) { return juce::String(juce::roundToInt(100.0f * value)) + " %"; }

float percentFrom(const juce::String& text, float fallback) {
    const auto number = numberIn(text);
    if (!number) return fallback;
    return limited(text.containsChar('%') || *number > 1.0 ? *number / 100.0 : *number, 1.0f);
}

juce::String secondsText(float value) {
    juce::String number(value, 2);
    if (number.endsWithChar('0')) number = number.dropLastCharacters(1);
    return number + " s";
}

float secondsFrom(const juce::String& text, float fallback, float most) {
    const auto number = numberIn(text);
    if (!number) return fallback;
    return limited(text.containsIgnoreCase("ms") ? *number / 1000.0 : *number, most);
}

int nearestChoice(double value, const juce::Array<double>& choices) {
    if (!(value > 0.0)) return 0;
    const auto distance = [&](int i) {
        return choices[i] > 0.0 ? std::abs(std::log(value / choices[i]))
                                : std::numeric_limits<double>::infinity();
    };
    int nearest = 0;
    for (int i = 1; i < choices.size(); ++i)
        if (distance(i) < distance(nearest)) nearest = i;
    return nearest;
}

int nearestChoice(const juce::String& text, const juce::Array<double>& choices) {
    const auto number = numberIn(text);
    return number ? nearestChoice(text.containsIgnoreCase("ms") ? *number / 1000.0 : *number, choices) : 0;
}

} // namespace earshot::plugin
