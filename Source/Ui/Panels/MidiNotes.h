// MIDI notes as people write them: "C1" is 36, General MIDI's kick, as in the note map. Pure: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace earshot::ui {

std::string noteText(int note); // 0 to 127: "C1"
// "C1", "c#1", "Db1" or "37"; nothing when it is none of MIDI's notes.
std::optional<int> parseNote(std::string_view text);
// "1" to "16"
std::optional<int> parseChannel(std::string_view text);

} // namespace earshot::ui
