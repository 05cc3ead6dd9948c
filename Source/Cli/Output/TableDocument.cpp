#include "Cli/Output/TableDocument.h"
#include "Cli/Commands.h"
#include "Cli/Output/Terminal.h"
#include "Core/Base/Unicode.h"
#include "Core/Formats/TextTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::cli {

namespace {

// How loud a recording is in which nothing was found, and what to do about it.
std::string levelText(const std::optional<double>& level) {
    constexpr double faint = -45.0,
                     clipped = 0.0; // dB; almost all recordings that models learn from lie between
    if (!level) return {};
    if (std::isinf(*level)) return "  All of it is digital silence.\n";
    std::string text = fmt::format("  Its loudest second is at {:.0f} dB (RMS)", *level);
    if (*level < faint || *level > clipped)
        text += "; --gain auto brings it to the level of usual recordings";
    return text + ".\n";
}

constexpr formats::TableStyle colours{"\033[1m", "\033[2m", "\033[32m", "\033[0m"};

// The lowest threshold that is suggested: below it almost anything would count.
constexpr double minAdvised = 0.05;

class TableDocument : public formats::ResultDocument {
  public:
    TableDocument(bool explain, const formats::TableStyle& style)
        : explain_(explain)
        , style_(style) {}

    std::string add(const formats::RecordingEvents& recording) override;

  private:
    std::string styled(std::string_view before, const std::string& text) const;
    std::string nearMissLines(const formats::RecordingEvents& recording, std::size_t nameWidth) const;
    std::string nothingHeard(const formats::NearestSound& nearest) const;

    bool explain_;
    formats::TableStyle style_;
    bool first_ = true; // no recording written yet
};

std::string shownLabel(const formats::TimedEvent& event) {
    return displayText(formats::labelWithChannel(event));
}

std::string TableDocument::styled(std::string_view before, const std::string& text) const {
    return fmt::format("{}{}{}", before, text, style_.plain);
}

std::string TableDocument::nearMissLines(const formats::RecordingEvents& recording,
                                         std::size_t nameWidth) const {
    std::string text = "  " + styled(style_.bold, "Near misses") + "\n";
    if (recording.nearMisses.empty()) text += "    none\n";
    for (const formats::NearMiss& miss : recording.nearMisses)
        text += fmt::format("{}  {}  {}\n", formats::timeColumns(miss.event.onset, miss.event.offset),
                            padded(shownLabel(miss.event), nameWidth), styled(style_.faint, miss.why));
    return text;
}

std::string TableDocument::nothingHeard(const formats::NearestSound& nearest) const {
    const std::string name = displayText(nearest.label);
    const auto text = fmt::format(" Nearest: {} at {}, {:.2f}", name, clockTime(nearest.time), nearest.peak);
    if (nearest.threshold <= 0.0f)
        return text + (explain_ ? ".\n" : "; --explain lists near misses, if there are any.\n");
    if (nearest.peak >= nearest.threshold)
        return text + "; shorter or briefer than the filters allow" +
               (explain_ ? ".\n" : ", --explain says why.\n");
    // The suggested threshold is a little below the peak.
    const double suggestion = std::floor(static_cast<double>(nearest.peak) * 20.0) / 20.0;
    const auto needs = text + fmt::format(" of the {:.2f} it needs", nearest.threshold);
    if (suggestion < minAdvised) return needs + ".\n";
    const auto option =
        fmt::format("--class-threshold {}", shellWord(fmt::format("{}={:.2f}", name, suggestion)));
    if (nearest.columnSuffices) return needs + "; " + option + " would show it.\n";
    return needs + "; it reaches " + option + ", but may be briefer than the filters allow.\n";
}

std::string TableDocument::add(const formats::RecordingEvents& recording) {
    auto headed = recording;
    if (headed.file == "-") headed.file = "standard input";
    std::string text = (first_ ? "" : "\n") + formats::tableHeading(headed, style_);
    first_ = false;
    const auto& events = recording.events;
    std::size_t width = formats::nameColumns(events);
    if (explain_)
        for (const formats::NearMiss& miss : recording.nearMisses)
            width = std::max(width, displayWidth(shownLabel(miss.event)));
    if (events.empty())
        text += "  Nothing detected." + (recording.nearest ? nothingHeard(*recording.nearest) : "\n") +
                levelText(recording.level);
    else
        text += formats::tableLines(events, width, style_);
    return explain_ ? text + nearMissLines(recording, width) : text;
}

} // namespace

std::unique_ptr<formats::ResultDocument> makeDocument(const formats::EventFormat* format, bool explain,
                                                      const OutputStream& output) {
    if (format != nullptr) return format->makeDocument({});
    return std::make_unique<TableDocument>(
        explain, colourWanted(output.isTerminal()) ? colours : formats::TableStyle());
}

} // namespace earshot::cli
