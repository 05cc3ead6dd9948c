#include "Cli/EventChoice.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Suggestions.h"
#include "Core/Detection/Events/Presets.h"
#include "Core/Detection/Events/Rules.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace earshot::cli {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Returns the three most similar names: first those that contain the text, then those with the fewest typos.
std::string suggestions(const detection::Labels& labels, std::string_view name) {
    constexpr std::size_t count = 3;
    constexpr std::size_t longest = 64; // bytes compared; the work grows with the square
    const std::string wanted = lowerCase(trimmed(name)).substr(0, longest);
    std::vector<std::size_t> distance(labels.names().size());
    for (std::size_t i = 0; i < labels.names().size(); ++i) {
        const std::string label = lowerCase(labels.names()[i]).substr(0, longest);
        const bool holds = !wanted.empty() && label.find(wanted) != std::string::npos;
        distance[i] = holds ? 0 : editDistance(wanted, label);
    }
    std::vector<std::size_t> order(labels.names().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
    std::string text;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        text += (i == 0 ? "'" : ", '") + labels.names()[order[i]] + "'";
    return text;
}

[[noreturn]] void unknown(const detection::Labels& labels, std::string_view name) {
    throw UsageError("the model knows no sound '" + std::string(trimmed(name)) +
                     "'; nearest: " + suggestions(labels, name) + " ('earshot info' lists all)");
}

// Returns the class of that name, whatever its case. Throws UsageError with the nearest names.
int findLabel(const detection::Labels& labels, std::string_view name) {
    const auto found = labels.find(trimmed(name));
    if (!found) unknown(labels, name);
    return *found;
}

// Returns the classes of a comma-separated list. A name may hold commas itself ("Gunshot, explosion"): the
// longest run of parts that is a name counts.
std::vector<int> findLabels(const detection::Labels& labels, std::string_view list) {
    std::vector<int> classes;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        std::size_t end = list.size();
        std::optional<int> found;
        while (!(found = labels.find(trimmed(list.substr(begin, end - begin))))) {
            const std::size_t comma = end > begin ? list.rfind(',', end - 1) : std::string_view::npos;
            if (comma == std::string_view::npos || comma < begin)
                unknown(labels, list.substr(begin, end - begin));
            end = comma;
        }
        classes.push_back(*found);
        begin = end + 1;
    }
    return classes;
}

// Parses "Dog=0.3"; the label itself may hold an equals sign.
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

std::string wordOf(const detection::Preset& preset) {
    auto word = lowerCase(preset.name);
    std::ranges::replace(word, ' ', '-');
    return word;
}

// Null: no preset was given.
const detection::Preset* presetOf(const DecidingOptions& options) {
    const auto presets = detection::presets();
    const auto found = std::ranges::find_if(
        presets, [&](const detection::Preset& preset) { return options.preset == wordOf(preset); });
    return found == presets.end() ? nullptr : &*found;
}

// The classes that the preset shows; none: all.
std::set<int> presetClasses(const detection::Preset& preset, const detection::Labels& labels) {
    std::set<int> classes;
    if (preset.groups.empty()) return classes;
    for (int i = 0; i < labels.count(); ++i)
        if (preset.shows(labels.name(i))) classes.insert(i);
    if (classes.empty())
        throw UsageError("--preset " + wordOf(preset) +
                         ": the model has no sounds of this preset; leave it out, or use another model");
    return classes;
}

} // namespace

std::vector<std::string> presetWords() {
    std::vector<std::string> words;
    for (const auto& preset : detection::presets()) words.push_back(wordOf(preset));
    return words;
}

namespace {

// Sets what the preset has and other options leave open.
void applyPreset(DecidingOptions& options) {
    const auto* preset = presetOf(options);
    if (preset == nullptr) return;
    const bool byThreshold = options.threshold || options.confidence;
    if (!options.sensitivity && !byThreshold) options.sensitivity = static_cast<double>(preset->sensitivity);
    if (!options.minDuration) options.minDuration = preset->minDuration;
    if (!options.mergeGap) options.mergeGap = preset->mergeGap;
}

} // namespace

