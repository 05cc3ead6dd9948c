#include "Library/Arguments.h"

#include "Library/Failure.h"

#include "Core/Audio/ReadOptions.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Events/Sebbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace earshot::library {

namespace {

// Structs grow at their ends. One of an older header lacks what came since: that is as in `usual`.
template <typename Struct>
Struct sized(const Struct* given, Struct usual, const char* name) {
    if (given == nullptr) return usual;
    constexpr std::size_t tooLarge = 4096; // bytes; no header will define such a struct
    if (given->size < sizeof(std::size_t) || given->size > tooLarge)
        throw Failure(EARSHOT_INVALID_ARGUMENT,
                      fmt::format("{}: its size is {}; begin with the EARSHOT_..._INIT macro of its type",
                                  name, given->size));
    std::memcpy(&usual, given, std::min(given->size, sizeof usual));
    return usual;
}

void requireRange(double value, double least, double most, const char* name) {
    if (!(value >= least && value <= most))
        throw Failure(EARSHOT_INVALID_ARGUMENT,
                      fmt::format("{}: expected {} to {}, found {}", name, least, most, value));
}

std::optional<float> probability(double value, const char* name) {
    if (std::isnan(value)) return std::nullopt;
    requireRange(value, 0.0, 1.0, name);
    return static_cast<float>(value);
}

earshot_rules checkedRules(const earshot_rules* given) {
    const auto rules = sized(given, earshot_rules EARSHOT_RULES_INIT, "rules");
    requireRange(rules.min_duration, 0.0, detection::maxDuration, "min_duration");
    requireRange(rules.merge_gap, 0.0, detection::maxDuration, "merge_gap");
    if (rules.median < 1 || rules.median > detection::maxMedian || rules.median % 2 == 0)
        throw Failure(EARSHOT_INVALID_ARGUMENT,
                      fmt::format("median: expected an odd number from 1 to {}, found {}",
                                  detection::maxMedian, rules.median));
    return rules;
}

// The rules by thresholds.
detection::EventSettings thresholdRules(const earshot_rules& rules, const detection::Labels& labels) {
    detection::RuleChoice choice;
    choice.median = rules.median;
    choice.minDuration = rules.min_duration;
    choice.mergeGap = rules.merge_gap;
    const auto threshold = probability(rules.threshold, "threshold");
    const auto release = probability(rules.release, "release");
    require(!threshold || !release || *release <= *threshold,
            "release: is above the threshold; a sound ends below the level at which it begins");
    for (int i = 0; i < labels.count(); ++i) {
        const auto own = rules.class_thresholds != nullptr
                             ? probability(static_cast<double>(rules.class_thresholds[i]), "class_thresholds")
                             : std::nullopt;
        if (own || threshold) choice.classThresholds[i] = own ? *own : *threshold;
    }
    auto settings = detection::eventSettings(choice, labels);
    if (release)
        for (auto& [index, rule] : settings.overrides) rule.off = std::min(rule.on, *release);
    return settings;
}

detection::EventSettings confidenceRules(const earshot_rules& rules, const detection::Labels& labels,
                                         detection::EventSettings settings) {
    require(std::isnan(rules.threshold) && std::isnan(rules.release) && rules.class_thresholds == nullptr &&
                rules.median == 1,
            "by_confidence: takes the place of thresholds and of the median filter; leave them out");
    if (!labels.sebbs())
        throw Failure(EARSHOT_UNSUPPORTED,
                      "by_confidence: this model gives no confidences; use thresholds, or another model");
    detection::useSebbs(
        settings, labels.sebbs(),
        probability(rules.confidence, "confidence").value_or(labels.sebbs()->minConfidence()));
    return settings;
}

detection::Mode modeOf(std::int32_t mode) {
    switch (mode) {
    case EARSHOT_MODE_AUTO:
        return detection::Mode::automatic;
    case EARSHOT_MODE_CROP:
        return detection::Mode::crop;
    case EARSHOT_MODE_REPEAT:
        return detection::Mode::repeat;
    default:
        throw Failure(EARSHOT_INVALID_ARGUMENT,
                      fmt::format("mode: {} is no earshot_mode; use 0, 1 or 2", mode));
    }
}

int hopOf(double seconds, detection::Mode mode, const detection::ListeningModel& model) {
    const auto tokens =
        detection::hopTokens(model, mode, seconds == 0.0 ? std::nullopt : std::optional(seconds));
    if (tokens) return *tokens;
    throw Failure(
        EARSHOT_INVALID_ARGUMENT,
        fmt::format("hop: expected {:.2f} to {:.2f} seconds in this mode, or 0 for the usual, found {}",
                    model.secondsPerToken(), detection::maxHop(model.shape, mode) * model.secondsPerToken(),
                    seconds));
}

} // namespace

