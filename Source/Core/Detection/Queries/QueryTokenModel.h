// Queries in the place of a model's classes: zero-shot detection with everything that is built on TokenModel.
//
// A window is scored as a whole, so all of its tokens carry its score; what is finer comes from windows that
// overlap. Windows are the whole tokens within the clips that the model is published for (EmbeddingPass.h),
// cut from the stream's spectrogram and stretched as the model does: 960 frames (6.97 s) instead of the 965
// of Microsoft's 7 s, 992 (9.92 s) instead of the 1001 of LAION's 10 s.
#pragma once

#include "Core/Detection/Queries/Queries.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Weights.h"

#include <memory>
#include <span>

namespace earshot::detection {

// Of its passes. Throws as below.
PassShape queryShape(const model::Weights& weights, const Queries& queries);

// Throws earshot::Error when the model has no projected embedding, or queries are of another size than it.
std::unique_ptr<TokenModel> makeQueryTokenModel(std::shared_ptr<const model::Weights> weights,
                                                std::shared_ptr<const Queries> queries, QueryScores scores);

// vector: (queries.dimensions), of any length; scale: what cosines are multiplied with in a softmax.
// scores: one for each query.
void scoreQueries(const Queries& queries, std::span<const float> vector, QueryScores how, float scale,
                  std::span<float> scores);

} // namespace earshot::detection
