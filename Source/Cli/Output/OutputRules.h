// What holds for every command's files: none replaces what the command reads, and none that holds something
// is replaced without --overwrite. Asked before anything is loaded or heard. Main thread.
#pragma once

#include "Core/Base/OutputCheck.h"
#include "Core/Batch/Inputs.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace earshot::cli {

// The file of --output, unless it is one that the shell has opened (/dev/stdout).
void addOutput(OutputCheck& files, const std::optional<std::string>& output);
// The model and the list of labels beside it.
void addModel(OutputCheck& files, const std::filesystem::path& model);
void addRecording(OutputCheck& files, const std::filesystem::path& recording); // or "-"
void addRecordings(OutputCheck& files, std::span<const batch::Input> recordings);

// Throws UsageError for an output that is an input, and earshot::Error, with all names, for those that hold
// something unless `overwrite`.
void requireSafe(const OutputCheck& files, bool overwrite);

} // namespace earshot::cli
