#include "Cli/Events/KeptFiles.h"

#include "Cli/ExitCode.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Batch/Folders.h"
#include "Core/Detection/Kept/Activations.h"

#include <set>
#include <system_error>

namespace earshot::cli {

namespace fs = std::filesystem;

namespace {

const std::string keptSuffix = detection::suffix(detection::ActivationKind::safetensors);

std::string recordingName(const fs::path& file) {
    std::string name = file.generic_string();
    if (name.ends_with(keptSuffix)) name.resize(name.size() - keptSuffix.size());
    return name;
}

std::vector<KeptFile> keptBelow(const fs::path& folder) {
    std::vector<KeptFile> found;
    batch::walk(
        folder,
        [&](const fs::path& file) {
            if (file.filename().string().ends_with(keptSuffix))
                found.push_back({file, recordingName(file.lexically_relative(folder)), {}});
        },
        [&](const fs::path& unreadable, const std::string& why) {
            found.push_back({unreadable, {}, displayName(unreadable) + ": " + why});
        });
    if (found.empty())
        throw Error(displayName(folder) + ": no kept activations in this folder (*" + keptSuffix +
                    "); 'earshot analyze --keep-activations' makes them");
    return found;
}

} // namespace

std::vector<KeptFile> findKeptFiles(const std::vector<std::string>& arguments) {
    std::vector<KeptFile> files;
    for (const std::string& argument : arguments) {
        std::error_code notThere;
        if (!fs::is_directory(argument, notThere)) {
            files.push_back({argument, recordingName(fs::path(argument).filename()), {}});
            continue;
        }
        auto below = keptBelow(argument);
        std::ranges::move(below, std::back_inserter(files));
    }
    return files;
}

void requireOwnNames(const std::vector<KeptFile>& files) {
    std::set<std::string> names;
    for (const KeptFile& file : files)
        if (!file.problem && !names.insert(file.name).second)
            throw UsageError("--output-dir: two recordings would both be " + printable(file.name) +
                             "; name the folder above them, or do one at a time");
}

} // namespace earshot::cli
