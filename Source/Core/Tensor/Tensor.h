// An aligned, zero-initialised block of float32 with a shape. It owns every weight and activation. Row-major;
// shapes are written (rows, columns) beside each use. Not thread-safe to write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::tensor {

using Shape = std::vector<std::int64_t>;

// Number of elements; an empty shape is a scalar (1).
std::int64_t elementCount(const Shape& shape);
// "(527, 768, 2, 3)"
std::string describe(const Shape& shape);

class Tensor {
  public:
    static constexpr std::size_t alignment = 64; // bytes: one cache line, one AVX-512 register

    Tensor() = default;
    explicit Tensor(Shape shape);

    const Shape& shape() const { return shape_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(float); }
    bool empty() const { return size_ == 0; }

    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }
    std::span<float> values() { return {data_.get(), size_}; }
    std::span<const float> values() const { return {data_.get(), size_}; }

  private:
    struct Free {
        void operator()(float* p) const;
    };
    Shape shape_;
    std::size_t size_ = 0;
    std::unique_ptr<float[], Free> data_;
};

// The number rounded up to whole cache lines of floats, so that areas of two threads never share a line.
constexpr std::size_t wholeLines(std::size_t floats) {
    constexpr std::size_t line = Tensor::alignment / sizeof(float);
    return (floats + line - 1) / line * line;
}

} // namespace earshot::tensor
