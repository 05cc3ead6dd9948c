#include "Core/Detection/Kept/Activations.h"

#include "Core/Base/Error.h"
#include "Core/Base/Float16.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/Unicode.h"
#include "Core/Formats/Npy.h"
#include "Core/Model/Reading/DType.h"
#include "Core/Model/Reading/Safetensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace earshot::detection {

namespace {

// Bytes of JSON for a recording's name: the longest path that operating systems allow, and room for a few
// escaped characters.
constexpr std::size_t nameRoom = 5000;
// A hundred years of recording, and columns of a millisecond to an hour: beyond any use, and far from any
// overflow. Boxes compare each column with all columns of 0.32 s beside it, so that the shortest has a limit.
constexpr double maxSeconds = 3.2e9;
constexpr double minColumn = 0.001;
constexpr double maxColumn = 3600.0;

std::string dump(const nlohmann::json& json) {
    // File names are bytes; those that are not UTF-8 become U+FFFD.
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number(double value) { return fmt::format("{}", value); }

nlohmann::json thresholdsOf(const ActivationInfo& info) {
    auto array = nlohmann::json::array();
    for (const auto& threshold : info.thresholds)
        array.push_back(threshold ? nlohmann::json(static_cast<double>(*threshold)) : nlohmann::json());
    return array;
}

std::string keptName(const std::string& name) {
    if (dump(name).size() <= nameRoom) return name;
    const auto slash = name.find_last_of('/');
    const std::string file = slash == std::string::npos ? name : name.substr(slash + 1);
    return dump(file).size() <= nameRoom ? file : "recording";
}

class FactReader {
  public:
    FactReader(const std::map<std::string, std::string>& metadata, const std::string& file)
        : metadata_(metadata)
        , file_(file) {}

    const std::string& text(const std::string& key) const {
        const auto found = metadata_.find("earshot." + key);
        if (found == metadata_.end()) fail(key, "is missing");
        return found->second;
    }

    double number(const std::string& key, double low, double high) const {
        const std::string& value = text(key);
        const auto parsed = parseNumber(value);
        if (!parsed || *parsed < low || *parsed > high)
            fail(key, fmt::format("is {}, expected a number from {} to {}", printable(value), low, high));
        return *parsed;
    }

    int whole(const std::string& key, int low, int high) const {
        const double value = number(key, low, high);
        if (value != std::floor(value)) fail(key, fmt::format("is {}, expected a whole number", value));
        return static_cast<int>(value);
    }

    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw Error(
            fmt::format("{}: earshot.{} {}; keep the recording's activations again", file_, key, what));
    }

  private:
    const std::map<std::string, std::string>& metadata_;
    const std::string& file_;
};

// Far above the needs of any model.
constexpr std::uint64_t maxReadHeaderBytes = 1 << 22; // bytes
constexpr std::int64_t maxClasses = 100'000;
constexpr std::size_t valuesAtOnce = 1 << 16;

} // namespace

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace {

// The header comes first in the file, but its values are known last. Its place is reserved, and the rest of
// that place is filled with spaces, as the format allows.
class SafetensorsActivations : public ActivationWriter {
  public:
    SafetensorsActivations(WholeFile& file, const ActivationInfo& info)
        : file_(file)
        , info_(info) {}

    void begin([[maybe_unused]] int classes, double secondsPerColumn) override {
        assert(static_cast<std::size_t>(classes) == info_.labels.size());
        secondsPerColumn_ = secondsPerColumn;
        headerBytes_ = maxHeaderBytes(info_, secondsPerColumn);
        writeHeader({});
        halves_.resize(info_.labels.size());
    }

    void column(std::int64_t index, std::span<const float> probabilities) override {
        assert(index == columns_ && probabilities.size() == halves_.size());
        std::ranges::transform(probabilities, halves_.begin(), toFloat16);
        file_.write(halves_.data(), halves_.size() * sizeof(std::uint16_t));
        columns_ = index + 1;
    }

    void end(double seconds) override { duration_ = seconds; }

    void finish(const ActivationRecording& recording) override {
        file_.seek(0);
        writeHeader(headerText(info_, recording, {columns_, secondsPerColumn_, duration_}));
    }

  private:
    void writeHeader(std::string text) {
        assert(text.size() <= headerBytes_);
        text.resize(headerBytes_, ' ');
        const std::uint64_t length = headerBytes_;
        file_.write(&length, sizeof length);
        file_.write(text.data(), text.size());
    }

    WholeFile& file_;
    ActivationInfo info_;
    double secondsPerColumn_ = 0.0;
    double duration_ = 0.0;
    std::size_t headerBytes_ = 0;
    std::int64_t columns_ = 0;
    std::vector<std::uint16_t> halves_; // (classes)
};

class NpyActivations : public ActivationWriter {
  public:
    NpyActivations(WholeFile& file, const ActivationInfo& info)
        : writer_(file, formats::NpyType::float32, {static_cast<std::int64_t>(info.labels.size())}) {}

    void begin(int, double) override {}
    void column(std::int64_t, std::span<const float> probabilities) override { writer_.write(probabilities); }
    void end(double) override {}
    void finish(const ActivationRecording&) override { writer_.finish(); }

  private:
    formats::NpyWriter writer_;
};

} // namespace

