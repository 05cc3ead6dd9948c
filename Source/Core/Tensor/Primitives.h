// Matrix products on oneDNN. Only Primitives.cpp uses oneDNN; this header names none of its types.
#pragma once

#include "Core/Tensor/Bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace earshot::tensor {

// The operation on a product before it is stored.
enum class Epilogue {
    none, // y = x W^T + b
    gelu, // y = gelu(x W^T + b), exact (erf)
    add,  // y += x W^T + b
};

// The type of a product's operands. Sums are float32, or integers for bytes.
enum class Number { float32, bfloat16, uint8 };
constexpr std::size_t bytesOf(Number number) {
    return number == Number::uint8 ? 1 : number == Number::bfloat16 ? 2 : 4;
}

// The type that a linear layer reads (its weights are packed in the same type; for uint8 as signed bytes) and
// the type that it writes.
struct LinearNumbers {
    Number operands = Number::float32;
    Number result = Number::float32;
};

// A linear layer for a fixed number of rows: its weights in oneDNN's blocked layout and the compiled
// primitive. Immutable: any number of threads may run it, each through a LinearCall of its own.
class Linear {
  public:
    // weights: (outputs, inputs) row-major, as PyTorch stores them; bias: (outputs) or empty.
    Linear(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, std::span<const float> weights,
           std::span<const float> bias, Epilogue epilogue, LinearNumbers numbers = {});
    // A layer of bytes. inputs: the scale of each input column; result: the scale of the layer's own bytes,
    // or float32.
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

// A linear layer bound to buffers. run() allocates nothing, except the first time that the layer runs on a
// new number of threads. The layer, the buffers and the scratch must outlive it. Scratch is 64-byte aligned,
// and calls that never run at once may share it. One thread at a time.
class LinearCall {
  public:
    // x: (rows, inputs), y: (rows, outputs), in the layer's types
    LinearCall(const Linear& layer, void* x, void* y, float* scratch);
    ~LinearCall();
    LinearCall(LinearCall&&) noexcept;
    LinearCall& operator=(LinearCall&&) noexcept;

    void run();
    // Rebinds it to x and y, then runs.
    void run(const void* x, void* y);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The operands are float32 or bfloat16.
struct ProductShape {
    std::int64_t rows = 0, inner = 0, columns = 0;
    bool transposeLeft = false;  // the left matrix lies in memory as (inner, rows)
    bool transposeRight = false; // the right matrix lies in memory as (columns, inner)
    Number operands = Number::float32;
    Number result = Number::float32;
    bool bias = false;       // adds (columns) float32 values to every row
    bool accumulate = false; // adds to what is in the result
};

// A product of plain row-major matrices whose values change from call to call, as in training: result (rows,
// columns) = left (rows, inner) right (inner, columns). One thread at a time for each object. Objects of one
// shape share the compiled primitive through oneDNN's cache.
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

// Whether this CPU multiplies bfloat16 faster than float32.
bool hasFastBFloat16();
// Whether this CPU has fast byte products (VNNI over AVX512).
bool hasFastBytes();

// The library's name and version, as "oneDNN 2.6.3".
std::string productsLibrary();
// The instruction set that the library uses, in its own words, as "avx512_core_amx"; empty where it does
// not say.
std::string productsInstructionSet();

} // namespace earshot::tensor
