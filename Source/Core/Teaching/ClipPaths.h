// Where the clips of a collection lie (Collection.h), and which paths are free for new ones. Looks at the
// disk and changes nothing there. Any thread. Never throws for what the disk answers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace earshot::teaching {

// Whether anything has this path: a file, a folder or a link, even one that leads nowhere. Not so for a path
// that cannot be looked at; whoever writes there is told why.
bool isThere(const std::filesystem::path& file);

// One name for each file, by whatever path it is reached.
std::filesystem::path identityOf(const std::filesystem::path& file);

// The path within the folder; empty if the file lies outside of it. Both are identities.
std::filesystem::path within(const std::filesystem::path& folder, const std::filesystem::path& file);

// A path in the folder that nothing has: STEM-1.flac, STEM-2.flac and so on. extension: with its dot.
std::filesystem::path freePath(const std::filesystem::path& folder, const std::string& stem,
                               const std::string& extension);

// The name as the beginning of a file's name on any system: letters, digits, and hyphens for all between
// them. 60 bytes at most, of whole characters. No dot is left, and a date should follow, so that Windows sees
// none of its devices in it (CON, NUL.txt).
std::string fileStem(std::string_view name);

// A free path in the folder for a clip of this name: creaky-door-2026-11-26-093012-1.flac, with the time of
// now in UTC.
std::filesystem::path newClip(const std::filesystem::path& folder, std::string_view name);

} // namespace earshot::teaching
