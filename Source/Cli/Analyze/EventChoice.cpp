#include "Cli/Analyze/EventChoice.h"

#include "Cli/ExitCode.h"
#include "Cli/LabelLookup.h"
#include "Cli/Output/Text.h"
#include "Core/Detection/Events/Rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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
    if (options.confidence && (options.threshold || options.releaseThreshold ||
                               !options.classThresholds.empty() || options.median != 1))
        throw UsageError("--confidence takes the place of thresholds and of --median; leave them out");
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

float leastConfidence(const std::string& confidence, const detection::BoxScorer& boxes) {
    const auto given = parseNumber(confidence);
    return given ? static_cast<float>(*given) : boxes.leastConfidence();
}

std::shared_ptr<const detection::BoxScorer> boxesOf(const model::Weights& weights) {
    return detection::BoxScorer::read(weights.metadata(), weights.file(), weights.config().classes);
}

void requireBoxes(const detection::BoxScorer* boxes) {
    if (boxes == nullptr)
        throw UsageError(
            "--confidence: the model has not learnt how sure its events are, as those of 'earshot "
            "train' have; use thresholds");
}

void chooseByConfidence(const DecidingOptions& options, std::shared_ptr<const detection::BoxScorer> boxes,
                        const detection::Labels& labels, detection::EventSettings& settings) {
    requireBoxes(boxes.get());
    const float least = leastConfidence(*options.confidence, *boxes);
    for (int classIndex = 0; classIndex < labels.count(); ++classIndex) {
        detection::EventRule rule = settings.ruleFor(classIndex);
        rule.on = least;
        rule.off = 0.0f;
        settings.overrides.insert_or_assign(classIndex, rule);
    }
    settings.boxes = std::move(boxes);
}

} // namespace earshot::cli
