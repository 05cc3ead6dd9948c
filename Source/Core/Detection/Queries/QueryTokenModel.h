// Queries in place of a model's classes, or beside them: zero-shot detection with everything that uses a
// TokenModel.
//
// A token's numbers are the model's own probabilities (where queries join them, or may), the window's vector
// and, with QueryTimes::token, the token's own vector; vectors have length 1. A column's mean vectors are
// scored by a ColumnScorer, so that kept vectors can be scored again with other queries. With
// QueryTimes::window all tokens of a window have the same vector, and overlapping windows give the finer
// resolution. Without queries yet, columns have the model's own classes.
//
// A window has the largest number of whole tokens within the clip that the model is published for
// (EmbeddingPass.h). It is cut from the stream's spectrogram and stretched as the model does: 960 frames
// (6.97 s) instead of the 965 of Microsoft's 7 s, 992 (9.92 s) instead of the 1001 of LAION's 10 s.
// One thread at a time uses a model.
#pragma once

#include "Core/Detection/Queries/Queries.h"
#include "Core/Detection/Windows/ColumnScorer.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Weights.h"

#include <memory>
#include <span>

namespace earshot::detection {

// The shape of a query model's passes. Throws earshot::Error if the model has no projected embedding.
PassShape queryShape(const model::Weights& weights);

// Scores the columns of the model's token models. queries: null if there are none yet, which takes
// how.keepsClasses. Throws as queryShape(), or if the size of the model's vectors differs from the queries'.
std::shared_ptr<const ColumnScorer> makeQueryScorer(const model::Weights& weights,
                                                    std::shared_ptr<const Queries> queries,
                                                    const QueryListening& how);
// Throws as makeQueryScorer() does.
std::unique_ptr<TokenModel> makeQueryTokenModel(std::shared_ptr<const model::Weights> weights,
                                                std::shared_ptr<const Queries> queries,
                                                const QueryListening& how);

// vector: (queries.dimensions), of any length. scale: multiplies the cosines in a softmax.
// scores: one per name.
void scoreQueries(const Queries& queries, std::span<const float> vector, QueryScores how, float scale,
                  std::span<float> scores);

} // namespace earshot::detection
