// When a recording began, from what its recorder wrote: into the file, else into its name. Files come from
// strangers: a bounded number of bytes is read, and what makes no sense counts as absent. Any thread.
//
// References: GUANO 1.0 (https://guano-md.org), EBU Tech 3285 (bext), iXML 3.01
// (http://www.ixml.info), RFC 9639 (FLAC).
#pragma once

#include "Core/Base/TimeZone.h"
#include "Core/Base/WallTime.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace earshot::audio {

// The first of these that the file has:
//   a chunk of GUANO metadata      WAV, RF64, BW64, and FLAC with the chunks of a WAV
//   Wildlife Acoustics' "wamd"     likewise
//   AudioMoth's comment            any kind of file, near its beginning
//   bext, iXML, a date with a time as ICRD or DATE
//   a time in its name or folder   startInName()
// Only an offset from UTC that is written there is known. A file that cannot be read has its name alone.
std::optional<WallTime> startOf(const std::filesystem::path& file);

// The first time in a file's name; else one that its folder's name consists of (as in Zoom's folders), or a
// folder's date with the file's time ("20261025/023000.wav", "2026/10/25/023000.wav").
std::optional<WallTime> startInName(const std::filesystem::path& file);

// How the starts of a run's recordings are known.
struct Starts {
    std::optional<WallTime> stated = {}; // by the user; no recording is asked then
    std::optional<TimeZone> zone = {};   // in which starts are shown, and that those without an offset are in

    std::optional<WallTime> found(const std::filesystem::path& file) const {
        return stated ? stated : startOf(file);
    }
    std::optional<WallTime> shown(const std::optional<WallTime>& start) const {
        return start && zone ? zone->on(*start) : start;
    }
};

// The parts of files that hold a start. Arbitrary bytes are allowed.
std::optional<WallTime> startInGuano(std::string_view chunk);
std::optional<WallTime> startInWamd(std::string_view chunk);
// "Recorded at 02:30:00 25/10/2026 (UTC-5) by AudioMoth ...", anywhere in the text.
std::optional<WallTime> startInComment(std::string_view text);
// sampleRate: Hz, 0 if it is not known. It turns the chunk's count of samples since midnight into
// milliseconds, if that is the time that the chunk also has as text.
std::optional<WallTime> startInBext(std::string_view chunk, double sampleRate);
std::optional<WallTime> startInIxml(std::string_view chunk);

} // namespace earshot::audio
