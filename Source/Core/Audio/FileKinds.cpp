#include "Core/Audio/FileKinds.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace earshot::audio {

namespace {

// Formats that libsndfile recognises by their headers.
constexpr std::array<std::string_view, 30> readable = {
    ".aif", ".aifc", ".aiff", ".amb",  ".au",  ".avr", ".bwf",  ".caf", ".flac", ".htk",
    ".iff", ".mp2",  ".mp3",  ".nist", ".oga", ".ogg", ".opus", ".paf", ".pvf",  ".rf64",
    ".sd2", ".sf",   ".snd",  ".sph",  ".svx", ".voc", ".w64",  ".wav", ".wave", ".xi"};

constexpr std::array<std::string_view, 27> foreign = {
    ".3gp",  ".aac", ".ac3", ".alac", ".amr", ".ape", ".asf",  ".avi", ".dsf",
    ".eac3", ".flv", ".m4a", ".m4b",  ".m4v", ".mka", ".mkv",  ".mov", ".mp4",
    ".mpc",  ".mpg", ".ra",  ".spx",  ".tak", ".tta", ".webm", ".wma", ".wv"};

bool hasOneOf(const std::filesystem::path& file, std::span<const std::string_view> extensions) {
    std::string extension = file.extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return std::ranges::find(extensions, extension) != extensions.end();
}

} // namespace

bool hasAudioExtension(const std::filesystem::path& file) { return hasOneOf(file, readable); }

bool hasForeignAudioExtension(const std::filesystem::path& file) { return hasOneOf(file, foreign); }

} // namespace earshot::audio
