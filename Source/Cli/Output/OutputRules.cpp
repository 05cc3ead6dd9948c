#include "Cli/Output/OutputRules.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/OutputStream.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Detection/Events/Labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::cli {

namespace {

constexpr std::size_t namesShown = 3;

std::string shortList(const std::vector<std::filesystem::path>& files) {
    std::string text;
    for (std::size_t i = 0; i < std::min(namesShown, files.size()); ++i)
        text += (i == 0 ? "" : ", ") + displayName(files[i]);
    if (files.size() > namesShown) text += fmt::format(" and {} more", files.size() - namesShown);
    return text;
}

} // namespace

void addOutput(OutputCheck& files, const std::optional<std::string>& output) {
    if (output && !descriptorNamed(*output)) files.writes(*output);
}

void addModel(OutputCheck& files, const std::filesystem::path& model) {
    files.reads(model, "the model");
    if (const auto labels = detection::labelFileBeside(model)) files.reads(*labels, "the model's labels");
}

void addRecording(OutputCheck& files, const std::filesystem::path& recording) {
    if (recording == "-")
        files.readsStandardInput("a recording");
    else
        files.reads(recording, "a recording");
}

void addRecordings(OutputCheck& files, std::span<const batch::Input> recordings) {
    for (const batch::Input& recording : recordings) addRecording(files, recording.path);
}

void requireSafe(const OutputCheck& files, bool overwrite) {
    if (const auto clash = files.clash())
        throw UsageError(fmt::format("{}: would overwrite {}{}; name another file",
                                     displayName(clash->output), clash->what,
                                     clash->input == clash->output ? "" : " " + displayName(clash->input)));
    if (overwrite || files.occupied().empty()) return;
    throw Error(fmt::format("{}: {} there already; name another place, or say --overwrite",
                            shortList(files.occupied()), files.occupied().size() == 1 ? "is" : "are"));
}

} // namespace earshot::cli
