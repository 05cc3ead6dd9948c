// Shared by the tests of audio files: reading to the end.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace earshot::test {

inline std::vector<float> readAll(audio::AudioFile& file, std::size_t blockSize = 1000) {
    std::vector<float> samples;
    std::vector<float> block(blockSize);
    while (const std::size_t count = file.read(block))
        samples.insert(samples.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
    return samples;
}

// Why it cannot be read to its end; empty if it can.
inline std::string messageOf(const std::filesystem::path& path) {
    try {
        audio::AudioFile file(path);
        readAll(file);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace earshot::test
