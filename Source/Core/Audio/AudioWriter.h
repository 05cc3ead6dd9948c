// Writes audio as FLAC, mono and in 16 bit, to files that appear whole. AudioFile reads them back exact to
// 1/32768. Pure functions except for writing: any thread.
#pragma once

#include "Core/Base/WholeFile.h"

#include <filesystem>
#include <span>

namespace earshot::audio {

// Throws earshot::Error when FLAC has no such sample rate (Hz) or there are no samples, and WriteError when
// the file cannot be written. Then nothing is left behind.
void writeFlac(const std::filesystem::path& file, std::span<const float> mono, int sampleRate);
// The same into a file that is not committed yet.
void writeFlac(WholeFile& file, std::span<const float> mono, int sampleRate);

} // namespace earshot::audio
