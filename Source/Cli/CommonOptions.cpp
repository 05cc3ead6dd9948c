#include "Cli/CommonOptions.h"

#include "Cli/OptionChecks.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>

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

} // namespace earshot::cli
