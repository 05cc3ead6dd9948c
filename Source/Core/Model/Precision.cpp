#include "Core/Model/Precision.h"

#include "Core/Tensor/Primitives.h"

#include <array>

namespace earshot::model {

namespace {

struct Names {
    Precision precision;
    std::string_view optionName, plainName;
};

constexpr std::array names{Names{Precision::automatic, "auto", "automatic"},
                           Names{Precision::float32, "f32", "float32"},
                           Names{Precision::bfloat16, "bf16", "bfloat16"}};

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
    const bool fast = tensor::hasFastBFloat16();
    if (wanted == Precision::float32) return {Precision::float32, "as asked for"};
    if (fast) return {Precision::bfloat16, "this CPU multiplies bfloat16 (AVX512-BF16 or AMX)"};
    return {Precision::float32, "this CPU has no fast bfloat16 (AVX512-BF16 or AMX)",
            wanted == Precision::bfloat16};
}

} // namespace earshot::model