void addDecidingOptions(CLI::App& command, DecidingOptions& options) {
    const auto probability = numberBetween(0.0, 1.0, "a probability");
    const OptionGroup deciding(command, "Deciding what is an event");
    deciding.add("--threshold", options.threshold, "P",
                 "Probability from which a sound counts, 0 to 1\n"
                 "(default: the model's own for each sound, else 0.4)",
                 probability);
    constexpr double most = static_cast<double>(detection::maxSensitivity);
    deciding.add(
        "--sensitivity", options.sensitivity, "N",
        "Lower the thresholds of all sounds together, in logits:\nabove 0 finds more events, below 0 "
        "fewer (default: 0)",
        numberBetween(-most, most, "a number"));
    deciding.add(
        "--release-threshold", options.releaseThreshold, "P",
        "Probability below which it ends\n(default: the model's own share of the threshold, else half)",
        probability);
    deciding
        .add("--class-threshold", options.classThresholds, "LABEL=P",
             "Threshold of one sound, as in Dog=0.3; may be given several times")
        ->allow_extra_args(false);
    deciding.add("--only", options.only, "LABEL,...", "Report these sounds only")->allow_extra_args(false);
    deciding.add("--preset", options.preset, "NAME",
                 "Sensitivity, --min-duration, --merge-gap and sounds of a preset of the app; other options\n"
                 "replace its values",
                 oneOf(presetWords()));
    addShapingOptions(deciding, options);
    addConfidenceOption(deciding, options.confidence);
    command.parse_complete_callback([&options] { applyPreset(options); });
}

void addShapingOptions(const OptionGroup& group, ShapingOptions& options) {
    const auto seconds = numberBetween(0.0, detection::maxDuration, "a number of seconds");
    group.add("--min-duration", options.minDuration, "SECONDS", "Drop events shorter than this (default: 0)",
              seconds);
    group.add(
        "--merge-gap", options.mergeGap, "SECONDS",
        "Join events closer than this (default: 0; at least what the\nmodel asks for, see 'earshot info')",
        seconds);
    group.add("--median", options.median, "N",
              "Median filter over this many steps of the model (0.08 s in the default model), odd (default: "
              "1, none)",
              oddNumberUpTo(detection::maxMedian));
}

void addConfidenceOption(const OptionGroup& group, ConfidenceOption& confidence) {
    group.add("--confidence", confidence, "auto|P",
              "Choose events by the model's confidence instead of thresholds, each with its most likely "
              "onset and offset; P is the minimum confidence (auto: the model's recommended minimum)",
              wordOrProbability({"auto"}));
}

EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels) {
    if (options.confidence && (options.threshold || options.sensitivity || options.releaseThreshold ||
                               !options.classThresholds.empty() || options.median != 1))
        throw UsageError("--confidence takes the place of thresholds and of --median; leave them out");
    if (options.threshold && options.sensitivity)
        throw UsageError(
            "--sensitivity moves the model's thresholds and --threshold replaces them; leave one out");
    if (options.threshold && options.releaseThreshold && *options.releaseThreshold > *options.threshold)
        throw UsageError(
            "--release-threshold is above --threshold; a sound ends below the level at which it begins");

    detection::RuleChoice rules;
    rules.median = options.median;
    rules.minDuration = options.minDuration.value_or(0.0);
    rules.mergeGap = options.mergeGap.value_or(0.0);
    if (options.sensitivity)
        rules.threshold = detection::thresholdAt(static_cast<float>(*options.sensitivity));
    // --threshold replaces every threshold of the model.
    if (options.threshold)
        for (int classIndex = 0; classIndex < labels.count(); ++classIndex)
            rules.classThresholds[classIndex] = static_cast<float>(*options.threshold);
    for (const auto& [classIndex, threshold] : parseClassThresholds(options.classThresholds, labels))
        rules.classThresholds[classIndex] = threshold;

    EventChoice choice;
    choice.settings = detection::eventSettings(rules, labels);
    // The option is a probability, not a share of each threshold.
    if (options.releaseThreshold)
        for (auto& [classIndex, rule] : choice.settings.overrides)
            rule.off = std::min(rule.on, static_cast<float>(*options.releaseThreshold));
    if (const auto* preset = presetOf(options); preset != nullptr && options.only.empty())
        choice.only = presetClasses(*preset, labels);
    for (const std::string& list : options.only) {
        const std::vector<int> classes = findLabels(labels, list);
        choice.only.insert(classes.begin(), classes.end());
    }
    return choice;
}

float minConfidence(const std::string& confidence, const detection::SebbScorer& sebbs) {
    const auto given = parseNumber(confidence);
    return given ? static_cast<float>(*given) : sebbs.minConfidence();
}

void requireSebbs(const detection::SebbScorer* sebbs) {
    if (sebbs == nullptr)
        throw UsageError(
            "--confidence: this model gives no confidences, as models of 'earshot train' do; use "
            "thresholds");
}

void chooseByConfidence(const DecidingOptions& options, const detection::Labels& labels,
                        detection::EventSettings& settings) {
    requireSebbs(labels.sebbs().get());
    detection::useSebbs(settings, labels.sebbs(), minConfidence(*options.confidence, *labels.sebbs()));
}

} // namespace earshot::cli
