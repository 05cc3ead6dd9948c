#include "Core/Detection/Events/Rules.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::detection {

namespace {

float probability(float value, float otherwise) {
    return std::isnan(value) ? otherwise : std::clamp(value, 0.0f, 1.0f);
}

double duration(double seconds) { return std::isnan(seconds) ? 0.0 : std::clamp(seconds, 0.0, maxDuration); }

double logit(double p) { return std::log(p / (1.0 - p)); }

float sigmoid(double x) { return static_cast<float>(1.0 / (1.0 + std::exp(-x))); }

// Moves the author's value by as much as the user moved the common one from its default.
float moved(float authors, float common, float usual) {
    if (common == usual) return authors;
    // 0 lets every column pass and 1 only the certain ones, whatever the author's value is.
    if (common <= 0.0f || common >= 1.0f) return common;
    if (authors <= 0.0f || authors >= 1.0f) return authors;
    const double position = logit(static_cast<double>(authors)) + logit(static_cast<double>(common)) -
                            logit(static_cast<double>(usual));
    return sigmoid(position);
}

} // namespace

float thresholdAt(float sensitivity) {
    if (std::isnan(sensitivity)) return defaultThreshold;
    const float limited = std::clamp(sensitivity, -maxSensitivity, maxSensitivity);
    return sigmoid(logit(static_cast<double>(defaultThreshold)) - static_cast<double>(limited));
}

float sensitivityAt(float threshold) {
    // The logarithms of 0 and 1 are infinite: the limits.
    const double p = static_cast<double>(probability(threshold, defaultThreshold));
    const double sensitivity = logit(static_cast<double>(defaultThreshold)) - logit(p);
    constexpr double most = static_cast<double>(maxSensitivity);
    return static_cast<float>(std::clamp(sensitivity, -most, most));
}

int medianOf(double seconds, double secondsPerColumn) {
    const double pairs = (seconds / secondsPerColumn - 1.0) / 2.0;
    constexpr int most = (maxMedian - 1) / 2;
    return 1 +
           2 * static_cast<int>(std::lround(std::isnan(pairs) ? 0.0 : std::clamp<double>(pairs, 0.0, most)));
}

EventSettings eventSettings(const RuleChoice& choice, const Labels& labels) {
    const float common = probability(choice.threshold, defaultThreshold);
    const AuthorRules& authors = labels.rules();
    const float given = probability(choice.release, defaultRelease);
    const float release = authors.release ? moved(*authors.release, given, defaultRelease) : given;
    EventSettings settings;
    settings.rule.median = std::clamp(choice.median, 1, maxMedian) | 1;
    settings.rule.minDuration = duration(choice.minDuration);
    settings.rule.mergeGap = std::max(duration(choice.mergeGap), authors.mergeGap);
    const auto ruleFor = [&](float on) {
        EventRule rule = settings.rule;
        rule.on = on;
        rule.off = on * release;
        return rule;
    };
    settings.rule = ruleFor(common);
    for (int classIndex = 0; classIndex < labels.count(); ++classIndex) {
        float on = common;
        if (const auto own = labels.threshold(classIndex)) on = moved(*own, common, defaultThreshold);
        if (const auto own = choice.classThresholds.find(classIndex); own != choice.classThresholds.end())
            on = probability(own->second, on);
        settings.overrides.emplace(classIndex, ruleFor(on));
    }
    return settings;
}

void useSebbs(EventSettings& settings, std::shared_ptr<const SebbScorer> sebbs, float minConfidence) {
    const auto change = [minConfidence](EventRule& rule) {
        rule.on = minConfidence;
        rule.off = 0.0f;
        rule.median = 1;
    };
    change(settings.rule);
    for (auto& [classIndex, rule] : settings.overrides) change(rule);
    settings.sebbs = std::move(sebbs);
}

} // namespace earshot::detection
