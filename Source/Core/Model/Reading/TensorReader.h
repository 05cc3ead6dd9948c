// A checkpoint's tensors under a prefix, by their names in the reference implementation, checked for shape
// and for values that are numbers. One thread at a time; the checkpoint outlives it.
#pragma once

#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace earshot::model {

class Checkpoint;

class TensorReader {
  public:
    // What a linear layer writes.
    enum class Output { activations, float32 };
    using ByteScales = std::vector<tensor::ByteScale>; // by column; empty where there are no bytes

    // activations: what linear layers read. parameterCount: values read as trained are added to it.
    TensorReader(Checkpoint& checkpoint, std::string prefix, tensor::Number activations,
                 std::int64_t& parameterCount);

    bool contains(const std::string& name) const;
    // Throws earshot::Error: "tensor X: expected (…), found (…)".
    tensor::Tensor read(const std::string& name, const tensor::Shape& shape);
    // As read(), but not counted as trained.
    tensor::Tensor readConstant(const std::string& name, const tensor::Shape& shape);
    // scales: of the bytes it writes.
    LayerNormWeights norm(const std::string& name, std::int64_t channels, const ByteScales& scales = {});
    // Reads activations, and writes them or float32. scales, result: of the bytes it reads and writes.
    tensor::Linear linear(const std::string& name, std::int64_t rows, std::int64_t inputs,
                          std::int64_t outputs, bool hasBias, tensor::Epilogue epilogue, Output output,
                          const ByteScales& scales = {}, const std::optional<tensor::ByteScale>& result = {});
    // Of layers that never read bytes.
    tensor::LinearNumbers numbers(Output output) const;

    [[noreturn]] void fail(const std::string& name, const std::string& problem) const;

  private:
    std::string describe(const std::string& full) const;

    Checkpoint& checkpoint_;
    std::string prefix_;
    tensor::Number activations_;
    std::int64_t& parameterCount_;
};

} // namespace earshot::model
