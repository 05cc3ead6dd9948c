#include "Cli/ModelOption.h"

#include "Core/Base/Error.h"
#include "Core/Model/ModelLocator.h"

namespace earshot::cli {

std::filesystem::path locateModel(const std::optional<std::string>& fromCommandLine) {
    if (!fromCommandLine) return model::defaultModel("name one with --model or EARSHOT_MODEL");
    std::error_code failure;
    if (!std::filesystem::exists(*fromCommandLine, failure))
        throw Error(*fromCommandLine + ": no such model file (given by the command line); check the name");
    return *fromCommandLine;
}

} // namespace earshot::cli
