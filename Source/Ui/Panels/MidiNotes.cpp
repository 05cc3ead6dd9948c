#include "Ui/Panels/MidiNotes.h"

#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace earshot::ui {

namespace {

constexpr std::array<const char*, 12> names{"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
constexpr int lowestOctave = -2; // of note 0, so that 60 is C3

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// The whole text as a number from lowest to highest.
std::optional<int> number(std::string_view text, int lowest, int highest) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stop != end || value < lowest || value > highest) return std::nullopt;
    return value;
}

} // namespace

std::string noteText(int note) {
    return fmt::format("{}{}", names[static_cast<std::size_t>(note % 12)], note / 12 + lowestOctave);
}

std::optional<int> parseNote(std::string_view text) {
    text = trimmed(text);
    if (const auto plain = number(text, 0, 127)) return plain;
    if (text.empty()) return std::nullopt;
    constexpr std::string_view letters = "c d ef g a b"; // by semitone
    const auto semitone = letters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(text[0]))));
    if (semitone == std::string_view::npos || text[0] == ' ') return std::nullopt;
    text.remove_prefix(1);
    int shift = 0;
    if (!text.empty() && (text[0] == '#' || text[0] == 'b')) {
        shift = text[0] == '#' ? 1 : -1;
        text.remove_prefix(1);
    }
    const auto octave = number(text, lowestOctave, 8);
    if (!octave) return std::nullopt;
    const int note = (*octave - lowestOctave) * 12 + static_cast<int>(semitone) + shift;
    if (note < 0 || note > 127) return std::nullopt;
    return note;
}

std::optional<int> parseChannel(std::string_view text) { return number(trimmed(text), 1, 16); }

} // namespace earshot::ui
