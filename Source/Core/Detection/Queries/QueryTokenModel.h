// Queries in place of a model's classes: zero-shot detection with everything that uses a TokenModel.
//
// A window is scored as a whole, so all of its tokens have the same score; overlapping windows give the finer
// resolution. A window has the largest number of whole tokens within the clip that the model is published for
// (EmbeddingPass.h). It is cut from the stream's spectrogram and stretched as the model does: 960 frames
// (6.97 s) instead of the 965 of Microsoft's 7 s, 992 (9.92 s) instead of the 1001 of LAION's 10 s.
// One thread at a time uses a model.
#pragma once

#include "Core/Detection/Queries/Queries.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Weights.h"

#include <memory>
#include <span>

namespace earshot::detection {

// The shape of a query model's passes. Throws as makeQueryTokenModel() does.
PassShape queryShape(const model::Weights& weights, const Queries& queries);

// Throws earshot::Error if the model has no projected embedding, or its size differs from the queries'.
std::unique_ptr<TokenModel> makeQueryTokenModel(std::shared_ptr<const model::Weights> weights,
                                                std::shared_ptr<const Queries> queries, QueryScores scores);

// vector: (queries.dimensions), of any length. scale: multiplies the cosines in a softmax.
// scores: one per name.
void scoreQueries(const Queries& queries, std::span<const float> vector, QueryScores how, float scale,
                  std::span<float> scores);

} // namespace earshot::detection
