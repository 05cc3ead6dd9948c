// The text half of a CLAP model: turns texts into vectors of the space that they share with audio.
//   Microsoft CLAP 2023 (Elizalde et al., ICASSP 2024): GPT-2 (Radford et al. 2019), the row of the last
//   token,
//     and a projection as the audio's; vectors are not normalised
//   LAION-CLAP (Wu et al., ICASSP 2023): RoBERTa (Liu et al. 2019), the pooled first row, two linear layers;
//     vectors have length 1
//
// All texts go through a layer together, and a layer is read when they reach it, so that one layer is in
// memory at a time. Of the table of words only the rows that occur are read. Runs on tensor::threadCount()
// threads. One thread at a time.
#pragma once

#include "Core/Model/Precision/Precision.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"
#include "Core/Text/TextHalf.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace earshot::text {

class TextEncoder {
  public:
    // The layers' products have float32 operands, or bfloat16 ones for any other precision if this CPU
    // multiplies bfloat16 fast; all else is float32. Throws earshot::Error if the file holds no text half, or
    // as findTextHalf(). The checkpoint must outlive the encoder. Its stop token ends embed().
    explicit TextEncoder(model::Checkpoint& checkpoint,
                         model::Precision precision = model::Precision::float32);

    const TextHalf& half() const { return half_; }
    // Returns (texts, dimensions). Texts are UTF-8, taken as they are: prompts are the caller's. Throws
    // earshot::Error if a text has too many tokens (LAION's are cut instead), if a tensor is missing, of
    // another shape, or holds values that are not numbers, or if a vector does.
    tensor::Tensor embed(std::span<const std::string> texts);

    // What a step gives, as (rows of all texts, channels): "embeddings", "layer1" and so on, "final_norm" and
    // "pooled" (one row a text). For tests.
    using Observer = std::function<void(const std::string& step, std::span<const float> rows)>;
    void setObserver(Observer observer) { observer_ = std::move(observer); }

    // How many texts embed() has cut so far, because they had too many tokens.
    std::size_t cutTexts() const { return cutTexts_; }
    // Called by embed() with the share that is done, 0 to 1. It may throw, which ends embed().
    using Progress = std::function<void(double share)>;
    void setProgress(Progress progress) { progress_ = std::move(progress); }

  private:
    model::Checkpoint& checkpoint_;
    TextHalf half_;
    tensor::Number operands_;
    Observer observer_;
    Progress progress_;
    std::size_t cutTexts_ = 0;
};

} // namespace earshot::text