void Choice::report(double done) const {
    if (progress != nullptr && progress(user, done) != 0) throw Stopped();
}

Choice chosen(const earshot_analysis* given, const detection::ListeningModel& model) {
    if (model.labels.count() == 0)
        throw Failure(EARSHOT_UNSUPPORTED,
                      "this model has no classes of its own; name some by earshot_model_with_texts()");
    const auto analysis = sized(given, earshot_analysis EARSHOT_ANALYSIS_INIT, "analysis");
    const auto rules = checkedRules(analysis.rules);
    Choice choice;
    choice.mode = modeOf(analysis.mode);
    choice.hop = hopOf(analysis.hop, choice.mode, model);
    require(analysis.channel >= EARSHOT_CHANNEL_EACH && analysis.channel <= audio::ReadOptions::maxChannel,
            "channel: expected EARSHOT_CHANNEL_MIX, EARSHOT_CHANNEL_EACH, or a number up to 1024");
    choice.channel = analysis.channel;
    choice.rules = choice.liveRules = thresholdRules(rules, model.labels);
    if (rules.by_confidence != 0) choice.rules = confidenceRules(rules, model.labels, choice.rules);
    if (rules.reported != nullptr)
        for (int i = 0; i < model.labels.count(); ++i) choice.reported.push_back(rules.reported[i] != 0);
    choice.keepsActivations = analysis.keep_activations != 0;
    require(!choice.keepsActivations || choice.channel != EARSHOT_CHANNEL_EACH,
            "keep_activations: those of one channel or the mix can be kept, not of each channel");
    choice.live = analysis.live != 0;
    choice.progress = analysis.progress;
    choice.user = analysis.user;
    return choice;
}

earshot_model_options modelOptions(const earshot_model_options* given) {
    const auto options = sized(given, earshot_model_options EARSHOT_MODEL_OPTIONS_INIT, "options");
    constexpr int maxThreads = 1024;
    requireRange(options.threads, 0, maxThreads, "threads");
    requireRange(options.precision, EARSHOT_PRECISION_AUTO, EARSHOT_PRECISION_INT8, "precision");
    return options;
}

void requireRate(double rate) {
    constexpr double least = 1000.0, most = 1e6; // Hz, as of files
    requireRange(rate, least, most, "rate");
}

void requireChannels(std::int32_t channels) {
    requireRange(channels, 1, audio::ReadOptions::maxChannel, "channels");
}

Samples checkedSamples(const float* interleaved, const float* const* planes, std::size_t frames,
                       std::int32_t channels) {
    requireChannels(channels);
    const auto count = static_cast<std::size_t>(channels);
    constexpr std::size_t maxSamples = std::size_t{1} << 40; // 4 TB
    if (frames > maxSamples / count)
        throw Failure(EARSHOT_INVALID_ARGUMENT,
                      fmt::format("frames: {} of {} channels are more than memory can hold", frames, count));
    if (frames > 0 && planes == nullptr) requireSet(interleaved, "interleaved");
    if (frames > 0 && planes != nullptr)
        for (std::size_t i = 0; i < count; ++i) requireSet(planes[i], "planes");
    return {.interleaved = interleaved, .planes = planes, .frames = frames, .channels = count};
}

Samples checkedSamples(const earshot_audio* given) {
    requireSet(given, "audio");
    const auto audio = sized(given, earshot_audio EARSHOT_AUDIO_INIT, "audio");
    requireRate(audio.rate);
    require(audio.frames > 0, "frames: expected at least 1, found 0");
    require(audio.interleaved == nullptr || audio.planes == nullptr,
            "audio: has interleaved samples and planes; set one of them to null");
    return checkedSamples(audio.interleaved, audio.planes, audio.frames, audio.channels);
}

} // namespace earshot::library
