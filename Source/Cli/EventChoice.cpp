#include "Cli/EventChoice.h"

#include "Cli/ExitCode.h"
#include "Cli/LabelLookup.h"
#include "Cli/Text.h"
#include "Core/Detection/Rules.h"

#include <algorithm>
#include <map>
#include <optional>

namespace earshot::cli {

namespace {

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

EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels) {
    if (options.threshold && options.releaseThreshold && *options.releaseThreshold > *options.threshold)
        throw UsageError(
            "--release-threshold is above --threshold; a sound ends below the level at which it begins");

    detection::RuleChoice rules;
    rules.median = options.median;
    rules.minDuration = options.minDuration;
    rules.mergeGap = options.mergeGap;
    // In place of every threshold in the model, not beside them.
    if (options.threshold)
        for (int classIndex = 0; classIndex < labels.count(); ++classIndex)
            rules.classThresholds[classIndex] = static_cast<float>(*options.threshold);
    for (const auto& [classIndex, threshold] : parseClassThresholds(options.classThresholds, labels))
        rules.classThresholds[classIndex] = threshold;

    EventChoice choice;
    choice.settings = detection::eventSettings(rules, labels);
    // A probability here, not a share of each threshold.
    if (options.releaseThreshold)
        for (auto& [classIndex, rule] : choice.settings.overrides)
            rule.off = std::min(rule.on, static_cast<float>(*options.releaseThreshold));
    for (const std::string& list : options.only) {
        const std::vector<int> classes = findLabels(labels, list);
        choice.only.insert(classes.begin(), classes.end());
    }
    return choice;
}

} // namespace earshot::cli
