#include "Core/Model/Precision/Precision.h"

#include "Core/Tensor/Primitives.h"

#include <array>

namespace earshot::model {

namespace {

struct Names {
    Precision precision;
    std::string_view optionName, plainName;
};

constexpr std::array names{
    Names{Precision::automatic, "auto", "automatic"}, Names{Precision::float32, "f32", "float32"},
    Names{Precision::bfloat16, "bf16", "bfloat16"}, Names{Precision::int8, "int8", "int8"}};

const Names& namesOf(Precision precision) {
    for (const auto& entry : names)
        if (entry.precision == precision) return entry;
    return names.front();
}

} // namespace

std::string_view optionName(Precision precision) { return namesOf(precision).optionName; }

std::optional<Precision> precisionNamed(std::string_view optionName) {
    for (const auto& entry : names)
        if (entry.optionName == optionName) return entry.precision;
    return std::nullopt;
}

std::string_view plainName(Precision precision) { return namesOf(precision).plainName; }

PrecisionChoice choosePrecision(Precision wanted) {
    const bool bfloat16 = tensor::hasFastBFloat16(), bytes = tensor::hasFastBytes();
    switch (wanted) {
    case Precision::float32:
        break;
    case Precision::bfloat16:
        if (bfloat16) return {wanted, "as asked for"};
        return {Precision::float32, "this CPU has no fast bfloat16 (AMX, or AVX512-BF16 by AMD)", true};
    case Precision::int8:
        if (bytes) return {wanted, "as asked for"};
        return {Precision::float32, "this CPU has no fast int8 (AVX512-VNNI)", true};
    case Precision::automatic:
        if (bfloat16) return {Precision::bfloat16, "this CPU multiplies bfloat16 fast"};
        if (bytes)
            return {Precision::int8, "this CPU multiplies int8 (AVX512-VNNI), and bfloat16 only slowly"};
        return {Precision::float32, "this CPU has neither fast bfloat16 nor fast int8 (AVX512-VNNI)"};
    }
    return {Precision::float32, "as asked for"};
}

PrecisionChoice choosePrecision(Precision wanted, BlockKind block) {
    auto choice = choosePrecision(wanted);
    if (block == BlockKind::v1 || choice.precision != Precision::int8) return choice;
    const bool bfloat16 = tensor::hasFastBFloat16();
    return {bfloat16 ? Precision::bfloat16 : Precision::float32, "Swin V2 blocks are too inexact in int8",
            wanted == Precision::int8};
}

} // namespace earshot::model
