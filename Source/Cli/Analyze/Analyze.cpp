#include "Cli/Analyze/AnalyzeOptions.h"
#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Batch.h"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace earshot::cli {

namespace {

std::vector<std::string> listedFiles(const AnalyzeOptions& options) {
    if (!options.list) return {};
    if (*options.list == "-") {
        if (std::ranges::count(options.files, "-") != 0)
            throw UsageError("standard input holds either a recording or --list, not both");
        return batch::readList(std::cin, "standard input");
    }
    constexpr std::uint64_t largest = 1u << 28; // bytes; enough for two million paths
    std::istringstream lines(readWholeFile(*options.list, largest, "list of recordings", Pipes::read));
    return batch::readList(lines, printable(*options.list));
}

void checkUsage(const AnalyzeOptions& options) {
    if (options.files.empty() && !options.list)
        throw UsageError(
            "FILE is required: name a recording, a folder, or --list; see 'earshot analyze --help'");
    if (options.reading.channel == audio::ReadOptions::eachChannel &&
        (options.plot || !options.keepActivations.empty()))
        throw UsageError(
            "--channel each makes no pictures and keeps no activations; name one channel for them");
    if (options.continuous && (options.plot || !options.keepActivations.empty()))
        throw UsageError("--continuous joins files, and --plot and --keep-activations are for single ones");
    if (options.continuous && options.reading.channel == audio::ReadOptions::eachChannel)
        throw UsageError("--continuous listens to one channel; name it with --channel N, or leave it out");
    if (options.continuous && options.top)
        throw UsageError("--continuous joins files, and --top is about single ones; leave one of them out");
    if (options.continuous && options.shard)
        throw UsageError(
            "--continuous and --shard: a recorder's files would be on several machines; give each "
            "machine the folders of its recorders");
    if (options.outputDirectory) return;
    if (!options.joined.empty()) throw UsageError("--joined needs --output-dir, where its files go");
    if (!options.keepActivations.empty())
        throw UsageError("--keep-activations needs --output-dir, where its files go");
    if (options.base) throw UsageError("--base needs --output-dir; without, no file has a recording's name");
    if (options.jobs) throw UsageError("--jobs needs --output-dir; without, one recording follows the other");
    if (options.shard)
        throw UsageError("--shard needs --output-dir, where its results wait for 'earshot merge'");
    if (options.forgetMissing)
        throw UsageError("--forget-missing needs --output-dir; without, nothing is kept anyway");
    if (options.restart) throw UsageError("--restart needs --output-dir; without, nothing is kept anyway");
}

batch::Bases basesFor(const AnalyzeOptions& options) {
    batch::Bases bases;
    bases.wanted = options.base;
    if (!options.base && options.outputDirectory)
        bases.earlier = batch::basesOfResults(*options.outputDirectory, options.shard);
    return bases;
}

} // namespace

Command makeAnalyzeCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("analyze", "Detect sound events in recordings");
    const auto options = std::make_shared<AnalyzeOptions>();
    addAnalyzeOptions(*command, *options);
    return {command, [options]() -> int {
                checkUsage(*options);
                std::vector<std::string> listed;
                try {
                    listed = listedFiles(*options);
                } catch (const Error&) {
                    // Ctrl-C while the program waits for a pipe is no failure.
                    if (interrupted()) return interruption;
                    throw;
                }
                auto inputs = batch::findInputs(options->files, listed, basesFor(*options));
                if (inputs.recordings.empty())
                    throw Error(printable(*options->list) + ": lists no recordings; write one path a line");
                if (options->starts.stated && !options->continuous && inputs.recordings.size() > 1)
                    throw UsageError("--start states when one recording began, and there are " +
                                     std::to_string(inputs.recordings.size()) +
                                     "; name one, or leave it out where names hold times");
                return options->outputDirectory ? analyzeToFolder(*options, std::move(inputs))
                                                : analyzeToStream(*options, inputs);
            }};
}

} // namespace earshot::cli
