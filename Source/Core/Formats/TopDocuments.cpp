#include "Core/Formats/TopDocuments.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/Unicode.h"
#include "Core/Formats/Fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace earshot::formats {

namespace {

class TopDocument : public ResultDocument {
  public:
    explicit TopDocument(int count)
        : count_(static_cast<std::size_t>(count)) {}

  protected:
    std::size_t count() const { return count_; }
    std::span<const SoundScore> topOf(const RecordingEvents& recording) const {
        return std::span(recording.top).first(std::min(count_, recording.top.size()));
    }
    std::string object(const RecordingEvents& recording) const {
        std::string sounds;
        for (const SoundScore& each : topOf(recording))
            sounds += fmt::format(R"({}{{"label": {}, "class_index": {}, "score": {:.6f}}})",
                                  sounds.empty() ? "" : ", ", jsonString(each.label), each.classIndex,
                                  finite(each.score));
        return fmt::format(R"({{"file": {}, "top": [{}]}})", jsonString(recording.file), sounds);
    }

  private:
    std::size_t count_;
};

class TopTable : public TopDocument {
  public:
    using TopDocument::TopDocument;

    std::string add(const RecordingEvents& recording) override {
        std::string sounds;
        for (const SoundScore& each : topOf(recording))
            sounds +=
                fmt::format("{}{} {:.2f}", sounds.empty() ? "" : ", ", displayText(each.label), each.score);
        const std::string file = recording.file == "-" ? "standard input" : displayText(recording.file);
        return fmt::format("{}  {}{}\n", file, sounds.empty() ? "nothing: too short" : sounds,
                           recording.complete ? "" : "  (incomplete)");
    }
};

class TopCsv : public TopDocument {
  public:
    using TopDocument::TopDocument;

    std::string begin() override {
        std::string header = "file";
        for (std::size_t i = 1; i <= count(); ++i) header += fmt::format(",label_{0},score_{0}", i);
        return header + '\n';
    }
    std::string add(const RecordingEvents& recording) override {
        std::string line = csvField(recording.file);
        const auto sounds = topOf(recording);
        for (const SoundScore& each : sounds)
            line += fmt::format(",{},{:.6f}", csvField(each.label), finite(each.score));
        for (std::size_t i = sounds.size(); i < count(); ++i) line += ",,";
        return line + '\n';
    }
};

class TopJson : public TopDocument {
  public:
    using TopDocument::TopDocument;

    std::string begin() override { return "["; }
    std::string add(const RecordingEvents& recording) override {
        const std::string before = empty_ ? "\n  " : ",\n  ";
        empty_ = false;
        return before + object(recording);
    }
    std::string end() override { return empty_ ? "]\n" : "\n]\n"; }

  private:
    bool empty_ = true; // no recording was written yet
};

class TopJsonLines : public TopDocument {
  public:
    using TopDocument::TopDocument;

    std::string add(const RecordingEvents& recording) override { return object(recording) + '\n'; }
};

constexpr double maxClassIndex = 1e6; // of a journal that another program may have written

constexpr const char* noSounds = "none"; // of a recording that is too short

} // namespace

std::vector<std::string> topFormats() { return {"table", "csv", "json", "jsonl"}; }

std::unique_ptr<ResultDocument> makeTopDocument(std::string_view format, int count) {
    if (format == "table") return std::make_unique<TopTable>(count);
    if (format == "csv") return std::make_unique<TopCsv>(count);
    if (format == "json") return std::make_unique<TopJson>(count);
    if (format == "jsonl") return std::make_unique<TopJsonLines>(count);
    return nullptr;
}

std::string topText(const std::vector<SoundScore>& top) {
    if (top.empty()) return noSounds;
    std::string text;
    for (const SoundScore& each : top)
        text += fmt::format("{} {} {}\n", each.classIndex, each.score, oneLine(each.label));
    return text;
}

std::vector<SoundScore> parseTopText(std::string_view text) {
    std::vector<SoundScore> top;
    std::string_view rest = text;
    const auto next = [&rest](char separator) {
        const auto end = std::min(rest.find(separator), rest.size());
        const auto field = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return field;
    };
    while (std::ssize(top) < maxTopSounds && !rest.empty()) {
        const auto number = parseNumber(next(' ')), probability = parseNumber(next(' '));
        const auto label = next('\n');
        if (number && *number >= 0.0 && *number <= maxClassIndex && probability && *probability >= 0.0 &&
            *probability <= 1.0)
            top.push_back({std::string(label), static_cast<int>(*number), static_cast<float>(*probability)});
    }
    return top;
}

} // namespace earshot::formats
