#include "Core/Model/Reading/Checkpoint.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/Safetensors.h"
#include "Core/Model/Reading/TorchZip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string_view>

namespace earshot::model {

namespace {

using namespace std::string_view_literals;

constexpr auto zipMagic = "PK\x03\x04"sv;
constexpr auto legacyTorchMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
constexpr std::size_t tarMagicOffset = 257;

// Files that users choose by mistake, recognised by their first bytes.
struct Lookalike {
    std::string_view magic;
    const char* description;
};
constexpr Lookalike lookalikes[] = {
    {"\x80"sv, "a bare Python pickle"},
    {"\x89HDF"sv, "an HDF5 (Keras) file"},
    {"GGUF"sv, "a GGUF file"},
    {"\x93NUMPY"sv, "a NumPy array"},
    {"\x1f\x8b"sv, "a gzip archive (unpack it first)"},
    {"7z\xbc\xaf"sv, "a 7-Zip archive (unpack it first)"},
    {"version https://git-lfs"sv, "a Git LFS pointer (run `git lfs pull` to fetch the file itself)"},
    {"<"sv, "a web page (download the file itself)"},
    {"RIFF"sv, "an audio file"},
    {"fLaC"sv, "an audio file"},
    {"OggS"sv, "an audio file"},
    {"{"sv, "a JSON file"},
};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& found) {
    throw Error(fmt::format("{}: is {}; models load from safetensors and PyTorch (.ckpt, .pt, .pth) files",
                            displayName(file), found));
}

[[noreturn]] void refuseLegacyTorch(const std::filesystem::path& file) {
    auto converted = file.filename();
    converted.replace_extension();
    throw Error(
        fmt::format("{}: is a PyTorch file of the format before 1.6; if you trust it, convert it: python3 -c "
                    "\"import torch; torch.save(torch.load('{}', map_location='cpu'), '{}-converted.pth')\"",
                    displayName(file), displayName(file.filename()), displayName(converted)));
}

bool looksLikeSafetensors(std::string_view start) {
    std::uint64_t headerBytes = 0;
    if (start.size() <= sizeof headerBytes || start[sizeof headerBytes] != '{') return false;
    std::memcpy(&headerBytes, start.data(), sizeof headerBytes);
    return headerBytes <= safetensorsHeaderLimit;
}

bool isFloat(DType dtype) {
    return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 ||
           dtype == DType::float64;
}

// What quantised weights have beside them, after their own names.
constexpr std::string_view scaleSuffix = "_scale";
constexpr std::array quantisedSuffixes = {scaleSuffix,      "_scale_inv"sv,   "_scales"sv, "_zero_point"sv,
                                          "_zero_points"sv, "_quant_state"sv, "_absmax"sv};

} // namespace

std::string Checkpoint::scaleOf(const std::string& name) const {
    const auto stored = tensors_.find(name);
    const auto scale = tensors_.find(name + std::string(scaleSuffix));
    if (stored == tensors_.end() || scale == tensors_.end() || stored->second.dtype != DType::int8 ||
        !isFloat(scale->second.dtype) || stored->second.shape.empty() || contains(name + "_zero_point"))
        return {};
    const auto count = tensor::elementCount(scale->second.shape);
    const auto& shape = scale->second.shape;
    const bool eachRow = !shape.empty() && shape.front() == count && count == stored->second.shape.front();
    return count == 1 || eachRow ? scale->first : std::string();
}

void Checkpoint::requireWeights(const std::string& name) const {
    if (!scaleOf(name).empty()) return;
    const auto refuseQuantised = [&](const std::string& found) {
        throw Error(fmt::format("{}: tensor {}: {}; use the file from before it was quantised, in float32, "
                                "float16 or bfloat16",
                                displayName(file_), printable(name), found));
    };
    if (const auto dtype = tensors_.at(name).dtype; !isFloat(dtype))
        refuseQuantised(
            fmt::format("expected weights, found {} without scales that Earshot knows", model::name(dtype)));
    for (const auto suffix : quantisedSuffixes)
        if (const auto beside = name + std::string(suffix); contains(beside))
            refuseQuantised(fmt::format("is quantised, as {} beside it says", printable(beside)));
}

void Checkpoint::scaleRows(const std::string& name, std::span<const std::int64_t> rows,
                           tensor::Tensor& values) {
    const auto scaleName = scaleOf(name);
    if (scaleName.empty() || values.empty()) return;
    const auto scales = read(scaleName);
    const auto count = static_cast<std::size_t>(values.shape().front());
    const auto width = values.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = rows.empty() ? i : static_cast<std::size_t>(rows[i]);
        const float scale = scales.values()[scales.size() == 1 ? 0 : row];
        for (float& value : values.values().subspan(i * width, width)) value *= scale;
    }
}

std::unique_ptr<Checkpoint> Checkpoint::open(const ModelSource& source, const StopToken& stop) {
    stop.check();
    auto checkpoint = openAny(source.file);
    checkpoint->choice_ = source.choice;
    checkpoint->stop_ = stop;
    stop.check();
    return checkpoint;
}

void Checkpoint::readInto(const std::string& name, tensor::Tensor& tensor) { tensor = read(name); }

tensor::Tensor Checkpoint::readRows(const std::string& name, std::span<const std::int64_t> rows) {
    const auto all = read(name);
    auto shape = all.shape();
    assert(!shape.empty() && std::ranges::is_sorted(rows));
    const auto width = all.size() / static_cast<std::size_t>(std::max<std::int64_t>(shape.front(), 1));
    shape.front() = static_cast<std::int64_t>(rows.size());
    tensor::Tensor result(shape);
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::ranges::copy(all.values().subspan(static_cast<std::size_t>(rows[i]) * width, width),
                          result.values().begin() + static_cast<std::ptrdiff_t>(i * width));
    return result;
}

std::unique_ptr<Checkpoint> Checkpoint::openAny(const std::filesystem::path& file) {
    RegularFile opened(file, "model file");
    std::array<char, 512> buffer{};
    const std::string_view start(buffer.data(),
                                 opened.readSome(0, std::as_writable_bytes(std::span(buffer))));

    if (start.empty()) refuse(file, "empty");
    if (start.starts_with(zipMagic)) return openTorchZip(std::move(opened));
    if (start.starts_with(legacyTorchMagic)) refuseLegacyTorch(file);
    if (start.size() > tarMagicOffset && start.substr(tarMagicOffset).starts_with("ustar"))
        refuseLegacyTorch(file);
    if (looksLikeSafetensors(start)) return openSafetensors(std::move(opened));
    for (const auto& lookalike : lookalikes)
        if (start.starts_with(lookalike.magic)) refuse(file, lookalike.description);
    refuse(file, "of an unknown format");
}

} // namespace earshot::model
