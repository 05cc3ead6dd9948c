#include "Cli/Train/SceneOptions.h"

#include "Cli/OptionChecks.h"

namespace earshot::cli {

void SceneOptions::applyTo(training::SceneSettings& settings) const {
    settings.maxEvents = maxEvents;
    settings.lowestSnr = static_cast<float>(lowestSnr);
    settings.levelSpread = static_cast<float>(levelSpread);
}

void declareSceneOptions(CLI::App& command, SceneOptions& options, const std::string& group) {
    command.add_option("--max-events", options.maxEvents, "Sounds in 10 s of a scene, at most (default: 4)")
        ->check(wholeNumberBetween(1, 16, "a whole number"))
        ->type_name("N")
        ->group(group);
    command
        .add_option("--lowest-snr", options.lowestSnr,
                    "Of a scene's loudest sound over the background, at least (default: -3)")
        ->check(numberBetween(-30.0, 35.0, "a number of dB"))
        ->type_name("DB")
        ->group(group);
    command
        .add_option("--level-spread", options.levelSpread,
                    "Other sounds of a scene are so much softer, at most (default: 12)")
        ->check(numberBetween(0.0, 60.0, "a number of dB"))
        ->type_name("DB")
        ->group(group);
}

} // namespace earshot::cli
