#include "Core/Detection/Kept/ActivationReader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Reading/DType.h"
#include "Core/Model/Reading/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace earshot::detection {

namespace {

// Far above what any model needs.
constexpr std::uint64_t longestHeader = 1 << 22; // bytes
constexpr std::int64_t mostClasses = 100'000;
constexpr std::size_t valuesAtOnce = 1 << 16;

} // namespace

ActivationReader::ActivationReader(const std::filesystem::path& file)
    : file_(file, "file of kept activations") {
    readHeader();
}

void ActivationReader::readHeader() {
    const std::string name = displayName(file_.path());
    std::uint64_t length = 0; // little-endian, as the machine (see DType.cpp)
    const auto bytes = file_.size();
    if (bytes >= sizeof length) file_.read(0, std::as_writable_bytes(std::span(&length, 1)));
    if (length == 0 || length > longestHeader || length > bytes - sizeof length)
        throw Error(name + ": holds no kept activations, or is cut short; name files that "
                           "--keep-activations made");
    std::string json(length, '\0');
    file_.read(sizeof length, std::as_writable_bytes(std::span(json)));
    position_ = sizeof length + length;
    const auto header = model::parseSafetensorsHeader(json, bytes - sizeof length - length, name);

    const auto found = header.tensors.find(activationsTensor);
    if (found == header.tensors.end() || header.tensors.size() != 1 ||
        found->second.info.dtype != model::DType::float16 || found->second.info.shape.size() != 2 ||
        found->second.info.shape[1] < 1 || found->second.info.shape[1] > mostClasses)
        throw Error(fmt::format("{}: expected one tensor {}, float16 (columns, classes); name files that "
                                "--keep-activations made",
                                name, activationsTensor));
    const auto& shape = found->second.info.shape;
    columns_ = shape[0];
    facts_ = parseActivationFacts(header.metadata, columns_, name);
    if (!header.metadata.contains("earshot.labels")) throw Error(name + ": earshot.labels is missing");
    labels_ = Labels::read(header.metadata, file_.path(), static_cast<int>(shape[1]));
    boxes_ = BoxScorer::read(header.metadata, file_.path(), static_cast<int>(shape[1]));
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
    RecordingJudge judge(reader.classes(), reader.facts().secondsPerColumn, question);
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
