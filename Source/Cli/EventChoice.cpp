#include "Cli/EventChoice.h"

#include "Cli/ExitCode.h"
#include "Cli/LabelLookup.h"
#include "Cli/Text.h"

#include <algorithm>
#include <map>
#include <optional>

namespace earshot::cli {

namespace {

constexpr float defaultRelease = 0.5f; // of the threshold

// "Dog=0.3"; the label itself may hold an equals sign.
std::map<int, float> parseClassThresholds(const std::vector<std::string>& texts,
                                          const detection::Labels& labels) {
    std::map<int, float> thresholds;
    for (const std::string& text : texts) {
        const auto equals = text.rfind('=');
        const auto value = equals == std::string::npos ? std::nullopt : parseNumber(text.substr(equals + 1));
        if (!value || *value < 0.0 || *value > 1.0)
            throw UsageError("--class-threshold: '" + text +
                             "' is not LABEL=P with P from 0 to 1, as in Dog=0.3");
        thresholds[findLabel(labels, text.substr(0, equals))] = static_cast<float>(*value);
    }
    return thresholds;
}

} // namespace

EventChoice chooseEvents(const AnalyzeOptions& options, const detection::Labels& labels) {
    if (options.threshold && options.releaseThreshold && *options.releaseThreshold > *options.threshold)
        throw UsageError(
            "--release-threshold is above --threshold; a sound ends below the level at which it begins");

    const std::map<int, float> classThresholds = parseClassThresholds(options.classThresholds, labels);
    EventChoice choice;
    for (int classIndex = 0; classIndex < labels.count(); ++classIndex) {
        detection::EventRule rule;
        rule.on = labels.threshold(classIndex).value_or(rule.on);
        if (options.threshold) rule.on = static_cast<float>(*options.threshold);
        if (const auto own = classThresholds.find(classIndex); own != classThresholds.end())
            rule.on = own->second;
        rule.off = options.releaseThreshold ? std::min(rule.on, static_cast<float>(*options.releaseThreshold))
                                            : rule.on * defaultRelease;
        rule.median = options.median;
        rule.minDuration = options.minDuration;
        rule.mergeGap = options.mergeGap;
        choice.settings.overrides[classIndex] = rule;
    }
    for (const std::string& list : options.only) {
        const std::vector<int> classes = findLabels(labels, list);
        choice.only.insert(classes.begin(), classes.end());
    }
    return choice;
}

} // namespace earshot::cli
