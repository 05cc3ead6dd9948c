#include "Core/Base/Version.h"

#include <string>

// EARSHOT_VERSION and EARSHOT_COMMIT (Resources/cmake/Version.cmake)
#include "Version.inc"

namespace earshot {

std::string_view version() { return EARSHOT_VERSION; }

std::string_view commit() { return EARSHOT_COMMIT; }

std::string_view versionAndCommit() {
    static const std::string text = commit().empty()
                                        ? std::string(version())
                                        : std::string(version()) + " (" + std::string(commit()) + ")";
    return text;
}

} // namespace earshot