const char* suffix(ActivationKind kind) {
    return kind == ActivationKind::npy ? ".activations.npy" : ".activations.safetensors";
}

std::unique_ptr<ActivationWriter> makeActivationWriter(ActivationKind kind, WholeFile& file,
                                                       const ActivationInfo& info) {
    if (kind == ActivationKind::npy) return std::make_unique<NpyActivations>(file, info);
    return std::make_unique<SafetensorsActivations>(file, info);
}

std::string headerText(const ActivationInfo& info, const ActivationRecording& recording,
                       const ActivationExtent& extent) {
    const auto classes = static_cast<std::int64_t>(info.labels.size());
    nlohmann::json metadata = {
        {"earshot.activations", activationsVersion},
        {"earshot.labels", dump(info.labels)},
        {"earshot.thresholds", dump(thresholdsOf(info))},
        {"earshot.model", info.model},
        {"earshot.model.sha256", info.modelSha256},
        {"earshot.mode", info.mode},
        {"earshot.hop", number(info.hop)},
        {"earshot.lowest_hz", number(info.minHz)},
        {"earshot.highest_hz", number(info.maxHz)},
        {"earshot.recording", keptName(recording.name)},
        {"earshot.seconds", number(recording.seconds)},
        {"earshot.sample_rate", number(recording.sampleRate)},
        {"earshot.channels", number(recording.channels)},
        {"earshot.complete", recording.complete ? "true" : "false"},
        {"earshot.seconds_per_column", number(extent.secondsPerColumn)},
        {"earshot.duration", number(extent.duration)},
    };
    if (recording.start) metadata["earshot.start"] = isoText(*recording.start);
    if (!recording.folder.empty() && dump(recording.folder).size() <= nameRoom)
        metadata["earshot.folder"] = recording.folder;
    if (info.rules != AuthorRules{}) metadata["earshot.rules"] = info.rules.metadata();
    if (!info.sebbs.empty()) metadata["earshot.boxes"] = info.sebbs;
    if (!info.licence.empty()) metadata["earshot.licence"] = info.licence;
    return dump({{"__metadata__", metadata},
                 {activationsTensor,
                  {{"dtype", "F16"},
                   {"shape", {extent.columns, classes}},
                   {"data_offsets", {0, extent.columns * classes * 2}}}}});
}

std::size_t maxHeaderBytes(const ActivationInfo& info, double secondsPerColumn) {
    // Besides the name: four numbers of at most 24 characters each, and two extents and a data offset of at
    // most 19.
    constexpr std::size_t numbersRoom = 256;
    constexpr std::size_t placeRoom = nameRoom + 128; // the folder and the start, with their names
    const std::size_t bytes =
        headerText(info, {}, {0, secondsPerColumn, 0.0}).size() + nameRoom + numbersRoom + placeRoom;
    return (bytes + 7) / 8 * 8;
}

