// Messages and progress on standard error, and whether a stream may be coloured. Main thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::cli {

// "earshot: MESSAGE" on one line.
void printError(std::string_view message) noexcept;
void printNote(std::string_view message);

// The warning that some samples of a recording count as silence.
void noteNonFinite(std::string_view recording, std::int64_t samples);

// Whether to use colour: on a terminal, unless NO_COLOR (https://no-color.org) or TERM=dumb forbid it.
bool colourWanted(bool streamIsTerminal);

// One line that rewrites itself, if standard error is a terminal.
class ProgressLine {
  public:
    explicit ProgressLine(bool wanted);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::string_view file, double secondsDone, std::optional<double> secondsTotal);
    // "scenes  12 of 60"
    void show(std::string_view what, std::size_t done, std::size_t total);
    void show(const std::string& text);
    void clear();

  private:
    bool due();
    void draw(const std::string& text);

    using Clock = std::chrono::steady_clock;
    bool enabled_;
    bool visible_ = false;
    Clock::time_point next_{}; // no redraw before this time
};

// Small pieces of text for people and for files. Pure functions, independent of the locale.

// "0:03.20", "1:02:03.20"
std::string clockTime(double seconds);
// "12.3 MB"
std::string byteCount(double bytes);
// "1 recording", "2 recordings"
std::string counted(std::size_t count, const char* one, const char* many);
// "31,123,456"
std::string groupedDigits(long long value);

// Reads a finite decimal number and nothing else.
std::optional<double> parseNumber(std::string_view text);

// One line in which every character is visible (visibleText() in Core/Base/Unicode.h); invalid bytes become
// U+FFFD.
std::string displayText(std::string_view text);
// Padded with spaces to at least `width` columns of a terminal.
std::string padded(std::string_view utf8, std::size_t width);

// ASCII letters in lower case; other characters unchanged.
std::string lowerCase(std::string_view text);

} // namespace earshot::cli
