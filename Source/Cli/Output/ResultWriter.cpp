#include "Cli/Output/ResultWriter.h"
#include "Cli/Output/Terminal.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::cli {

namespace {

constexpr const char* bold = "\033[1m";
constexpr const char* faint = "\033[2m";
constexpr const char* green = "\033[32m";
constexpr const char* plain = "\033[0m";

constexpr std::size_t barWidth = 10; // columns for probability 1

std::string bar(float probability) {
    const auto filled = static_cast<std::size_t>(std::clamp(
        std::lround(static_cast<double>(probability) * barWidth), 0L, static_cast<long>(barWidth)));
    std::string text;
    for (std::size_t i = 0; i < barWidth; ++i)
        text += i < filled ? "\u2588" : "\u2591"; // full block, light shade
    return text;
}

std::string channelText(int channels) {
    if (channels == 1) return "mono";
    if (channels == 2) return "stereo";
    return fmt::format("{} channels", channels);
}

// Onset, offset and length, right-aligned in columns that fit ten hours.
std::string timeColumns(const detection::Event& event) {
    return fmt::format("{:>11} {:>11} {:>9.2f} s", clockTime(event.onset), clockTime(event.offset),
                       event.offset - event.onset);
}

std::size_t widestLabel(const std::vector<std::string>& labels, const FileResult& result, bool nearMisses) {
    std::size_t width = 5; // "sound"
    const auto consider = [&](const detection::Event& event) {
        width =
            std::max(width, displayWidth(displayText(labels[static_cast<std::size_t>(event.classIndex)])));
    };
    for (const detection::Event& event : result.found.events) consider(event);
    if (nearMisses)
        for (const detection::NearMiss& miss : result.found.nearMisses) consider(miss.event);
    return width;
}

// For people: a heading for each file, then the times, the sound, and the confidence or peak of each event.
class TableWriter : public ResultWriter {
  public:
    TableWriter(OutputStream& output, const std::vector<std::string>& labels, bool explain);

    void write(const FileResult& result) override;

  private:
    const std::string& label(const detection::Event& event) const;
    std::string styled(const char* style, const std::string& text) const;
    std::string heading(const FileResult& result) const;
    std::string eventLines(const FileResult& result) const;
    std::string nearMissLines(const FileResult& result) const;
    std::string nothingHeard(const FileResult& result) const;

    OutputStream& output_;
    const std::vector<std::string>& labels_;
    bool explain_;
    bool colour_;
    bool first_ = true; // no file written yet
};

TableWriter::TableWriter(OutputStream& output, const std::vector<std::string>& labels, bool explain)
    : output_(output)
    , labels_(labels)
    , explain_(explain)
    , colour_(colourWanted(output.isTerminal())) {}

const std::string& TableWriter::label(const detection::Event& event) const {
    return labels_[static_cast<std::size_t>(event.classIndex)];
}

std::string TableWriter::styled(const char* style, const std::string& text) const {
    return colour_ ? style + text + plain : text;
}

std::string TableWriter::heading(const FileResult& result) const {
    const formats::RecordingEvents& recording = result.recording;
    const std::string name = recording.file == "-" ? "standard input" : displayText(recording.file);
    std::string facts =
        fmt::format("  {}, {} Hz, {}, {}", clockTime(recording.seconds), recording.sampleRate,
                    channelText(recording.channels), counted(result.found.events.size(), "sound", "sounds"));
    if (!recording.complete) facts += ", incomplete";
    return styled(bold, name) + styled(faint, facts) + "\n";
}

std::string TableWriter::eventLines(const FileResult& result) const {
    const std::size_t width = widestLabel(labels_, result, explain_);
    const auto& events = result.found.events;
    const bool boxes = !events.empty() && events.front().confidence > 0.0f;
    std::string text = styled(faint, fmt::format("{:>11} {:>11} {:>11}  {}  {}", "from", "to", "length",
                                                 padded("sound", width), boxes ? "confidence" : "peak")) +
                       "\n";
    for (const detection::Event& event : events) {
        const float value = boxes ? event.confidence : event.peak;
        text += fmt::format("{}  {}  {:.2f} {}\n", timeColumns(event),
                            styled(bold, padded(displayText(label(event)), width)), value,
                            styled(green, bar(value)));
    }
    return text;
}

std::string TableWriter::nearMissLines(const FileResult& result) const {
    const std::size_t width = widestLabel(labels_, result, true);
    std::string text = "  " + styled(bold, "Near misses") + "\n";
    if (result.found.nearMisses.empty()) text += "    none\n";
    for (const detection::NearMiss& miss : result.found.nearMisses)
        text += fmt::format("{}  {}  {}\n", timeColumns(miss.event),
                            padded(displayText(label(miss.event)), width),
                            styled(faint, detection::explain(miss)));
    return text;
}

std::string TableWriter::nothingHeard(const FileResult& result) const {
    std::string text = "  Nothing heard.";
    if (!result.nearest) return text + "\n";
    const detection::NearestSound& nearest = *result.nearest;
    const std::string name = displayText(labels_[static_cast<std::size_t>(nearest.classIndex)]);
    text += fmt::format(" Nearest: {} at {}, {:.2f}", name, clockTime(nearest.time), nearest.peak);
    if (nearest.threshold <= 0.0f) return text + "; --explain says how near it came.\n";
    if (nearest.peak >= nearest.threshold)
        return text + "; shorter or briefer than the filters allow, --explain says why.\n";
    // The suggested threshold is a little below the peak. Below 0.05 almost anything would count.
    const double suggestion = std::floor(static_cast<double>(nearest.peak) * 20.0) / 20.0;
    text += fmt::format(" of the {:.2f} it needs", nearest.threshold);
    return text +
           (suggestion >= 0.05 ? fmt::format("; --threshold {:.2f} would show it.\n", suggestion) : ".\n");
}

void TableWriter::write(const FileResult& result) {
    std::string text = (first_ ? "" : "\n") + heading(result);
    first_ = false;
    text += result.found.events.empty() ? nothingHeard(result) : eventLines(result);
    if (explain_) text += nearMissLines(result);
    output_.write(text);
    output_.flush();
}

// For programs. Each recording can be read as soon as it is written.
class DocumentWriter : public ResultWriter {
  public:
    DocumentWriter(const formats::EventFormat& format, OutputStream& output)
        : document_(format.makeDocument({}))
        , output_(output) {}

    void begin() override { write(document_->begin()); }
    void write(const FileResult& result) override { write(document_->add(result.recording)); }
    void end() override { write(document_->end()); }

  private:
    void write(const std::string& text) {
        output_.write(text);
        output_.flush();
    }

    std::unique_ptr<formats::ResultDocument> document_;
    OutputStream& output_;
};

} // namespace

std::unique_ptr<ResultWriter> makeResultWriter(const formats::EventFormat* format, bool explain,
                                               OutputStream& output, const std::vector<std::string>& labels) {
    if (format != nullptr) return std::make_unique<DocumentWriter>(*format, output);
    return std::make_unique<TableWriter>(output, labels, explain);
}

} // namespace earshot::cli
