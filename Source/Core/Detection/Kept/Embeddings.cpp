#include "Core/Detection/Kept/Embeddings.h"

#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/WindowPool.h"
#include "Core/Frontend/LogMel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>

namespace earshot::detection {

namespace {

// Samples processed at a time. It bounds the memory beside one window for any size of push().
constexpr std::size_t embeddingBlock = 8192;

// Lets a WindowPool run embedding passes: a whole clip is one token, and its "probabilities" are the vector.
class EmbeddingModel : public TokenModel {
  public:
    EmbeddingModel(std::shared_ptr<const model::Weights> weights, EmbeddingKind kind)
        : weights_(std::move(weights))
        , kind_(kind)
        , pass_(weights_, kind)
        , frames_(static_cast<int>(publishedClip(*weights_).frames)) {}

    int melBands() const override { return pass_.config().melBands; }
    int windowFrames() const override { return frames_; }
    int framesPerToken() const override { return frames_; }
    int classes() const override { return embeddingDimensions(*weights_, kind_); }

    void run(std::span<const float> logMel, std::span<float> values) override {
        std::ranges::copy(pass_.run(logMel), values.begin());
    }
    std::unique_ptr<TokenModel> clone() const override {
        return std::make_unique<EmbeddingModel>(weights_, kind_);
    }

  private:
    std::shared_ptr<const model::Weights> weights_;
    EmbeddingKind kind_;
    EmbeddingPass pass_;
    int frames_;
};

std::vector<std::unique_ptr<TokenModel>> others(const TokenModel& model, int threads) {
    std::vector<std::unique_ptr<TokenModel>> models;
    for (int i = 1; i < threads; ++i) models.push_back(model.clone());
    return models;
}

} // namespace

struct Embedder::Impl {
    Impl(const std::shared_ptr<const model::Weights>& weights, const EmbeddingSettings& settings)
        : clip(publishedClip(*weights))
        , rate(weights->config().sampleRate)
        , hop(settings.hop ? *settings.hop * rate : static_cast<double>(clip.samples))
        , logMel(logMelSettings(*weights))
        , model(weights, settings.kind)
        , pool(model, others(model, settings.threads))
        , row(static_cast<std::size_t>(model.classes())) {
        assert(hop >= 1.0);
    }

    std::int64_t startOf(std::int64_t window) const {
        return static_cast<std::int64_t>(std::llround(static_cast<double>(window) * hop));
    }
    std::int64_t end() const { return heldFrom + static_cast<std::int64_t>(held.size()); }

    void analyse(std::span<const float> block);
    void begin(std::int64_t samples);
    void complete(std::size_t most);
    void discard(std::int64_t before);
    void fillUp(std::size_t heard);

    struct Begun {
        std::int64_t start, heard; // samples; `heard` is the part within the recording
    };

    ClipShape clip;
    double rate; // Hz
    double hop;  // samples
    frontend::LogMel logMel;
    EmbeddingModel model;
    WindowPool pool; // runs the windows
    Receiver receiver;
    std::vector<float> held;   // the recording's samples from heldFrom on
    std::int64_t heldFrom = 0; // samples
    std::int64_t next = 0;     // number of the next window
    std::deque<Begun> begun;   // oldest first
    std::vector<float> samples;
    std::vector<float> frames;
    std::vector<float> row;
};

void Embedder::Impl::analyse(std::span<const float> block) {
    held.insert(held.end(), block.begin(), block.end());
    while (startOf(next) + clip.samples <= end()) {
        begin(clip.samples);
        complete(pool.enough());
    }
    discard(startOf(next));
}

void Embedder::Impl::discard(std::int64_t before) {
    const auto count = std::min<std::int64_t>(before - heldFrom, static_cast<std::int64_t>(held.size()));
    // Moves the kept samples only after many drops, so that moving costs less than the dropped samples did.
    if (count <= 0 || (count < clip.samples && count < static_cast<std::int64_t>(held.size()))) return;
    held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(count));
    heldFrom += count;
}

// Begins the next window, which covers `heard` samples of the recording.
void Embedder::Impl::begin(std::int64_t heard) {
    const std::int64_t start = startOf(next++);
    const auto first = held.begin() + static_cast<std::ptrdiff_t>(start - heldFrom);
    samples.assign(first, first + static_cast<std::ptrdiff_t>(heard));
    fillUp(static_cast<std::size_t>(heard));
    frames.clear();
    logMel.reset();
    logMel.push(samples, frames);
    logMel.finish(frames);
    pool.add(frames, 0);
    begun.push_back({start, heard});
}

void Embedder::Impl::fillUp(std::size_t heard) {
    const auto whole = static_cast<std::size_t>(clip.samples);
    const std::size_t repeated = clip.silenceFollowsRepeats ? whole / heard * heard : whole;
    samples.resize(whole);
    for (std::size_t i = heard; i < repeated; ++i) samples[i] = samples[i - heard];
}

void Embedder::Impl::complete(std::size_t most) {
    while (begun.size() > most || (!begun.empty() && pool.ready())) {
        const Begun oldest = begun.front();
        begun.pop_front();
        pool.take(row);
        if (receiver)
            receiver({.start = static_cast<double>(oldest.start) / rate,
                      .end = static_cast<double>(oldest.start + oldest.heard) / rate,
                      .values = row});
    }
}

Embedder::Embedder(const std::shared_ptr<const model::Weights>& weights, const EmbeddingSettings& settings)
    : impl_(std::make_unique<Impl>(weights, settings)) {}
Embedder::~Embedder() = default;

void Embedder::setReceiver(Receiver receiver) { impl_->receiver = std::move(receiver); }

void Embedder::push(std::span<const float> samples) {
    while (!samples.empty()) {
        const auto block = samples.first(std::min(samples.size(), embeddingBlock));
        impl_->analyse(block);
        samples = samples.subspan(block.size());
    }
}

void Embedder::finish() {
    Impl& impl = *impl_;
    const std::int64_t start = impl.startOf(impl.next);
    const bool covered = impl.next > 0 && impl.startOf(impl.next - 1) + impl.clip.samples >= impl.end();
    if (start < impl.end() && !covered) impl.begin(impl.end() - start);
    impl.complete(0);
}

void Embedder::reset() {
    Impl& impl = *impl_;
    impl.pool.clear();
    impl.begun.clear();
    impl.held.clear();
    impl.heldFrom = 0;
    impl.next = 0;
}

int Embedder::dimensions() const { return impl_->model.classes(); }

void MeanEmbedding::add(const WindowEmbedding& window) {
    sums_.resize(window.values.size());
    const double weight = window.end - window.start;
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += weight * window.values[i];
    seconds_ += weight;
}

std::vector<float> MeanEmbedding::mean(bool unitLength) const {
    std::vector<float> mean(sums_.size());
    std::ranges::transform(sums_, mean.begin(),
                           [&](double sum) { return static_cast<float>(sum / seconds_); });
    if (unitLength) model::normaliseLength(mean);
    return mean;
}

} // namespace earshot::detection
