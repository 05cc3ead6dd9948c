#include "Cli/Reference/ReferenceFiles.h"

#include "Cli/Reference/Completions.h"
#include "Cli/Reference/ManPage.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fstream>

namespace earshot::cli {

void writeReference(const CommandDescription& program, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream file(folder / name, std::ios::binary);
        file << text;
        file.close();
        if (!file) throw Error(displayName(folder / name) + ": cannot be written; check the folder");
    };
    write("earshot.1", manPage(program, program));
    for (const auto& command : program.commands)
        write("earshot-" + command.name + ".1", manPage(program, command));
    write("earshot.bash", bashCompletion(program));
    write("_earshot", zshCompletion(program));
    write("earshot.fish", fishCompletion(program));
}

} // namespace earshot::cli
