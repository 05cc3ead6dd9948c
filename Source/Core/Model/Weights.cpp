#include "Core/Model/Weights.h"

#include "Core/Base/Error.h"
#include "Core/Model/Network/Calibration.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Tensor/Threads.h"

#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <tuple>

namespace earshot::model {

namespace {

std::size_t memoryOf(const LayerNormWeights& norm) { return norm.gain.bytes() + norm.bias.bytes(); }

std::size_t memoryOf(const BlockWeights& block) {
    return memoryOf(block.norm1) + block.qkv.memoryBytes() + block.positionBias.bytes() +
           block.scoreScale.bytes() + block.projection.memoryBytes() + memoryOf(block.norm2) +
           block.expand.memoryBytes() + block.contract.memoryBytes();
}

std::size_t memoryOf(const MergingWeights& merging) {
    return memoryOf(merging.norm) + merging.reduction.memoryBytes();
}

std::size_t memoryOf(const StripWeights& strips) {
    std::size_t bytes = strips.patchProjection.memoryBytes() + memoryOf(strips.merging);
    for (const auto& block : strips.blocks) bytes += memoryOf(block);
    return bytes;
}

std::size_t memoryOf(const FineHeadWeights& head) {
    std::size_t bytes = memoryOf(head.norm);
    for (const auto& source : head.sources)
        bytes += source.projection.memoryBytes() + (source.norm ? memoryOf(*source.norm) : 0);
    for (const auto& layer : head.layers) bytes += memoryOf(layer.norm) + layer.convolution.memoryBytes();
    return bytes;
}

// Identifies weights without reading their file: (path, size, modification time, precision), and the rate,
// the hop and the kind of weights that the user states.
using FileKey = std::tuple<std::filesystem::path, std::uintmax_t, std::filesystem::file_time_type, Precision,
                           std::optional<int>, std::optional<int>, std::optional<WeightsKind>>;

FileKey keyOf(const ModelSource& source, Precision precision) {
    const auto& file = source.file;
    const auto& choice = source.choice;
    std::error_code error;
    auto path = std::filesystem::weakly_canonical(file, error);
    const auto size = std::filesystem::file_size(file, error);
    const auto time = std::filesystem::last_write_time(file, error);
    return {std::move(path), size, time, precision, choice.sampleRate, choice.hopSize, choice.weights};
}

using SharedWeights = std::shared_ptr<const Weights>;

// The weights in memory, and those that a thread is reading at the moment.
class WeightsCache {
  public:
    // make() reads the weights. It runs without the lock, so that requests for other files need not wait.
    SharedWeights get(const FileKey& key, const StopToken& stop, const std::function<SharedWeights()>& make) {
        while (true) {
            std::promise<SharedWeights> promise;
            std::shared_future<SharedWeights> others;
            {
                const std::lock_guard lock(mutex_);
                if (const auto found = ready_.find(key); found != ready_.end())
                    if (auto weights = found->second.lock()) return weights;
                const auto [reading, mine] = reading_.try_emplace(key);
                if (mine)
                    reading->second = promise.get_future().share();
                else
                    others = reading->second;
            }
            if (!others.valid()) return read(key, promise, make);
            if (auto weights = wait(others, stop)) return weights;
        }
    }

  private:
    // Passes the outcome to waiting threads: the weights, the exception, or null if this thread was stopped.
    SharedWeights read(const FileKey& key, std::promise<SharedWeights>& promise,
                       const std::function<SharedWeights()>& make) {
        try {
            auto weights = make();
            keep(key, weights);
            promise.set_value(weights);
            return weights;
        } catch (const Stopped&) {
            keep(key, nullptr);
            promise.set_value(nullptr);
            throw;
        } catch (...) {
            keep(key, nullptr);
            promise.set_exception(std::current_exception());
            throw;
        }
    }

    void keep(const FileKey& key, const SharedWeights& weights) {
        const std::lock_guard lock(mutex_);
        reading_.erase(key);
        std::erase_if(ready_, [](const auto& entry) { return entry.second.expired(); });
        if (weights) ready_[key] = weights;
    }

