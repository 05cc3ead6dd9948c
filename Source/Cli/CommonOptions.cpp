#include "Cli/CommonOptions.h"

#include "Cli/OptionChecks.h"
#include "Cli/Output/Terminal.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace earshot::cli {

namespace {

constexpr int defaultThreads = 4; // at most; more gain little on one pass
constexpr int mostThreads = 256;

} // namespace

CLI::Option* addModelOption(CLI::App& command, std::optional<std::string>& model) {
    return command.add_option("--model", model, "Model file (else $EARSHOT_MODEL, else the default model)")
        ->type_name("M");
}

CLI::Option* addThreadsOption(CLI::App& command, int& threads) {
    threads = std::min(defaultThreads, tensor::availableCores());
    return command
        .add_option("--threads", threads, "Threads of the network (default: the available cores, at most 4)")
        ->check(wholeNumberBetween(1, mostThreads, "a whole number"))
        ->type_name("N");
}

CLI::Option* addPrecisionOption(CLI::App& command, model::Precision& precision) {
    std::map<std::string, model::Precision> choices;
    std::string names;
    for (const auto choice : model::allPrecisions) {
        choices.emplace(model::optionName(choice), choice);
        names += (names.empty() ? "" : "|") + std::string(model::optionName(choice));
    }
    return command
        .add_option(
            "--precision", precision,
            fmt::format("Numbers the network computes with (default: {}); auto is what this CPU is quick at",
                        model::optionName(precision)))
        ->transform(CLI::CheckedTransformer(choices).description(""))
        ->type_name(names);
}

CLI::Option* addExplainOption(CLI::App& command, bool& explain) {
    return command.add_flag("--explain", explain,
                            "Also list near misses, and why each is no event (table only)");
}

CLI::Option* addOutputOption(CLI::App& command, std::optional<std::string>& output) {
    return command
        .add_option("--output", output,
                    "Write the results to this file, which appears once it is whole; Ctrl-C keeps what was\n"
                    "found, but not in place of a file that is there")
        ->type_name("FILE");
}

CLI::Option* addOverwriteOption(CLI::App& command, bool& overwrite) {
    return command.add_flag("--overwrite", overwrite, "Replace files that are there");
}

std::shared_ptr<const model::Weights> loadModel(const std::filesystem::path& file, model::Precision precision,
                                                bool quiet) {
    const auto choice = model::choosePrecision(precision);
    if (choice.refused && !quiet)
        printNote(fmt::format("--precision {}: {}; using {}", model::optionName(precision), choice.reason,
                              model::plainName(choice.precision)));
    return detection::loadWeights(file, precision);
}

} // namespace earshot::cli
