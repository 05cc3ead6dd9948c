#include "Cli/Output/Terminal.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Log.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace earshot::cli {

namespace {

// The `stderr` at the program's start. LibraryNotes.h replaces `stderr` later.
std::FILE* const messages = stderr;

} // namespace

void printError(std::string_view message) noexcept {
    try {
        printNote(message);
    } catch (...) {
        // There is no memory for a line: report at least that something failed.
        std::fputs("earshot: not enough memory to report a failure\n", messages);
    }
}

void printNote(std::string_view message) {
    const std::string line = "earshot: " + displayText(message) + "\n";
    std::fwrite(line.data(), 1, line.size(), messages);
    logMessage(message);
}

void printWarnings(std::string_view recording, std::span<const std::string> warnings) {
    for (const std::string& warning : warnings) printNote(fmt::format("{}: warning: {}", recording, warning));
}

bool colourWanted(bool streamIsTerminal) {
    const char* noColour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool refused = noColour != nullptr && *noColour != '\0';
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return streamIsTerminal && !refused && !dumb;
}

ProgressLine::ProgressLine(bool wanted)
    : enabled_(wanted && platform::isTerminal(messages)) {}

bool ProgressLine::due() {
    const auto now = Clock::now();
    if (!enabled_ || now < next_) return false;
    next_ = now + std::chrono::milliseconds(100);
    return true;
}

void ProgressLine::draw(const std::string& text) {
    const std::string line = "\r\033[K" + text;
    std::fwrite(line.data(), 1, line.size(), messages);
    std::fflush(messages);
    visible_ = true;
}

void ProgressLine::show(std::string_view file, double secondsDone, std::optional<double> secondsTotal) {
    if (!due()) return;
    // The name alone keeps the line short; a line that wraps could not be rewritten.
    const std::string name = displayText(std::filesystem::path(file).filename().string());
    std::string text = name + "  " + clockTime(secondsDone);
    if (secondsTotal)
        text += fmt::format(" of {}  {:.0f} %", clockTime(*secondsTotal),
                            100.0 * std::min(1.0, secondsDone / *secondsTotal));
    draw(text);
}

void ProgressLine::show(std::string_view what, std::size_t done, std::size_t total) {
    if (due()) draw(fmt::format("{}  {} of {}", what, done, total));
}

void ProgressLine::show(const std::string& text) {
    if (due()) draw(text);
}

void ProgressLine::clear() {
    if (!visible_) return;
    std::fputs("\r\033[K", messages);
    std::fflush(messages);
    visible_ = false;
}

std::string clockTime(double seconds) { return clockReading(std::max(0.0, seconds), {.decimals = 2}); }

std::string byteCount(double bytes) {
    constexpr std::array<const char*, 4> units = {"B", "kB", "MB", "GB"};
    std::size_t unit = 0;
    while (bytes >= 1000.0 && unit + 1 < units.size()) {
        bytes /= 1000.0;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string groupedDigits(long long value) {
    std::string digits = std::to_string(value);
    const std::size_t first = digits.front() == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace earshot::cli
