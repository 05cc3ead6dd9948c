#include "Core/Model/Reading/DType.h"

#include "Core/Base/Float16.h"
#include "Core/Tensor/InstructionSets.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

namespace earshot::model {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

namespace {

// The pointers do not overlap.
[[gnu::always_inline]] inline void widenHalves(const std::byte* __restrict stored, float* __restrict values,
                                               std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, stored + i * sizeof half, sizeof half);
        values[i] = fromFloat16(half);
    }
}

#if defined(__x86_64__)
// The same loop, compiled for registers of twice the width.
[[gnu::target("avx2")]] void widenHalvesAvx2(const std::byte* stored, float* values, std::size_t count) {
    widenHalves(stored, values, count);
}
#endif

void halvesToFloat32(std::span<const std::byte> stored, std::span<float> values) {
#if defined(__x86_64__)
    if (tensor::bestInstructionSet() != tensor::InstructionSet::portable)
        return widenHalvesAvx2(stored.data(), values.data(), values.size());
#endif
    widenHalves(stored.data(), values.data(), values.size());
}

float bfloatToFloat(std::uint16_t bfloat) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16);
}

template <typename Stored, typename Convert>
void convertAll(std::span<const std::byte> stored, std::span<float> values, Convert convert) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored element;
        std::memcpy(&element, stored.data() + i * sizeof element, sizeof element);
        values[i] = convert(element);
    }
}

template <typename Stored>
void castAll(std::span<const std::byte> stored, std::span<float> values) {
    convertAll<Stored>(stored, values, [](Stored element) { return static_cast<float>(element); });
}

} // namespace

const char* name(DType dtype) {
    switch (dtype) {
    case DType::float16:
        return "float16";
    case DType::bfloat16:
        return "bfloat16";
    case DType::float32:
        return "float32";
    case DType::float64:
        return "float64";
    case DType::int64:
        return "int64";
    case DType::int32:
        return "int32";
    case DType::int16:
        return "int16";
    case DType::int8:
        return "int8";
    case DType::uint8:
        return "uint8";
    case DType::boolean:
        return "bool";
    }
    assert(false);
    return "";
}

std::size_t byteSize(DType dtype) {
    switch (dtype) {
    case DType::float64:
    case DType::int64:
        return 8;
    case DType::float32:
    case DType::int32:
        return 4;
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
        return 2;
    case DType::int8:
    case DType::uint8:
    case DType::boolean:
        return 1;
    }
    assert(false);
    return 1;
}

void toFloat32(DType dtype, std::span<const std::byte> stored, std::span<float> values) {
    assert(stored.size() == values.size() * byteSize(dtype));
    switch (dtype) {
    case DType::float16:
        return halvesToFloat32(stored, values);
    case DType::bfloat16:
        return convertAll<std::uint16_t>(stored, values, bfloatToFloat);
    case DType::float32:
        return castAll<float>(stored, values);
    case DType::float64:
        return castAll<double>(stored, values);
    case DType::int64:
        return castAll<std::int64_t>(stored, values);
    case DType::int32:
        return castAll<std::int32_t>(stored, values);
    case DType::int16:
        return castAll<std::int16_t>(stored, values);
    case DType::int8:
        return castAll<std::int8_t>(stored, values);
    case DType::uint8:
        return castAll<std::uint8_t>(stored, values);
    case DType::boolean:
        return convertAll<std::uint8_t>(stored, values,
                                        [](std::uint8_t element) { return element != 0 ? 1.0f : 0.0f; });
    }
    assert(false);
}

std::optional<std::int64_t> checkedProduct(std::int64_t a, std::int64_t b) {
    if (a < 0 || b < 0) return std::nullopt;
    if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) return std::nullopt;
    return a * b;
}

std::optional<std::int64_t> checkedElementCount(const tensor::Shape& shape) {
    std::int64_t count = 1;
    for (const auto extent : shape) {
        const auto product = checkedProduct(count, extent);
        if (!product) return std::nullopt;
        count = *product;
    }
    return count;
}

} // namespace earshot::model
