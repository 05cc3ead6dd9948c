// Data outside the repository (reference material beside a developer's checkout). Tests that use it skip
// with a message when it is absent.
#pragma once

#include <filesystem>

namespace earshot::test {

inline std::filesystem::path sourceDirectory() { return EARSHOT_SOURCE_DIR; }
inline std::filesystem::path goldenDirectory() { return sourceDirectory() / "Tests" / "Golden"; }
inline std::filesystem::path sharedDirectory() { return EARSHOT_SHARED_DIR; }

} // namespace earshot::test

// Leaves the test with a message when the path does not exist.
#define EARSHOT_SKIP_WITHOUT(path)                                                                           \
    if (!std::filesystem::exists(path)) {                                                                    \
        WARN("skipped: " << (path).string() << " is not there");                                             \
        return;                                                                                              \
    }
