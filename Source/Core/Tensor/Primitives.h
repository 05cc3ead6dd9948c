// Matrix products on oneDNN. The only header behind which oneDNN is used; it names none of its types.
#pragma once

#include "Core/Tensor/Bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace earshot::tensor {

// What happens to a product before it is stored.
enum class Epilogue {
    none, // y = x W^T + b
    gelu, // y = gelu(x W^T + b), exact (erf)
    add,  // y += x W^T + b
};

// What operands of a product are stored in; sums are float32, of bytes whole numbers.
enum class Number { float32, bfloat16, uint8 };
constexpr std::size_t bytesOf(Number number) {
    return number == Number::uint8 ? 1 : number == Number::bfloat16 ? 2 : 4;
}

// What a linear layer reads (its weights are packed as the same, for uint8 as signed bytes) and what it
// writes.
struct LinearNumbers {
    Number operands = Number::float32;
    Number result = Number::float32;
};

// A linear layer for a fixed number of rows: its weights in oneDNN's blocked layout and the compiled
// primitive. Immutable: any number of threads may run it, each through its own LinearCall.
class Linear {
  public:
    // weights: (outputs, inputs) row-major, as PyTorch stores them; bias: (outputs) or empty.
    Linear(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, std::span<const float> weights,
           std::span<const float> bias, Epilogue epilogue, LinearNumbers numbers = {});
    // Of bytes. inputs: what those of each column stand for; result: likewise for all columns of the layer's
    // own bytes, or float32.
    Linear(std::int64_t rows, std::int64_t outputs, std::span<const float> weights,
           std::span<const float> bias, Epilogue epilogue, std::span<const ByteScale> inputs,
           const std::optional<ByteScale>& result);
    ~Linear();
    Linear(Linear&&) noexcept;
    Linear& operator=(Linear&&) noexcept;

    std::int64_t rows() const;
    std::int64_t inputs() const;
    std::int64_t outputs() const;
    LinearNumbers numbers() const;
    std::size_t memoryBytes() const;  // packed weights and bias
    std::size_t scratchBytes() const; // that a call needs

  private:
    friend class LinearCall;
    struct Compiled;
    struct Impl;
    std::unique_ptr<const Impl> impl_;
};

// A linear layer bound to buffers; running it again and again makes no object of ours anew, but for the first
// run on a number of threads that the layer has not had before. The layer, the buffers and the scratch
// (64-byte aligned, may be shared by calls that never run at once) must outlive it. One thread at a time.
class LinearCall {
  public:
    // x: (rows, inputs), y: (rows, outputs), of the layer's numbers
    LinearCall(const Linear& layer, void* x, void* y, float* scratch);
    ~LinearCall();
    LinearCall(LinearCall&&) noexcept;
    LinearCall& operator=(LinearCall&&) noexcept;

    void run();
    // From x to y, here and from now on.
    void run(const void* x, void* y);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Of float32 or bfloat16.
struct ProductShape {
    std::int64_t rows = 0, inner = 0, columns = 0;
    bool transposeLeft = false;  // the left matrix lies in memory as (inner, rows)
    bool transposeRight = false; // the right matrix lies in memory as (columns, inner)
    Number operands = Number::float32;
    Number result = Number::float32;
    bool bias = false;       // adds (columns) float32 values to every row
    bool accumulate = false; // adds to what is in the result
};

// A product of plain row-major matrices whose values change from call to call, as in training:
// result (rows, columns) = left (rows, inner) right (inner, columns). One thread at a time per object; the
// compiled primitive is shared by oneDNN's cache between objects of the same shape.
class Product {
  public:
    explicit Product(const ProductShape& shape);
    ~Product();
    Product(Product&&) noexcept;
    Product& operator=(Product&&) noexcept;

    const ProductShape& shape() const;
    void run(const void* left, const void* right, void* result, const float* bias = nullptr);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Whether oneDNN has products of bfloat16 for this CPU that are faster than those of float32.
bool hasFastBFloat16();
// Likewise of bytes (VNNI over AVX512).
bool hasFastBytes();

} // namespace earshot::tensor
