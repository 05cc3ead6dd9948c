// The text half of a CLAP model: turns texts into vectors of the space that they share with audio.
//   Microsoft CLAP 2023 (Elizalde et al., ICASSP 2024): GPT-2 (Radford et al. 2019), the row of the last
//   token,
//     and a projection as the audio's; vectors are not normalised
//   LAION-CLAP (Wu et al., ICASSP 2023): RoBERTa (Liu et al. 2019), the pooled first row, two linear layers;
//     vectors have length 1
//
// All texts go through a layer together, and a layer is read when they reach it, so that one layer is in
// memory at a time. Of the table of words only the rows that occur are read. float32. Runs on
// tensor::threadCount() threads. One thread at a time.
#pragma once

#include "Core/Tensor/Tensor.h"
#include "Core/Text/TextHalf.h"

#include <functional>
#include <span>
#include <string>

namespace earshot::text {

class TextEncoder {
  public:
    // Throws earshot::Error if the file holds no text half, or as findTextHalf(). The checkpoint must outlive
    // the encoder. Its stop token ends embed().
    explicit TextEncoder(model::Checkpoint& checkpoint);

    const TextHalf& half() const { return half_; }
    // Returns (texts, dimensions). Texts are UTF-8, taken as they are: prompts are the caller's. Throws
    // earshot::Error if a text has too many tokens (LAION's are cut instead), or if a tensor is missing, of
    // another shape, or holds values that are not numbers.
    tensor::Tensor embed(std::span<const std::string> texts);

    // What a step gives, as (rows of all texts, channels): "embeddings", "layer1" and so on, "final_norm" and
    // "pooled" (one row a text). For tests.
    using Observer = std::function<void(const std::string& step, std::span<const float> rows)>;
    void setObserver(Observer observer) { observer_ = std::move(observer); }

  private:
    model::Checkpoint& checkpoint_;
    TextHalf half_;
    Observer observer_;
};

} // namespace earshot::text
