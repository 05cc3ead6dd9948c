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

// Of a recording, as messages call it: that so many of its samples count as silence.
void noteNonFinite(std::string_view recording, std::int64_t samples);

// Colour is for people: a terminal, unless NO_COLOR (https://no-color.org) or TERM=dumb say otherwise.
bool colourWanted(bool streamIsTerminal);

// One line that rewrites itself, only where standard error is a terminal.
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
    Clock::time_point next_{}; // not redrawn before
};

} // namespace earshot::cli
