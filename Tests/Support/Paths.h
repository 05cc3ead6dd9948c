// The paths of the repository's own files.
#pragma once

#include <filesystem>

namespace earshot::test {

inline std::filesystem::path sourceDirectory() { return EARSHOT_SOURCE_DIR; }
inline std::filesystem::path goldenDirectory() { return sourceDirectory() / "Tests" / "Golden"; }

} // namespace earshot::test
