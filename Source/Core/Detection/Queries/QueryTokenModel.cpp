#include "Core/Detection/Queries/QueryTokenModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/EmbeddingPass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace earshot::detection {

namespace {

class QueryTokenModel : public TokenModel {
  public:
    QueryTokenModel(std::shared_ptr<const model::Weights> weights, std::shared_ptr<const Queries> queries,
                    QueryScores scores)
        : weights_(std::move(weights))
        , queries_(std::move(queries))
        , scores_(scores)
        , pass_(weights_, EmbeddingKind::projected)
        , shape_(queryShape(*weights_, *queries_)) {}

    int melBands() const override { return pass_.config().melBands; }
    int windowFrames() const override { return shape_.windowFrames; }
    int framesPerToken() const override { return shape_.framesPerToken; }
    int classes() const override { return queries_->count(); }

    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        const auto count = static_cast<std::size_t>(classes());
        const auto first = probabilities.first(count);
        scoreQueries(*queries_, pass_.run(logMel), scores_, weights_->projection()->scale(), first);
        for (std::size_t i = count; i < probabilities.size(); i += count)
            std::ranges::copy(first, probabilities.begin() + static_cast<std::ptrdiff_t>(i));
    }

    std::unique_ptr<TokenModel> another() const override {
        return std::make_unique<QueryTokenModel>(weights_, queries_, scores_);
    }

  private:
    std::shared_ptr<const model::Weights> weights_;
    std::shared_ptr<const Queries> queries_;
    QueryScores scores_;
    EmbeddingPass pass_;
    PassShape shape_;
};

// The shares of the first values among all. The largest value is subtracted, so that no power overflows.
void softmax(std::span<const double> cosines, float scale, std::span<float> shares) {
    const double largest = *std::ranges::max_element(cosines);
    double sum = 0.0;
    const auto power = [&](double cosine) { return std::exp(scale * (cosine - largest)); };
    for (const double cosine : cosines) sum += power(cosine);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = static_cast<float>(power(cosines[i]) / sum);
}

} // namespace

void scoreQueries(const Queries& queries, std::span<const float> vector, QueryScores how, float scale,
                  std::span<float> scores) {
    assert(vector.size() == static_cast<std::size_t>(queries.dimensions));
    assert(scores.size() == queries.names.size());
    const auto all = queries.names.size() + static_cast<std::size_t>(queries.rivals);
    std::vector<double> cosines(all);
    const double squares = std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0);
    const double length = squares > 0.0 ? std::sqrt(squares) : 1.0;
    for (std::size_t i = 0; i < all; ++i)
        cosines[i] = std::inner_product(vector.begin(), vector.end(),
                                        queries.vectors.data() + i * vector.size(), 0.0) /
                     length;
    // Rounding may make a cosine exceed 1.
    if (how == QueryScores::cosine)
        std::ranges::transform(std::span(cosines).first(scores.size()), scores.begin(), [](double cosine) {
            return static_cast<float>(std::clamp(cosine, 0.0, 1.0));
        });
    else
        softmax(cosines, scale, scores);
}

PassShape queryShape(const model::Weights& weights, const Queries& queries) {
    const int dimensions = embeddingDimensions(weights, EmbeddingKind::projected);
    if (queries.dimensions != dimensions)
        throw Error(
            fmt::format("{}: embeds sounds in {} values, but queries have {} each; embed the texts with "
                        "the text half of the same model",
                        displayName(weights.file()), dimensions, queries.dimensions));
    const int tokens = weights.config().stepsPerWindow();
    const int frames = std::max(1, static_cast<int>(publishedClip(weights).frames / tokens));
    return {.windowFrames = frames * tokens, .framesPerToken = frames};
}

std::unique_ptr<TokenModel> makeQueryTokenModel(std::shared_ptr<const model::Weights> weights,
                                                std::shared_ptr<const Queries> queries, QueryScores scores) {
    return std::make_unique<QueryTokenModel>(std::move(weights), std::move(queries), scores);
}

} // namespace earshot::detection