ActivationFacts parseActivationFacts(const std::map<std::string, std::string>& metadata, std::int64_t columns,
                                     const std::string& file) {
    if (const auto version = metadata.find("earshot.activations"); version == metadata.end())
        throw Error(file + ": holds no kept activations; name files that --keep-activations made");
    else if (version->second != activationsVersion)
        throw Error(
            fmt::format("{}: its activations are of version {}, this earshot reads {}; use a newer one", file,
                        printable(version->second), activationsVersion));
    const FactReader reader(metadata, file);
    ActivationFacts facts;
    facts.info.model = reader.text("model");
    facts.info.modelSha256 = reader.text("model.sha256");
    facts.info.mode = reader.text("mode");
    facts.info.hop = reader.number("hop", 0.0, maxSeconds);
    facts.info.minHz = reader.number("lowest_hz", 0.0, 1e9);
    facts.info.maxHz = reader.number("highest_hz", facts.info.minHz, 1e9);
    facts.recording.name = reader.text("recording");
    facts.recording.seconds = reader.number("seconds", 0.0, maxSeconds);
    facts.recording.sampleRate = reader.whole("sample_rate", 1, 1'000'000'000);
    facts.recording.channels = reader.whole("channels", 1, 1'000'000);
    const std::string& complete = reader.text("complete");
    if (complete != "true" && complete != "false") reader.fail("complete", "is neither true nor false");
    facts.recording.complete = complete == "true";
    if (const auto start = metadata.find("earshot.start"); start != metadata.end()) {
        facts.recording.start = parseWallTime(start->second);
        if (!facts.recording.start) reader.fail("start", "is no date and time");
    }
    if (const auto folder = metadata.find("earshot.folder"); folder != metadata.end())
        facts.recording.folder = folder->second;
    facts.secondsPerColumn = reader.number("seconds_per_column", minColumn, maxColumn);
    // The last column begins before the recording's end and does not end before it.
    const double last = static_cast<double>(columns) * facts.secondsPerColumn;
    facts.duration = reader.number("duration", 0.0, std::min(maxSeconds, last * (1.0 + 1e-9)));
    if (columns > 0 && facts.duration <= static_cast<double>(columns - 1) * facts.secondsPerColumn)
        reader.fail("duration", fmt::format("is {}, too short for {} columns", facts.duration, columns));
    return facts;
}

ActivationReader::ActivationReader(const std::filesystem::path& file)
    : file_(file, "file of kept activations") {
    readHeader();
}

void ActivationReader::readHeader() {
    const std::string name = displayName(file_.path());
    std::uint64_t length = 0; // little-endian, like the machine (see DType.cpp)
    const auto bytes = file_.size();
    if (bytes >= sizeof length) file_.read(0, std::as_writable_bytes(std::span(&length, 1)));
    if (length == 0 || length > maxReadHeaderBytes || length > bytes - sizeof length)
        throw Error(name + ": holds no kept activations, or is cut short; name files that "
                           "--keep-activations made");
    std::string json(length, '\0');
    file_.read(sizeof length, std::as_writable_bytes(std::span(json)));
    position_ = sizeof length + length;
    const auto header = model::parseSafetensorsHeader(json, bytes - sizeof length - length, name);

    const auto found = header.tensors.find(activationsTensor);
    if (found == header.tensors.end() || header.tensors.size() != 1 ||
        found->second.info.dtype != model::DType::float16 || found->second.info.shape.size() != 2 ||
        found->second.info.shape[1] < 1 || found->second.info.shape[1] > maxClasses)
        throw Error(fmt::format("{}: expected one tensor {}, float16 (columns, classes); name files that "
                                "--keep-activations made",
                                name, activationsTensor));
    const auto& shape = found->second.info.shape;
    columns_ = shape[0];
    facts_ = parseActivationFacts(header.metadata, columns_, name);
    if (!header.metadata.contains("earshot.labels")) throw Error(name + ": earshot.labels is missing");
    labels_ = Labels::read(header.metadata, file_.path(), static_cast<int>(shape[1]));
}

std::int64_t ActivationReader::read(std::span<float> values) {
    const auto width = static_cast<std::size_t>(classes());
    const auto count = std::min(static_cast<std::int64_t>(values.size() / width), columns_ - read_);
    values = values.first(static_cast<std::size_t>(count) * width);
    stored_.resize(values.size() * sizeof(std::uint16_t));
    file_.read(position_, stored_);
    position_ += stored_.size();
    model::toFloat32(model::DType::float16, stored_, values);
    // A NaN fails as well.
    if (!std::ranges::all_of(values, [](float p) { return p >= 0.0f && p <= 1.0f; }))
        throw Error(displayName(file_.path()) +
                    ": holds values that are no probabilities: it is damaged; keep the "
                    "recording's activations again");
    read_ += count;
    return count;
}

std::optional<RecordingResult> judgeActivations(ActivationReader& reader, const RecordingQuestion& question,
                                                const std::function<bool()>& proceed) {
    const auto width = static_cast<std::size_t>(reader.classes());
    EventCollector judge(reader.classes(), reader.facts().secondsPerColumn, question);
    std::vector<float> values(std::max<std::size_t>(1, valuesAtOnce / width) * width);
    while (const auto count = static_cast<std::size_t>(reader.read(values))) {
        for (std::size_t i = 0; i < count; ++i) judge.add(std::span(values).subspan(i * width, width));
        if (proceed && !proceed()) return std::nullopt;
    }
    FileSummary summary;
    summary.seconds = reader.facts().recording.seconds;
    return judge.finish(summary, reader.facts().duration);
}

} // namespace earshot::detection
