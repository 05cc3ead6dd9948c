// The paths of the repository's own files. One source knows them, so that a compiler cache has all others for
// every checkout.
#pragma once

#include <filesystem>

namespace earshot::test {

std::filesystem::path sourceDirectory();
inline std::filesystem::path goldenDirectory() { return sourceDirectory() / "Tests" / "Golden"; }
inline std::filesystem::path demoFile() { return sourceDirectory() / "Resources" / "demo.flac"; }
inline std::filesystem::path defaultModelFile() {
    return sourceDirectory() / "Models" / "earshot-default.safetensors";
}

} // namespace earshot::test
