#include "Core/Model/Reading/TensorReader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace earshot::model {

namespace {

// The loop has no branch for each value, so that millions of values take a few milliseconds.
bool allFinite(std::span<const float> values) {
    constexpr std::uint32_t exponent = 0x7f800000; // all ones: infinite, or not a number
    std::uint32_t found = 0;
    for (const float value : values)
        found |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) == exponent);
    return found == 0;
}

} // namespace

TensorReader::TensorReader(Checkpoint& checkpoint, std::string prefix, tensor::Number activations,
                           std::int64_t& parameterCount)
    : checkpoint_(checkpoint)
    , prefix_(std::move(prefix))
    , activations_(activations)
    , parameterCount_(parameterCount) {}

bool TensorReader::contains(const std::string& name) const { return checkpoint_.contains(prefix_ + name); }

tensor::Tensor TensorReader::read(const std::string& name, const tensor::Shape& shape) {
    tensor::Tensor values;
    readInto(name, shape, values);
    return values;
}

void TensorReader::readInto(const std::string& name, const tensor::Shape& shape, tensor::Tensor& tensor) {
    readFinite(name, shape, tensor);
    parameterCount_ += static_cast<std::int64_t>(tensor.size());
}

tensor::Tensor TensorReader::readConstant(const std::string& name, const tensor::Shape& shape) {
    tensor::Tensor values;
    readFinite(name, shape, values);
    return values;
}

void TensorReader::readFinite(const std::string& name, const tensor::Shape& shape, tensor::Tensor& tensor) {
    checkpoint_.stop().check();
    const auto full = prefix_ + name;
    const auto found = checkpoint_.tensors().find(full);
    const auto expected = describe(full) + "expected " + tensor::describe(shape) + ", found ";
    if (found == checkpoint_.tensors().end())
        throw Error(expected + "none; the file may be cut or of another architecture");
    if (found->second.shape != shape) throw Error(expected + tensor::describe(found->second.shape));
    checkpoint_.readInto(full, tensor);
    requireFinite(name, tensor);
}

tensor::Tensor TensorReader::readRows(const std::string& name, std::span<const std::int64_t> rows) {
    checkpoint_.stop().check();
    auto values = checkpoint_.readRows(prefix_ + name, rows);
    requireFinite(name, values);
    parameterCount_ += static_cast<std::int64_t>(values.size());
    return values;
}

void TensorReader::requireFinite(const std::string& name, const tensor::Tensor& values) const {
    if (!allFinite(values.values()))
        fail(name, "holds values that are not numbers; the training may have diverged");
}

LayerNormWeights TensorReader::norm(const std::string& name, std::int64_t channels,
                                    const ByteScales& scales) {
    LayerNormWeights out{read(name + ".weight", {channels}), read(name + ".bias", {channels})};
    for (std::size_t c = 0; c < scales.size(); ++c) {
        const auto [low, step] = scales[c];
        out.gain.data()[c] /= step;
        out.bias.data()[c] = (out.bias.data()[c] - low) / step;
    }
    return out;
}

tensor::Linear TensorReader::linear(const std::string& name, std::int64_t rows, std::int64_t inputs,
                                    std::int64_t outputs, bool hasBias, tensor::Epilogue epilogue,
                                    Output output, const ByteScales& scales,
                                    const std::optional<tensor::ByteScale>& result) {
    const auto weights = read(name + ".weight", {outputs, inputs});
    const auto bias = hasBias ? read(name + ".bias", {outputs}) : tensor::Tensor();
    if (!scales.empty()) return {rows, outputs, weights.values(), bias.values(), epilogue, scales, result};
    return {rows, inputs, outputs, weights.values(), bias.values(), epilogue, numbers(output)};
}

tensor::LinearNumbers TensorReader::numbers(Output output) const {
    const auto number = activations_ == tensor::Number::uint8 ? tensor::Number::float32 : activations_;
    return {number, output == Output::activations ? number : tensor::Number::float32};
}

void TensorReader::fail(const std::string& name, const std::string& problem) const {
    throw Error(describe(prefix_ + name) + problem);
}

std::string TensorReader::describe(const std::string& full) const {
    return displayName(checkpoint_.file()) + ": tensor " + printable(full) + ": ";
}

} // namespace earshot::model
