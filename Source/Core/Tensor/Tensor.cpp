#include "Core/Tensor/Tensor.h"

#include <algorithm>
#include <new>

namespace earshot::tensor {

std::int64_t elementCount(const Shape& shape) {
    std::int64_t count = 1;
    for (const auto extent : shape) count *= extent;
    return count;
}

std::string describe(const Shape& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(shape[i]);
    }
    return text + ")";
}

void Tensor::Free::operator()(float* p) const { ::operator delete[](p, std::align_val_t{alignment}); }

Tensor::Tensor(Shape shape)
    : shape_(std::move(shape))
    , size_(static_cast<std::size_t>(elementCount(shape_))) {
    data_.reset(static_cast<float*>(
        ::operator new[](std::max<std::size_t>(size_, 1) * sizeof(float), std::align_val_t{alignment})));
    std::fill_n(data_.get(), size_, 0.0f);
}

} // namespace earshot::tensor
