#include "Cli/Output/ResultWriter.h"
#include "Cli/Commands.h"
#include "Cli/Output/Terminal.h"
#include "Core/Base/Unicode.h"
#include "Core/Formats/TextTable.h"
#include "Core/Formats/TopDocuments.h"

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

// For people: a heading for each file, then the times, the sound, and the confidence or peak of each event.
class TableWriter : public ResultWriter {
  public:
    TableWriter(OutputStream& output, const std::vector<std::string>& labels, bool explain);

    void write(const FileResult& result) override;

  private:
    std::string label(int classIndex) const;
    std::string label(const detection::Event& event) const;
    std::string styled(std::string_view before, const std::string& text) const;
    std::string heading(const FileResult& result) const;
    std::string nearMissLines(const FileResult& result, std::size_t nameWidth) const;
    std::string nothingHeard(const FileResult& result) const;

    OutputStream& output_;
    const std::vector<std::string>& labels_;
    bool explain_;
    formats::TableStyle style_;
    bool first_ = true; // no file written yet
};

TableWriter::TableWriter(OutputStream& output, const std::vector<std::string>& labels, bool explain)
    : output_(output)
    , labels_(labels)
    , explain_(explain)
    , style_(colourWanted(output.isTerminal()) ? colours : formats::TableStyle()) {}

std::string TableWriter::label(int classIndex) const {
    return displayText(labels_[static_cast<std::size_t>(classIndex)]);
}

std::string TableWriter::label(const detection::Event& event) const {
    return formats::labelWithChannel({.label = label(event.classIndex), .channel = event.channel});
}

std::string TableWriter::styled(std::string_view before, const std::string& text) const {
    return fmt::format("{}{}{}", before, text, style_.plain);
}

std::string TableWriter::heading(const FileResult& result) const {
    auto recording = result.recording;
    if (recording.file == "-") recording.file = "standard input";
    return formats::tableHeading(recording, style_);
}

std::string TableWriter::nearMissLines(const FileResult& result, std::size_t nameWidth) const {
    std::string text = "  " + styled(style_.bold, "Near misses") + "\n";
    if (result.found.nearMisses.empty()) text += "    none\n";
    for (const detection::NearMiss& miss : result.found.nearMisses)
        text +=
            fmt::format("{}  {}  {}\n", formats::timeColumns(miss.event.onset, miss.event.offset),
                        padded(label(miss.event), nameWidth), styled(style_.faint, detection::explain(miss)));
    return text;
}

std::string TableWriter::nothingHeard(const FileResult& result) const {
    std::string text = "  Nothing detected.";
    if (!result.nearest) return text + "\n";
    const detection::NearestSound& nearest = *result.nearest;
    const std::string name = label(nearest.classIndex);
    text += fmt::format(" Nearest: {} at {}, {:.2f}", name, clockTime(nearest.time), nearest.peak);
    if (nearest.threshold <= 0.0f)
        return text + (explain_ ? ".\n" : "; --explain lists near misses, if there are any.\n");
    if (nearest.peak >= nearest.threshold)
        return text + "; shorter or briefer than the filters allow" +
               (explain_ ? ".\n" : ", --explain says why.\n");
    // The suggested threshold is a little below the peak.
    const double suggestion = std::floor(static_cast<double>(nearest.peak) * 20.0) / 20.0;
    text += fmt::format(" of the {:.2f} it needs", nearest.threshold);
    if (suggestion < minAdvised) return text + ".\n";
    const auto option =
        fmt::format("--class-threshold {}", shellWord(fmt::format("{}={:.2f}", name, suggestion)));
    if (nearest.columnSuffices) return text + "; " + option + " would show it.\n";
    return text + "; it reaches " + option + ", but may be briefer than the filters allow.\n";
}

void TableWriter::write(const FileResult& result) {
    std::string text = (first_ ? "" : "\n") + heading(result);
    first_ = false;
    const auto& events = result.recording.events;
    std::size_t width = formats::nameColumns(events);
    if (explain_)
        for (const detection::NearMiss& miss : result.found.nearMisses)
            width = std::max(width, displayWidth(label(miss.event)));
    text += events.empty() ? nothingHeard(result) + levelText(result.level)
                           : formats::tableLines(events, width, style_);
    if (explain_) text += nearMissLines(result, width);
    output_.write(text);
    output_.flush();
}

// For programs. Each recording can be read as soon as it is written.
class DocumentWriter : public ResultWriter {
  public:
    DocumentWriter(std::unique_ptr<formats::ResultDocument> document, OutputStream& output)
        : document_(std::move(document))
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

std::unique_ptr<ResultWriter> makeTopWriter(const std::string& format, int count, OutputStream& output) {
    return std::make_unique<DocumentWriter>(formats::makeTopDocument(format, count), output);
}

std::unique_ptr<ResultWriter> makeResultWriter(const formats::EventFormat* format, bool explain,
                                               OutputStream& output, const std::vector<std::string>& labels) {
    if (format != nullptr) return std::make_unique<DocumentWriter>(format->makeDocument({}), output);
    return std::make_unique<TableWriter>(output, labels, explain);
}

} // namespace earshot::cli
