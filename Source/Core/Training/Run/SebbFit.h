// Learns from scenes with known events how surely a box is one of them (Detection/Events/SebbScorer). Pure
// function: any thread; some seconds for some hundred scenes.
#pragma once

#include "Core/Detection/Events/Sebbs.h"
#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <memory>
#include <span>

namespace earshot::training {

// Every box of the recordings is an example, with several merge gaps, none below this one. It is right if an
// annotation of its class begins within 0.5 s and ends within 0.5 s or half its length. The least confidence
// is the one with the best F1 of all these events together, with this merge gap (seconds). Returns null if
// fewer than `minSebbs` boxes are right. The same seed gives the same scorer.
inline constexpr int minSebbs = 100;
std::shared_ptr<const detection::SebbScorer> fitSebbs(std::span<const evaluation::Scored> recordings,
                                                      int classes, std::uint64_t seed, double mergeGap = 0.0);

} // namespace earshot::training
