// What a checkpoint says of a CLAP model's text half: GPT-2 in Microsoft CLAP 2023, RoBERTa in LAION-CLAP,
// and a projection into the space that texts share with audio. Read from the names and shapes of tensors
// alone. A plain value: any thread may read it.
#pragma once

#include "Core/Text/Tokenizer.h"

#include <cstdint>
#include <optional>
#include <string>

namespace earshot::model {
class Checkpoint;
}

namespace earshot::text {

struct TextHalf {
    Vocabulary vocabulary = Vocabulary::gpt2; // gpt2: Microsoft's; roberta: LAION's
    std::string prefix;                       // of the encoder: "caption_encoder.base.", "text_branch." ...
    std::string projection;                   // of the projection: "caption_encoder.projection." ...
    int layers = 0;
    int width = 0;
    int heads = 0;
    int positions = 0;  // rows of the table of positions
    int dimensions = 0; // of a text's vector
    std::int64_t parameters = 0;

    // The most tokens of a text, with those that the wrapper adds.
    int maxTextLength() const;
    // A sound's name in the words in which the model's authors test it.
    std::string prompt(const std::string& sound) const;
};

// Returns nothing if the file holds no text half. Files do not say how many heads there are: as in all
// published sizes, a head is 64 wide, but there are at least four. Throws earshot::Error if a shape is none
// of a text half's, or if a layer would take more memory than a model may.
std::optional<TextHalf> findTextHalf(const model::Checkpoint& checkpoint);

} // namespace earshot::text
