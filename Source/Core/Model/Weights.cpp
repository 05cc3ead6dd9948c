#include "Core/Model/Weights.h"

#include "Core/Base/Error.h"
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

} // namespace

Weights::Weights(Checkpoint& checkpoint, Precision precision)
    : file_(checkpoint.file())
    , format_(checkpoint.format())
    , precision_(choosePrecision(precision).precision)
    , metadata_(checkpoint.metadata()) {
    const auto layout = readLayout(checkpoint);
    // Packing waits for memory: more threads gain little, and would go on spinning in the host.
    const tensor::ThreadCountScope one(1);
    kind_ = layout.kind;
    config_ = layout.config;
    network_ = std::make_unique<const NetworkWeights>(
        readNetworkWeights(checkpoint, layout.prefix, config_, precision_, parameterCount_));
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
        if (stage.merging) bytes += memoryOf(stage.merging->norm) + stage.merging->reduction.memoryBytes();
    }
    return bytes;
}

std::shared_ptr<const Weights> loadWeights(const std::filesystem::path& file, Precision precision) {
    auto& known = cache();
    // Held while loading: a second instance that asks for the same file waits for the first one's copy.
    const std::lock_guard lock(known.mutex);
    const auto key = keyOf(file, choosePrecision(precision).precision);
    if (const auto found = known.entries.find(key); found != known.entries.end())
        if (auto weights = found->second.lock()) return weights;
    const auto checkpoint = Checkpoint::open(file);
    auto weights = std::make_shared<const Weights>(*checkpoint, precision);
    std::erase_if(known.entries, [](const auto& entry) { return entry.second.expired(); });
    known.entries[key] = weights;
    return weights;
}

} // namespace earshot::model
