// What the ending of a file's name says about it, before anything is opened. Pure functions: any thread.
#pragma once

#include <filesystem>

namespace earshot::audio {

// Whether a file found in a folder counts as a recording, whatever the case of its ending.
bool hasAudioExtension(const std::filesystem::path& file);

// Whether the ending is one of audio or video that libsndfile does not read (M4A, WMA, WebM...).
bool hasForeignAudioExtension(const std::filesystem::path& file);

} // namespace earshot::audio
