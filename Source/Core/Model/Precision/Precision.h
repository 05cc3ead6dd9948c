// The numbers a pass computes with: chosen when weights are loaded, from what is wanted and what this CPU is
// fast at. Sums, the residual stream and softmaxes are float32 in all of them. Any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::model {

enum class Precision {
    automatic, // the fastest of the others here
    float32,
    bfloat16, // weights and what layers hand to one another; half the memory
    int8,     // likewise, but for the head: a quarter
};

inline constexpr std::array allPrecisions{Precision::automatic, Precision::float32, Precision::bfloat16,
                                          Precision::int8};

// "auto", "f32", "bf16", "int8": as options take them.
std::string_view optionName(Precision precision);
std::optional<Precision> precisionNamed(std::string_view optionName);
// "automatic", "float32", "bfloat16", "int8": for people.
std::string_view plainName(Precision precision);

struct PrecisionChoice {
    Precision precision = Precision::float32; // never automatic
    std::string reason;                       // "this CPU multiplies bfloat16 (AVX512-BF16)"
    bool refused = false;                     // another one was asked for that would be slow here
};

// What this CPU makes of a wish, within what DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA allow. A precision that
// would be slow here becomes float32.
PrecisionChoice choosePrecision(Precision wanted);

} // namespace earshot::model
