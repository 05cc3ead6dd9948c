#include "Support/ProceduralWeights.h"

#include "Core/Frontend/MelFilterBank.h"
#include "Core/Model/Reading/SafetensorsWriter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace earshot::test {

namespace {

using tensor::Shape;
using tensor::Tensor;

// FNV-1a of "seed/name", then SplitMix64 of (hash + index): uniform values of the given deviation.
void fillHashed(Tensor& out, int seed, const std::string& name, double deviation, double offset) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : std::to_string(seed) + "/" + name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    const double scale = deviation * std::sqrt(12.0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint64_t z = (hash + i + 1) * 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        z ^= z >> 31;
        const double uniform = static_cast<double>(z >> 11) / 9007199254740992.0; // 2^53
        out.data()[i] = static_cast<float>(offset + scale * (uniform - 0.5));
    }
}

class ProceduralCheckpoint : public model::Checkpoint {
  public:
    explicit ProceduralCheckpoint(const ProceduralModel& model)
        : seed_(model.seed)
        , prefix_(model.prefix)
        , qkvBias_(model.config.qkvBias)
        , mlpRatio_(model.config.mlpRatio)
        , logScale_(model.logScale)
        , melFilters_(model.melFilters) {
        file_ = "procedural";
        format_ = "procedural";
        // What shapes alone do not tell.
        const auto& c = model.config;
        metadata_["earshot.config"] =
            nlohmann::json{{"spec_size", c.imageSize},    {"patch_stride", c.patchStride},
                           {"window_size", c.windowSize}, {"sample_rate", c.sampleRate},
                           {"n_fft", c.fftSize},          {"hop_size", c.hopSize}}
                .dump();
        addNetwork(model.config);
        if (!melFilters_.empty())
            tensors_[prefix_ + melName] = {model::DType::float32,
                                           {model.config.fftSize / 2 + 1, model.config.melBands}};
        if (model.embeddingDim > 0) addProjection(model.embeddingDim, model.config.latentDim());
    }

    Tensor read(const std::string& name) override {
        Tensor out(tensors_.at(name).shape);
        if (name == prefix_ + melName) {
            std::ranges::copy(melFilters_, out.data());
        } else if (name == scaleName_) {
            *out.data() = logScale_.value();
        } else {
            const auto& recipe = recipes_.at(name);
            fillHashed(out, seed_, recipe.hashed, recipe.deviation, recipe.offset);
        }
        return out;
    }

  private:
    static constexpr const char* melName = "logmel_extractor.melW";

    struct Recipe {
        std::string hashed; // the name that its values follow from
        double deviation, offset;
    };

    void add(const std::string& name, Shape shape, double deviation, double offset = 0.0) {
        tensors_[prefix_ + name] = {model::DType::float32, std::move(shape)};
        recipes_[prefix_ + name] = {name, deviation, offset};
    }

    // Hashed by their whole names, unlike the network's.
    void addWhole(const std::string& name, Shape shape, double deviation, double offset = 0.0) {
        tensors_[name] = {model::DType::float32, std::move(shape)};
        recipes_[name] = {name, deviation, offset};
    }

    void addProjection(std::int64_t width, std::int64_t latent) {
        const bool isMicrosoft = prefix_.starts_with("audio_encoder.");
        const std::string name = isMicrosoft ? "audio_encoder.projection." : "module.audio_projection.";
        const auto layer = [&](const std::string& number, std::int64_t inputs) {
            addWhole(name + number + ".weight", {width, inputs}, 1 / std::sqrt(static_cast<double>(inputs)));
            if (!isMicrosoft) addWhole(name + number + ".bias", {width}, 0.05);
        };
        layer(isMicrosoft ? "linear1" : "0", latent);
        layer(isMicrosoft ? "linear2" : "2", width);
        if (isMicrosoft) {
            addWhole(name + "layer_norm.weight", {width}, 0.2, 1.0);
            addWhole(name + "layer_norm.bias", {width}, 0.1);
        }
        if (!logScale_) return;
        scaleName_ = isMicrosoft ? "logit_scale" : "module.logit_scale_a";
        tensors_[scaleName_] = {model::DType::float32, {}};
    }

    void weight(const std::string& name, const Shape& shape, double gain = 1.0) {
        const auto fanIn = tensor::elementCount(shape) / shape[0];
        add(name, shape, gain / std::sqrt(static_cast<double>(fanIn)));
    }

    void norm(const std::string& name, std::int64_t channels) {
        add(name + ".weight", {channels}, 0.2, 1.0);
        add(name + ".bias", {channels}, 0.1);
    }

