// The one source that knows the build folder, so that a compiler cache has the others for every checkout.
#include "Cli/Paths.h"

namespace earshot::test {

const std::string& programPath() {
    static const std::string path = EARSHOT_PROGRAM;
    return path;
}

const std::string& killLibraryPath() {
    static const std::string path = EARSHOT_KILL_LIBRARY;
    return path;
}

const std::string& delayLibraryPath() {
    static const std::string path = EARSHOT_DELAY_LIBRARY;
    return path;
}

const std::string& noLocksLibraryPath() {
    static const std::string path = EARSHOT_NO_LOCKS_LIBRARY;
    return path;
}

} // namespace earshot::test
