// The number type that a pass computes with. It is chosen when weights are loaded, from the user's wish and
// this CPU's fast types. Sums, the residual stream and softmaxes are float32 in every precision. Any thread.
#pragma once

#include "Core/Model/Config.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::model {

enum class Precision {
    automatic, // the fastest of the others on this CPU
    float32,
    bfloat16, // weights and activations between layers: half the memory
    int8,     // weights and activations of all layers but the head: a quarter of the memory
};

inline constexpr std::array allPrecisions{Precision::automatic, Precision::float32, Precision::bfloat16,
                                          Precision::int8};

// "auto", "f32", "bf16", "int8": for command-line options.
std::string_view optionName(Precision precision);
std::optional<Precision> precisionNamed(std::string_view optionName);
// "automatic", "float32", "bfloat16", "int8": for people.
std::string_view plainName(Precision precision);

struct PrecisionChoice {
    Precision precision = Precision::float32; // never automatic
    std::string reason;                       // "this CPU multiplies bfloat16 fast"
    bool refused = false;                     // the wanted precision would be slow on this CPU
};

// Chooses the precision for a wish on this CPU, within the limits of DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA. A
// precision that would be slow on this CPU becomes float32.
PrecisionChoice choosePrecision(Precision wanted);
// The same for a network of these blocks: V2's would be too inexact in int8, which becomes bfloat16 or
// float32.
PrecisionChoice choosePrecision(Precision wanted, BlockKind block);

} // namespace earshot::model
