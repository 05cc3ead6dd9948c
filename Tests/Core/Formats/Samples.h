// Two recordings with awkward names and sounds, for the tests of formats.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <string>
#include <vector>

namespace earshot::test {

inline std::vector<formats::RecordingEvents> sampleRecordings() {
    formats::RecordingEvents first{.file = "archive/day 1/caf\xc3\xa9, \"loud\".wav",
                                   .seconds = 3725.5,
                                   .sampleRate = 44100,
                                   .channels = 2,
                                   .complete = true,
                                   .minHz = 50.0,
                                   .maxHz = 14000.0,
                                   .events = {}};
    first.events = {{-0.5, 0.16, "Rock & <b>roll</b> --> end", 5, 0.75f, 0.5f},
                    {0.32, 1.28, "Dog", 3, 0.5f, 0.25f},
                    {61.44, 62.4004, "tab\there\r\nand \"there\"", 526, 0.999774f, 0.994558f},
                    {3723.52, 3724.16, "=SUM(1,2)", 0, 1.0f, 0.9f}};
    formats::RecordingEvents second{.file = "#2\xff.flac",
                                    .seconds = 2.0,
                                    .sampleRate = 8000,
                                    .channels = 1,
                                    .complete = false,
                                    .events = {}};
    second.events = {{0.0, 0.0, "M\xc3\xb6we caf\xe9\x07", 7, 0.3f, 0.2f},
                     {1.0, 2.0, "Gunshot, gunfire", 8, 0.25f, 0.125f}};
    first.start =
        wallTimeOf({.year = 2026, .month = 10, .day = 25, .hour = 1, .minute = 59, .second = 59}, -5 * 3600);
    first.folder = "/srv/site, 1";
    first.path = first.folder + "/day 1/caf\xc3\xa9, \"loud\".wav";
    return {first, second};
}

// One document of all of them, in the format's way.
inline std::string documentOf(const formats::EventFormat& format,
                              const std::vector<formats::RecordingEvents>& recordings) {
    const auto document = format.makeDocument({});
    std::string text = document->begin();
    for (const auto& recording : recordings) text += document->add(recording);
    return text + document->end();
}

} // namespace earshot::test
