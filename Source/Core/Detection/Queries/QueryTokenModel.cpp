#include "Core/Detection/Queries/QueryTokenModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/EmbeddingPass.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/Network.h"
#include "Core/Tensor/Dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace earshot::detection {

namespace {

// Where the numbers of a token or column are.
struct Layout {
    std::size_t classes = 0; // the model's own, first
    std::size_t dimensions = 0;
    bool hasTokens = false;

    std::size_t values() const { return classes + dimensions * (hasTokens ? 2 : 1); }
    template <typename Values>
    Values window(Values token) const {
        return token.subspan(classes, dimensions);
    }
    template <typename Values>
    Values own(Values token) const {
        return token.subspan(classes + dimensions, dimensions);
    }
};

// queries: may be null. Throws where they do not belong to the model.
Layout layoutOf(const model::Weights& weights, const Queries* queries, const QueryListening& how) {
    const int dimensions = embeddingDimensions(weights, EmbeddingKind::projected);
    assert(queries != nullptr || how.keepsClasses);
    if (queries != nullptr && queries->dimensions != dimensions)
        throw Error(
            fmt::format("{}: embeds sounds in {} values, but queries have {} each; embed the texts with "
                        "the text half of the same model",
                        displayName(weights.file()), dimensions, queries->dimensions));
    return {.classes = how.joins || how.keepsClasses ? static_cast<std::size_t>(weights.config().classes) : 0,
            .dimensions = static_cast<std::size_t>(dimensions),
            .hasTokens = how.times == QueryTimes::token};
}

class QueryScorer : public ColumnScorer {
  public:
    QueryScorer(const model::Weights& weights, std::shared_ptr<const Queries> queries,
                const QueryListening& how)
        : queries_(std::move(queries))
        , layout_(layoutOf(weights, queries_.get(), how))
        , shown_(queries_ == nullptr || how.joins ? layout_.classes : 0)
        , scores_(how.scores)
        , scale_(weights.projection()->scale) {}

    int values() const override { return static_cast<int>(layout_.values()); }
    int classes() const override {
        return static_cast<int>(shown_) + (queries_ == nullptr ? 0 : queries_->count());
    }

    void score(std::span<const float> values, std::span<float> probabilities) const override {
        // Rounding may make a mean exceed 1.
        std::ranges::transform(values.first(shown_), probabilities.begin(),
                               [](float value) { return std::clamp(value, 0.0f, 1.0f); });
        if (queries_ == nullptr) return;
        const auto words = probabilities.subspan(shown_);
        scoreQueries(*queries_, layout_.window(values), scores_, scale_, words);
        if (!layout_.hasTokens) return;
        std::vector<float> own(words.size());
        scoreQueries(*queries_, layout_.own(values), scores_, scale_, own);
        std::ranges::transform(words, own, words.begin(), [](float a, float b) { return std::min(a, b); });
    }

  private:
    std::shared_ptr<const Queries> queries_; // may be null
    Layout layout_;
    std::size_t shown_; // of the model's own classes: all or none
    QueryScores scores_;
    float scale_;
};

class QueryTokenModel : public TokenModel {
  public:
    QueryTokenModel(std::shared_ptr<const model::Weights> weights, std::shared_ptr<const Queries> queries,
                    const QueryListening& how)
        : weights_(std::move(weights))
        , queries_(std::move(queries))
        , how_(how)
        , layout_(layoutOf(*weights_, queries_.get(), how))
        , scorer_(makeQueryScorer(*weights_, queries_, how))
        , shape_(queryShape(*weights_))
        , network_(weights_)
        , projection_(weights_)
        , window_(layout_.dimensions) {
        if (layout_.hasTokens)
            frames_.resize(static_cast<std::size_t>(shape_.tokens()) *
                           static_cast<std::size_t>(weights_->config().latentDim()));
    }

    int melBands() const override { return network_.config().melBands; }
    int windowFrames() const override { return shape_.windowFrames; }
    int framesPerToken() const override { return shape_.framesPerToken; }
    int classes() const override { return scorer_->classes(); }
    int values() const override { return scorer_->values(); }
    std::shared_ptr<const ColumnScorer> scorer() const override { return scorer_; }
    bool repeatsShortAudio() const override { return detection::repeatsShortAudio(*weights_); }

    void run(std::span<const float> logMel, std::span<float> tokens) override {
        const auto output = network_.run(logMel);
        project(output.latent, window_);
        if (layout_.hasTokens) network_.frameTokens(frames_);
        const std::size_t count = tokens.size() / layout_.values();
        for (std::size_t t = 0; t < count; ++t) {
            const auto token = tokens.subspan(t * layout_.values(), layout_.values());
            averageSteps(output.tokens, t, count, token.first(layout_.classes));
            std::ranges::copy(window_, layout_.window(token).begin());
            if (!layout_.hasTokens) continue;
            const std::size_t channels = frames_.size() / count;
            project(std::span<const float>(frames_).subspan(t * channels, channels), layout_.own(token));
        }
    }

