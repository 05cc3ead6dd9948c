// The floor: bare oneDNN matrix products, with nothing before, after or between them. Weights are in oneDNN's
// blocked layout. Each product has operands of its own, so that it reads as much memory as a pass does. In
// int8, products with weights are of bytes; products of computed values stay float32. The caller sets the
// thread count, as for a pass.
#pragma once

#include "Benchmark/Products.h"
#include "Core/Tensor/Primitives.h"

#include <memory>
#include <string>

namespace earshot::benchmark {

class BareProduct {
  public:
    explicit BareProduct(const Product& product, tensor::Number number = tensor::Number::float32);
    ~BareProduct();
    BareProduct(BareProduct&&) noexcept;

    void run();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// "oneDNN 2.6.3, AVX512_CORE_BF16"
std::string describeLibrary();

} // namespace earshot::benchmark
