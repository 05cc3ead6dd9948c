#include "Core/Model/Weights.h"

#include "Core/Base/Error.h"
#include "Core/Model/Calibration.h"
#include "Core/Model/Checkpoint.h"
#include "Core/Model/ClapProjection.h"
#include "Core/Model/ConfigReader.h"
#include "Core/Model/NetworkWeights.h"
#include "Core/Tensor/Threads.h"

#include <mutex>
#include <tuple>

namespace earshot::model {

namespace {

std::size_t memoryOf(const LayerNormWeights& norm) { return norm.gain.bytes() + norm.bias.bytes(); }

std::size_t memoryOf(const BlockWeights& block) {
    return memoryOf(block.norm1) + block.qkv.memoryBytes() + block.positionBias.bytes() +
           block.projection.memoryBytes() + memoryOf(block.norm2) + block.expand.memoryBytes() +
           block.contract.memoryBytes();
}

std::size_t memoryOf(const MergingWeights& merging) {
    return memoryOf(merging.norm) + merging.reduction.memoryBytes();
}

std::size_t memoryOf(const StripWeights& strips) {
    std::size_t bytes = strips.patchProjection.memoryBytes() + memoryOf(strips.merging);
    for (const auto& block : strips.blocks) bytes += memoryOf(block);
    return bytes;
}

// What tells one file from another without reading it, and what is made of it.
using FileKey = std::tuple<std::filesystem::path, std::uintmax_t, std::filesystem::file_time_type, Precision>;

FileKey keyOf(const std::filesystem::path& file, Precision precision) {
    std::error_code error;
    auto path = std::filesystem::weakly_canonical(file, error);
    const auto size = std::filesystem::file_size(file, error);
    const auto time = std::filesystem::last_write_time(file, error);
    return {std::move(path), size, time, precision};
}

struct WeightsCache {
    std::mutex mutex;
    std::map<FileKey, std::weak_ptr<const Weights>> entries;
};

WeightsCache& cache() {
    static WeightsCache instance;
    return instance;
}

// Without a maker there is nothing to make int8 with.
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
    : file_(checkpoint.file())
    , format_(checkpoint.format())
    , precision_(precision)
    , metadata_(checkpoint.metadata()) {
    const auto layout = readLayout(checkpoint);
    // Packing waits for memory: more threads gain little, and would go on spinning in the host.
    const tensor::ThreadCountScope one(1);
    kind_ = layout.kind;
    config_ = layout.config;
    network_ = std::make_unique<const NetworkWeights>(
        readNetworkWeights(checkpoint, layout.prefix, config_, precision_, ranges, parameterCount_));
    projection_ = readClapProjection(checkpoint, layout, parameterCount_);
}

Weights::~Weights() = default;

std::span<const float> Weights::melFilters() const { return network_->melFilters; }

std::size_t Weights::memoryBytes() const {
    const auto& n = *network_;
    std::size_t bytes = n.bandScale.bytes() + n.bandShift.bytes() + n.melFilters.size() * sizeof(float) +
                        n.patchProjection.memoryBytes() + n.absolutePosition.bytes() + memoryOf(n.norm) +
                        n.head.memoryBytes();
    if (projection_) bytes += projection_->memoryBytes();
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
    const auto resolved = resolve(precision, maker);
    if (resolved != Precision::int8) return std::make_shared<const Weights>(checkpoint, resolved);
    const auto measure = [&] {
        const Weights exact(checkpoint);
        return measureActivations(exact, maker(exact));
    };
    return std::make_shared<const Weights>(checkpoint, measure());
}

std::shared_ptr<const Weights> loadWeights(const std::filesystem::path& file, Precision precision,
                                           const CalibrationMaker& maker) {
    auto& known = cache();
    // Held while loading: a second instance that asks for the same file waits for the first one's copy.
    const std::lock_guard lock(known.mutex);
    const auto key = keyOf(file, resolve(precision, maker));
    if (const auto found = known.entries.find(key); found != known.entries.end())
        if (auto weights = found->second.lock()) return weights;
    const auto checkpoint = Checkpoint::open(file);
    auto weights = makeWeights(*checkpoint, precision, maker);
    std::erase_if(known.entries, [](const auto& entry) { return entry.second.expired(); });
    known.entries[key] = weights;
    return weights;
}

} // namespace earshot::model
