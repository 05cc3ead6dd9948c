// The engine's state in a musician's words, for the top bar. Pure: any thread.
#pragma once

#include "Core/Streaming/HistoryProvider.h"

#include <string>

namespace earshot::ui {

enum class Tone { idle, fine, busy, trouble };

struct StatusText {
    Tone tone = Tone::idle;
    std::string brief;  // for a narrow bar: "Running"
    std::string text;   // "Running · 4 % CPU · 0.4 s behind the sound"
    std::string detail; // one or two sentences for the tooltip: why, and what to do
};

StatusText statusText(const streaming::Status& status);
// While the live input is silent: the same, unless the stream simply runs.
StatusText silenceText(const streaming::Status& status);

// A message about a file, without the path at its beginning, for places that name the file.
std::string withoutPath(const std::string& message, const std::string& fileName);

// "Cells take 96 MB, without the first 1 h 12 min; the spectrogram 24 MB, without the first 1 h 10 min."
std::string keptText(const streaming::Kept& kept);

// "earshot-default · 50 sounds"
std::string modelText(const streaming::Status& status);

} // namespace earshot::ui