    static SharedWeights wait(const std::shared_future<SharedWeights>& others, const StopToken& stop) {
        constexpr auto lookEvery = std::chrono::milliseconds(5);
        while (others.wait_for(lookEvery) != std::future_status::ready) stop.check();
        return others.get();
    }

    std::mutex mutex_;
    std::map<FileKey, std::weak_ptr<const Weights>> ready_;
    std::map<FileKey, std::shared_future<SharedWeights>> reading_;
};

// The cache is never destroyed: a thread that is still running at exit may use it.
WeightsCache& cache() {
    static auto& instance = *new WeightsCache;
    return instance;
}

// int8 becomes float32 without a maker, because nothing could calibrate it.
Precision resolve(Precision wanted, const CalibrationMaker& maker) {
    const auto precision = choosePrecision(wanted).precision;
    return precision == Precision::int8 && !maker ? Precision::float32 : precision;
}

} // namespace

Weights::Weights(Checkpoint& checkpoint, Precision precision)
    : Weights(checkpoint, resolve(precision, {}), nullptr) {}

Weights::Weights(Checkpoint& checkpoint, const ActivationRanges& ranges)
    : Weights(checkpoint, Precision::int8, &ranges) {}

Weights::Weights(Checkpoint& checkpoint, Precision precision, const ActivationRanges* ranges)
    : source_(checkpoint.file(), checkpoint.choice())
    , format_(checkpoint.format())
    , precision_(precision)
    , metadata_(checkpoint.metadata()) {
    layout_ = std::make_unique<const CheckpointLayout>(openLayout(checkpoint));
    // Memory limits packing: more threads gain little and would keep spinning in the host.
    const tensor::ThreadCountScope one(1);
    network_ = std::make_unique<const NetworkWeights>(
        readNetworkWeights(checkpoint, layout_->prefix, config(), precision_, ranges, parameterCount_));
    projection_ = readClapProjection(checkpoint, *layout_, parameterCount_);
}

Weights::~Weights() = default;

const Config& Weights::config() const { return layout_->config; }

const std::string& Weights::kind() const { return layout_->kind; }

std::span<const float> Weights::melFilters() const { return network_->melFilters; }

std::size_t Weights::memoryBytes() const {
    const auto& n = *network_;
    std::size_t bytes = n.bandScale.bytes() + n.bandShift.bytes() + n.melFilters.size() * sizeof(float) +
                        n.patchProjection.memoryBytes() + n.absolutePosition.bytes() + memoryOf(n.norm) +
                        n.head.memoryBytes();
    if (projection_) bytes += projection_->memoryBytes();
    if (n.fineHead) bytes += memoryOf(*n.fineHead);
    if (n.patchNorm) bytes += memoryOf(*n.patchNorm);
    for (const auto& stage : n.stages) {
        for (const auto& block : stage.blocks) bytes += memoryOf(block);
        if (stage.merging) bytes += memoryOf(*stage.merging);
    }
    if (n.strips) bytes += memoryOf(*n.strips);
    return bytes;
}

std::shared_ptr<const Weights> makeWeights(Checkpoint& checkpoint, Precision precision,
                                           const CalibrationMaker& maker) {
    auto resolved = resolve(precision, maker);
    if (resolved == Precision::int8)
        resolved = choosePrecision(resolved, readLayout(checkpoint).config.block).precision;
    if (resolved != Precision::int8) return std::make_shared<const Weights>(checkpoint, resolved);
    const auto measure = [&] {
        const Weights exact(checkpoint);
        return measureActivations(exact, maker(exact), checkpoint.stop());
    };
    return std::make_shared<const Weights>(checkpoint, measure());
}

std::shared_ptr<const Weights> loadWeights(const ModelSource& source, Precision precision,
                                           const CalibrationMaker& maker, const StopToken& stop) {
    stop.check();
    return cache().get(keyOf(source, resolve(precision, maker)), stop, [&] {
        const auto checkpoint = Checkpoint::open(source, stop);
        return makeWeights(*checkpoint, precision, maker);
    });
}

} // namespace earshot::model
