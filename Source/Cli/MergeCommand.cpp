#include "Cli/Analyze/BatchReport.h"
#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Options.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Merge.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

namespace {

constexpr const char* mergeExamples = "Examples:\n"
                                      "  earshot merge results\n"
                                      "                      shards made with --output-dir results\n"
                                      "  earshot merge a/shard-0-of-2 b/shard-1-of-2 --output-dir results\n";

struct MergeOptions {
    std::vector<std::string> folders;
    std::optional<std::string> outputDirectory;
    bool overwrite = false;
    bool quiet = false;
};

std::vector<std::filesystem::path> chooseShards(const MergeOptions& options) {
    std::vector<std::filesystem::path> shards;
    for (const std::string& text : options.folders) {
        // "shard-0-of-4/" has no file name.
        const std::filesystem::path folder(
            text.ends_with('/') && text.size() > 1 ? text.substr(0, text.size() - 1) : text);
        if (batch::shardOfFolder(folder)) {
            shards.push_back(folder);
            continue;
        }
        const auto below = batch::shardFoldersIn(folder);
        if (below.empty())
            throw Error(displayName(folder) +
                        ": holds no shards (shard-0-of-4 and so on); make them with 'earshot "
                        "analyze ... --output-dir " +
                        displayName(folder) + " --shard 0/4'");
        shards.insert(shards.end(), below.begin(), below.end());
    }
    return shards;
}

int merge(const MergeOptions& options) {
    const auto shards = chooseShards(options);
    if (!options.outputDirectory &&
        (options.folders.size() > 1 || batch::shardOfFolder(options.folders.front())))
        throw UsageError("--output-dir is required: the folder for the results of these shards");
    const std::filesystem::path folder = options.outputDirectory.value_or(options.folders.front());
    ProgressLine line(!options.quiet);
    const auto summary = batch::mergeShards(
        shards, folder,
        [&](std::size_t done, std::size_t total) {
            line.show("recordings", done, total);
            return !interrupted();
        },
        options.overwrite);
    line.clear();
    if (interrupted()) {
        printNote("stopped; the same command does it again");
        return interruption;
    }
    printFailures(summary.failures, folder);
    if (!options.quiet)
        printNote(fmt::format("{}, {}, from {}{}", counted(summary.recordings, "recording"),
                              audioLength(summary.seconds), counted(shards.size(), "shard"),
                              summary.failures.empty()
                                  ? std::string()
                                  : fmt::format(", {} failed: see {}", summary.failures.size(),
                                                displayName(batch::failuresFile(folder)))));
    return summary.failures.empty() ? success : failure;
}

} // namespace

Command makeMergeCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("merge", "Join the results of analyze --shard from several machines");
    const auto options = std::make_shared<MergeOptions>();
    const OptionGroup general(*command);
    command->footer(mergeExamples);
    general
        .add("DIR", options->folders, "", "The --output-dir of the shards, or the shards' folders themselves")
        ->required();
    general.add("--output-dir", options->outputDirectory, "DIR", "Where the results go (default: DIR)");
    addOverwriteOption(general, options->overwrite);
    general.flag("--quiet", options->quiet, "No progress and no summary; errors still show");
    return {command, [options]() -> int { return merge(*options); }};
}

} // namespace earshot::cli
