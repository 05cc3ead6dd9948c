#include "Cli/ModelLocator.h"

#include "Core/Base/Error.h"

#include <cstdlib>
#include <vector>

#if defined(__APPLE__)
#include <cstdint>
#include <mach-o/dyld.h>
#endif

namespace earshot::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* defaultModel = "earshot-default.safetensors";

// Empty when the system does not tell.
fs::path programDirectory() {
    std::error_code failure;
#if defined(__APPLE__)
    std::uint32_t size = 0;
    _NSGetExecutablePath(nullptr, &size);
    std::string name(size, '\0');
    if (_NSGetExecutablePath(name.data(), &size) != 0) return {};
    const fs::path program = fs::canonical(name.c_str(), failure);
#else
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
#endif
    return failure ? fs::path() : program.parent_path();
}

fs::path named(const std::string& file, const std::string& origin) {
    std::error_code failure;
    if (!fs::exists(file, failure))
        throw Error(file + ": no such model file (given by " + origin + "); check the name");
    return file;
}

} // namespace

fs::path locateModel(const std::optional<std::string>& fromCommandLine) {
    if (fromCommandLine) return named(*fromCommandLine, "the command line");
    if (const char* variable = std::getenv("EARSHOT_MODEL"); variable != nullptr && *variable != '\0')
        return named(variable, "EARSHOT_MODEL");

    const fs::path directory = programDirectory();
    const std::vector<fs::path> candidates = {
        directory / "Models" / defaultModel,
        (directory / ".." / "share" / "earshot" / "Models" / defaultModel).lexically_normal()};
    std::string looked;
    for (const fs::path& candidate : candidates) {
        std::error_code failure;
        if (fs::exists(candidate, failure)) return candidate;
        looked += (looked.empty() ? "" : " and ") + candidate.string();
    }
    throw Error("no model found: looked for " + looked + "; name one with --model or EARSHOT_MODEL");
}

} // namespace earshot::cli
