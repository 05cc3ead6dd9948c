#include "Core/Detection/Kept/ActivationsHeader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <limits>

namespace earshot::detection {

namespace {

// Bytes of JSON for a recording's name: a path of the greatest length that systems bear, and more for a few
// characters that JSON escapes.
constexpr std::size_t nameRoom = 5000;
// A hundred years of a recording, and columns as long as an hour: beyond any use, and far from any overflow.
constexpr double longestSeconds = 3.2e9;
constexpr double longestColumn = 3600.0;

std::string dump(const nlohmann::json& json) {
    // Names of files are bytes; what is not UTF-8 cannot be kept as JSON.
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
        double parsed = 0.0;
        const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), parsed);
        // A NaN fails as well.
        if (failure != std::errc() || end != value.data() + value.size() ||
            !(parsed >= low && parsed <= high))
            fail(key, fmt::format("is {}, expected a number from {} to {}", printable(value), low, high));
        return parsed;
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

} // namespace

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
        {"earshot.lowest_hz", number(info.lowestHz)},
        {"earshot.highest_hz", number(info.highestHz)},
        {"earshot.recording", keptName(recording.name)},
        {"earshot.seconds", number(recording.seconds)},
        {"earshot.sample_rate", number(recording.sampleRate)},
        {"earshot.channels", number(recording.channels)},
        {"earshot.complete", recording.complete ? "true" : "false"},
        {"earshot.seconds_per_column", number(extent.secondsPerColumn)},
        {"earshot.duration", number(extent.duration)},
    };
    if (!info.boxes.empty()) metadata["earshot.boxes"] = info.boxes;
    if (!info.licence.empty()) metadata["earshot.licence"] = info.licence;
    return dump({{"__metadata__", metadata},
                 {activationsTensor,
                  {{"dtype", "F16"},
                   {"shape", {extent.columns, classes}},
                   {"data_offsets", {0, extent.columns * classes * 2}}}}});
}

std::size_t mostHeaderBytes(const ActivationInfo& info, double secondsPerColumn) {
    // Beside the name: four numbers, of at most 24 characters each, two extents and an end of at most 19.
    constexpr std::size_t numbersRoom = 256;
    const std::size_t bytes =
        headerText(info, {}, {0, secondsPerColumn, 0.0}).size() + nameRoom + numbersRoom;
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
    facts.info.hop = reader.number("hop", 0.0, longestSeconds);
    facts.info.lowestHz = reader.number("lowest_hz", 0.0, 1e9);
    facts.info.highestHz = reader.number("highest_hz", facts.info.lowestHz, 1e9);
    facts.recording.name = reader.text("recording");
    facts.recording.seconds = reader.number("seconds", 0.0, longestSeconds);
    facts.recording.sampleRate = reader.whole("sample_rate", 1, 1'000'000'000);
    facts.recording.channels = reader.whole("channels", 1, 1'000'000);
    const std::string& complete = reader.text("complete");
    if (complete != "true" && complete != "false") reader.fail("complete", "is neither true nor false");
    facts.recording.complete = complete == "true";
    facts.secondsPerColumn = reader.number("seconds_per_column", 1e-6, longestColumn);
    // The last column begins before the recording ends, and does not end before it.
    const double last = static_cast<double>(columns) * facts.secondsPerColumn;
    facts.duration = reader.number("duration", 0.0, std::min(longestSeconds, last * (1.0 + 1e-9)));
    if (columns > 0 && facts.duration <= static_cast<double>(columns - 1) * facts.secondsPerColumn)
        reader.fail("duration", fmt::format("is {}, too short for {} columns", facts.duration, columns));
    return facts;
}

} // namespace earshot::detection