    std::unique_ptr<TokenModel> clone() const override {
        return std::make_unique<QueryTokenModel>(weights_, queries_, how_);
    }

  private:
    void project(std::span<const float> latent, std::span<float> vector) {
        std::ranges::copy(projection_.run(latent), vector.begin());
        model::normaliseLength(vector);
    }

    // A head may speak more often than there are tokens. steps: (steps, classes); probabilities: of a token.
    static void averageSteps(std::span<const float> steps, std::size_t token, std::size_t tokens,
                             std::span<float> probabilities) {
        const std::size_t classes = probabilities.size();
        if (classes == 0) return;
        const std::size_t each = steps.size() / classes / tokens;
        std::ranges::fill(probabilities, 0.0f);
        for (std::size_t step = token * each; step < (token + 1) * each; ++step)
            for (std::size_t c = 0; c < classes; ++c)
                probabilities[c] += steps[step * classes + c] / static_cast<float>(each);
    }

    std::shared_ptr<const model::Weights> weights_;
    std::shared_ptr<const Queries> queries_;
    QueryListening how_;
    Layout layout_;
    std::shared_ptr<const ColumnScorer> scorer_;
    PassShape shape_;
    model::Network network_;
    model::ClapProjection projection_;
    std::vector<float> window_; // (dimensions)
    std::vector<float> frames_; // (tokens, latentDim); empty: tokens have no vectors
};

// The cosines of the rivals, which come after the queries'.
double zscore(double cosine, std::span<const double> negatives) {
    const auto count = static_cast<double>(negatives.size());
    const double mean = std::accumulate(negatives.begin(), negatives.end(), 0.0) / count;
    double squares = 0.0;
    for (const double negative : negatives) squares += (negative - mean) * (negative - mean);
    const double deviation = std::max(std::sqrt(squares / count), minDeviation);
    return 0.5 * std::erfc(-(cosine - mean) / deviation / std::numbers::sqrt2);
}

// The shares of the first values among all. The largest value is subtracted, so that no power overflows.
void softmax(std::span<const double> cosines, float scale, std::span<float> shares) {
    const double largest = *std::ranges::max_element(cosines);
    double sum = 0.0;
    const auto power = [&](double cosine) { return std::exp(scale * (cosine - largest)); };
    for (const double cosine : cosines) sum += power(cosine);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = static_cast<float>(power(cosines[i]) / sum);
}

// The share of one value among itself and the rivals.
float shareOf(double cosine, std::span<const double> negatives, float scale) {
    double others = 0.0;
    for (const double negative : negatives) others += std::exp(scale * (negative - cosine));
    return static_cast<float>(1.0 / (1.0 + others));
}

} // namespace

void scoreQueries(const Queries& queries, std::span<const float> vector, QueryScores how, float scale,
                  std::span<float> scores) {
    assert(vector.size() == static_cast<std::size_t>(queries.dimensions));
    assert(scores.size() == queries.names.size() && queries.negatives >= minNegatives(how));
    const auto all = queries.names.size() + static_cast<std::size_t>(queries.negatives);
    std::vector<double> cosines(all);
    const double squares = tensor::dot(vector, vector);
    const double length = squares > 0.0 ? std::sqrt(squares) : 1.0;
    const std::span<const float> vectors(queries.vectors);
    for (std::size_t i = 0; i < all; ++i)
        cosines[i] = tensor::dot(vector, vectors.subspan(i * vector.size(), vector.size())) / length;
    if (how == QueryScores::softmax) {
        softmax(cosines, scale, scores);
        return;
    }
    const auto negatives = std::span<const double>(cosines).subspan(scores.size());
    std::ranges::transform(std::span(cosines).first(scores.size()), scores.begin(), [&](double cosine) {
        if (how == QueryScores::each) return shareOf(cosine, negatives, scale);
        // Rounding may make a cosine exceed 1.
        return static_cast<float>(how == QueryScores::zscore ? zscore(cosine, negatives)
                                                             : std::clamp(cosine, 0.0, 1.0));
    });
}

PassShape queryShape(const model::Weights& weights) {
    embeddingDimensions(weights, EmbeddingKind::projected); // throws where there is none
    const int tokens = weights.config().gridColumns();
    const int frames = std::max(1, static_cast<int>(publishedClip(weights).frames / tokens));
    return {.windowFrames = frames * tokens, .framesPerToken = frames};
}

std::shared_ptr<const ColumnScorer> makeQueryScorer(const model::Weights& weights,
                                                    std::shared_ptr<const Queries> queries,
                                                    const QueryListening& how) {
    return std::make_shared<QueryScorer>(weights, std::move(queries), how);
}

std::unique_ptr<TokenModel> makeQueryTokenModel(std::shared_ptr<const model::Weights> weights,
                                                std::shared_ptr<const Queries> queries,
                                                const QueryListening& how) {
    return std::make_unique<QueryTokenModel>(std::move(weights), std::move(queries), how);
}

} // namespace earshot::detection
