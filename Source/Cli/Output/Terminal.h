// Messages and progress on standard error, and whether a stream may be coloured. Main thread.
#pragma once

#include "Core/Base/Numbers.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace earshot::cli {

// Prints "earshot: MESSAGE" on one line, and logs it (Base/Log.h).
void printError(std::string_view message) noexcept;
void printNote(std::string_view message);

// Prints each on a line of its own.
void printWarnings(std::string_view recording, std::span<const std::string> warnings);

// Colour is for people: it needs a terminal, without NO_COLOR (https://no-color.org) or TERM=dumb.
bool colourWanted(bool streamIsTerminal);

// A line that rewrites itself. It appears only where standard error is a terminal.
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
    Clock::time_point next_{}; // the line is not redrawn before
};

// Small pieces of text for people and for files. Pure functions, independent of the locale.

// "0:03.20", "1:02:03.20"
std::string clockTime(double seconds);
// "12.3 MB"
std::string byteCount(double bytes);
// "31,123,456"
std::string groupedDigits(long long value);

// ASCII letters in lower case; other characters unchanged.
std::string lowerCase(std::string_view text);

} // namespace earshot::cli
