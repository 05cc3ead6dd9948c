#include "Cli/DecidingOptions.h"

#include "Cli/OptionChecks.h"
#include "Core/Detection/Events/Rules.h"

namespace earshot::cli {

void declareDecidingOptions(CLI::App& command, DecidingOptions& options) {
    const auto probability = numberBetween(0.0, 1.0, "a probability");
    const std::string deciding = decidingGroup;
    command
        .add_option("--threshold", options.threshold,
                    "Probability from which a sound counts, 0 to 1\n"
                    "(default: the model's own for each sound, else 0.4)")
        ->check(probability)
        ->type_name("P")
        ->group(deciding);
    command
        .add_option("--release-threshold", options.releaseThreshold,
                    "Probability below which it ends (default: half the threshold)")
        ->check(probability)
        ->type_name("P")
        ->group(deciding);
    command
        .add_option("--class-threshold", options.classThresholds,
                    "Threshold of one sound, as in Dog=0.3; may be given several times")
        ->allow_extra_args(false)
        ->type_name("LABEL=P")
        ->group(deciding);
    command.add_option("--only", options.only, "Report these sounds only")
        ->allow_extra_args(false)
        ->type_name("LABEL,...")
        ->group(deciding);
    declareShapingOptions(command, options, deciding);
    declareConfidenceOption(command, options.confidence, deciding);
}

void declareShapingOptions(CLI::App& command, ShapingOptions& options, const std::string& group) {
    const auto seconds = numberBetween(0.0, detection::longestDuration, "a number of seconds");
    command.add_option("--min-duration", options.minDuration, "Drop events shorter than this (default: 0)")
        ->check(seconds)
        ->type_name("SECONDS")
        ->group(group);
    command.add_option("--merge-gap", options.mergeGap, "Join events closer than this (default: 0)")
        ->check(seconds)
        ->type_name("SECONDS")
        ->group(group);
    command
        .add_option("--median", options.median,
                    "Median filter over so many 0.32 s columns, odd (default: 1, none)")
        ->check(oddNumberUpTo(detection::longestMedian))
        ->type_name("N")
        ->group(group);
}

void declareConfidenceOption(CLI::App& command, ConfidenceOption& confidence, const std::string& group) {
    command
        .add_option("--confidence", confidence,
                    "Not by thresholds, but the events that the model is surest of, each with\n"
                    "the times it is surest of, down to this confidence (auto: the model's own)")
        ->check(wordOrProbability({"auto"}))
        ->type_name("auto|P")
        ->group(group);
}

} // namespace earshot::cli
