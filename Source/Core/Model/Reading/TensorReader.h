// Reads a checkpoint's tensors under a prefix by their names in the reference implementation. It checks that
// shapes match and that all values are finite. One thread at a time; the checkpoint outlives the reader.
#pragma once

#include "Core/Model/LayerNormWeights.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::model {

class Checkpoint;

class TensorReader {
  public:
    // The type of a linear layer's output.
    enum class Output { activations, float32 };
    using ByteScales = std::vector<tensor::ByteScale>; // by column; empty: no bytes

    // activations: the input type of linear layers. parameterCount: the reader adds the number of trained
    // values that it reads.
    TensorReader(Checkpoint& checkpoint, std::string prefix, tensor::Number activations,
                 std::int64_t& parameterCount);

    bool contains(const std::string& name) const;
    // Throws earshot::Error: "tensor X: expected (…), found (…)".
    tensor::Tensor read(const std::string& name, const tensor::Shape& shape);
    // As read(), into the memory of `tensor` if it has that shape.
    void readInto(const std::string& name, const tensor::Shape& shape, tensor::Tensor& tensor);
    // Some rows of a matrix: ascending, and within it. They alone are counted.
    tensor::Tensor readRows(const std::string& name, std::span<const std::int64_t> rows);
    // As read(), but not counted as trained.
    tensor::Tensor readConstant(const std::string& name, const tensor::Shape& shape);
    // scales: of the norm's output as bytes; gain and bias include them.
    LayerNormWeights norm(const std::string& name, std::int64_t channels, const ByteScales& scales = {});
    // The layer reads activations and writes `output`. scales: of its input as bytes. result: of its output
    // as bytes.
    tensor::Linear linear(const std::string& name, std::int64_t rows, std::int64_t inputs,
                          std::int64_t outputs, bool hasBias, tensor::Epilogue epilogue, Output output,
                          const ByteScales& scales = {}, const std::optional<tensor::ByteScale>& result = {});
    // The number types of a layer that never reads bytes.
    tensor::LinearNumbers numbers(Output output) const;

    [[noreturn]] void fail(const std::string& name, const std::string& problem) const;

  private:
    void readFinite(const std::string& name, const tensor::Shape& shape, tensor::Tensor& tensor);
    std::string describe(const std::string& full) const;
    void requireFinite(const std::string& name, const tensor::Tensor& values) const;

    Checkpoint& checkpoint_;
    std::string prefix_;
    tensor::Number activations_;
    std::int64_t& parameterCount_;
};

} // namespace earshot::model