    void linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias = true) {
        weight(name + ".weight", {outputs, inputs});
        if (bias) add(name + ".bias", {outputs}, 0.05);
    }

    void addBlock(const std::string& name, std::int64_t width, std::int64_t window, std::int64_t heads) {
        norm(name + ".norm1", width);
        add(name + ".attn.relative_position_bias_table", {(2 * window - 1) * (2 * window - 1), heads}, 0.5);
        linear(name + ".attn.qkv", 3 * width, width, qkvBias_);
        linear(name + ".attn.proj", width, width);
        norm(name + ".norm2", width);
        linear(name + ".mlp.fc1", mlpRatio_ * width, width);
        linear(name + ".mlp.fc2", width, mlpRatio_ * width);
    }

    void addNetwork(const model::Config& c) {
        norm("bn0", c.melBands);
        add("bn0.running_mean", {c.melBands}, 10.0, -35.0);
        add("bn0.running_var", {c.melBands}, 28.0, 200.0);
        weight("patch_embed.proj.weight", {c.embedDim, 1, c.patchSize, c.patchSize});
        add("patch_embed.proj.bias", {c.embedDim}, 0.05);
        if (c.patchNorm) norm("patch_embed.norm", c.embedDim);
        const std::int64_t tokens = c.stageGrid(0) * c.stageGrid(0);
        if (c.absolutePositionEmbedding) add("absolute_pos_embed", {1, tokens, c.embedDim}, 0.3);
        for (int stage = 0; stage < c.stageCount(); ++stage) {
            const auto layer = "layers." + std::to_string(stage);
            const std::int64_t width = c.stageDim(stage);
            const auto index = static_cast<std::size_t>(stage);
            for (int block = 0; block < c.depths[index]; ++block)
                addBlock(layer + ".blocks." + std::to_string(block), width, c.stageWindow(stage),
                         c.heads[index]);
            if (stage + 1 == c.stageCount()) continue;
            weight(layer + ".downsample.reduction.weight", {2 * width, 4 * width});
            norm(layer + ".downsample.norm", 4 * width);
        }
        norm("norm", c.latentDim());
        if (c.tscam) {
            const int rows = c.stageGrid(c.stageCount() - 1) / c.timeSegments();
            weight("tscam_conv.weight", {c.classes, c.latentDim(), rows, 3}, 2.0);
            add("tscam_conv.bias", {c.classes}, 0.5, -1.0);
        } else {
            linear("head", c.classes, c.latentDim());
        }
    }

    int seed_;
    std::string prefix_;
    bool qkvBias_;
    int mlpRatio_;
    std::optional<float> logScale_;
    std::string scaleName_;
    std::vector<float> melFilters_;
    std::map<std::string, Recipe> recipes_;
};

} // namespace

ProceduralModel tinyModel() {
    ProceduralModel tiny;
    tiny.config.embedDim = 24;
    tiny.config.depths = {2, 2, 2, 2};
    tiny.config.heads = {1, 2, 4, 8};
    tiny.config.classes = 16;
    tiny.seed = 11;
    return tiny;
}

ProceduralModel smallModel() {
    ProceduralModel small;
    auto& c = small.config;
    c.imageSize = 64;
    c.melBands = 16;
    c.embedDim = 8;
    c.depths = {2, 3};
    c.heads = {2, 4};
    c.windowSize = 4;
    c.classes = 5;
    small.seed = 3;
    return small;
}

ProceduralModel fullModel() {
    ProceduralModel full;
    full.seed = 5;
    return full;
}

ProceduralModel asMicrosoftClap(ProceduralModel model) {
    auto& config = model.config;
    const frontend::LogMelSettings trained{.sampleRate = 32000,
                                           .fftSize = config.fftSize,
                                           .hopSize = config.hopSize,
                                           .melBands = config.melBands,
                                           .lowHz = config.lowHz,
                                           .highHz = config.highHz,
                                           .filters = {}};
    model.melFilters = frontend::melFilterMatrix(trained);
    config.sampleRate = 44100;
    model.prefix = "audio_encoder.base.htsat.";
    model.embeddingDim = 1024;
    return model;
}

ProceduralModel asLaionClap(ProceduralModel model) {
    model.config.sampleRate = 48000;
    model.config.hopSize = 480;
    model.prefix = "module.audio_branch.";
    model.embeddingDim = 512;
    return model;
}

std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralModel& model) {
    return std::make_unique<ProceduralCheckpoint>(model);
}

void writeProceduralModel(const std::filesystem::path& file, const ProceduralModel& model) {
    const auto checkpoint = proceduralCheckpoint(model);
    std::vector<Tensor> values;
    std::vector<model::NamedTensor> named;
    for (const auto& [name, info] : checkpoint->tensors()) {
        values.push_back(checkpoint->read(name));
        named.push_back({name, info.shape, values.back().values()});
    }
    model::writeSafetensors(file, named, checkpoint->metadata());
}

} // namespace earshot::test
