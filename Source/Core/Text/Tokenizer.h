// The ids of a text, as the text halves of CLAP read them: byte-level BPE with the vocabularies of GPT-2 and
// RoBERTa.
//
// A text is cut into pieces (words, numbers, punctuation, white space), and the bytes of each piece are
// merged pair by pair until no pair of neighbours has a merge. What is left are symbols, and each symbol has
// an id.
//
// Pure functions of bytes: any thread. The tables are compiled in, made at the first call and never changed.
// Bytes that are not UTF-8 count as U+FFFD (Base/Unicode.h). Time is nearly proportional to the length of a
// text. A text that is longer than `maxTextLength` throws Error.
//
// References: openai/gpt-2 9b63575, encoder.py. CLAPWrapper.preprocess_text of microsoft/CLAP e8a6467.
// RobertaTokenizer of transformers 4.40, as LAION-AI/CLAP 1fd4c37 calls it. Resources/vocabulary/README.md
// says where the tables are from.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace earshot::text {

enum class Vocabulary { gpt2, roberta };

// How many ids each vocabulary has: rows of a model's embedding.
inline constexpr int gpt2Ids = 50257;
inline constexpr int robertaIds = 50265;

// The id that stands for no text. MS CLAP takes that of "!", so that a "!" in a text counts as padding too.
inline constexpr int msClapPadding = 0;
inline constexpr int laionPadding = 1;

// The most ids of a text that LAION-CLAP reads, its two ends included. MS CLAP cuts no text.
inline constexpr std::size_t laionLength = 77;

inline constexpr std::size_t maxTextLength = std::size_t{1} << 20; // bytes

// The ids of the text alone. Special strings, such as "<mask>", are text like any other.
std::vector<int> encode(std::string_view text, Vocabulary vocabulary);

// What MS CLAP 2023 makes of a text, without padding. It ends with the ids of a space and "<|endoftext|>". In
// the text "!" and "<|endoftext|>" are special: they part what is before from what is after.
std::vector<int> msClapIds(std::string_view text);

// What LAION-CLAP makes of a text, without padding: "<s>", at most 75 ids, "</s>". In the text "<s>",
// "<pad>",
// "</s>", "<unk>" and "<mask>" are special, and white space before "<mask>" is left out.
// cut: if given, set to whether the text has more ids than are taken.
std::vector<int> laionIds(std::string_view text, bool* cut = nullptr);

} // namespace earshot::text
