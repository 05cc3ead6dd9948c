#include "Support/ProceduralWeights.h"

#include "Core/Frontend/MelFilterBank.h"
#include "Core/Model/BlockForm.h"
#include "Core/Model/Reading/SafetensorsWriter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

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

double fanInOf(const model::TensorForm& form) {
    return static_cast<double>(tensor::elementCount(form.shape)) / static_cast<double>(form.shape[0]);
}

struct Spread {
    double deviation, offset;
};

// How the values of a network's tensor are spread.
Spread spreadOf(const model::TensorForm& form) {
    using model::TensorRole;
    const auto& name = form.name;
    if (name == "bn0.running_mean") return {10.0, -35.0};
    if (name == "bn0.running_var") return {28.0, 200.0};
    if (name.ends_with(".logit_scale")) return {0.8, std::log(10.0)};
    if (name.ends_with("cpb_mlp.0.bias")) return {0.05, 0.0};
    const bool isHead = name.starts_with("tscam_conv.") || name.starts_with(model::FineHeadForm::classes);
    switch (form.role) {
    case TensorRole::matrix:
        return {(isHead ? 2.0 : 1.0) / std::sqrt(fanInOf(form)), 0.0};
    case TensorRole::scoring:
        return {(name.ends_with("cpb_mlp.2.weight") ? 4.0 : 1.0) / std::sqrt(fanInOf(form)), 0.0};
    case TensorRole::bias:
        return {isHead ? 0.5 : 0.05, isHead ? -1.0 : 0.0};
    case TensorRole::gain:
        return {0.2, 1.0};
    case TensorRole::shift:
        return {0.1, 0.0};
    default:
        return {form.stage < 0 ? 0.3 : 0.5, 0.0};
    }
}

class ProceduralCheckpoint : public model::Checkpoint {
  public:
    explicit ProceduralCheckpoint(const ProceduralModel& model)
        : seed_(model.seed)
        , prefix_(model.prefix)
        , logScale_(model.logScale)
        , melFilters_(model.melFilters) {
        file_ = "procedural";
        format_ = "procedural";
        // The metadata that shapes alone do not determine.
        const auto& c = model.config;
        nlohmann::json stated{{"spec_size", c.imageSize},
                              {"patch_stride", c.patchStride},
                              {"window_size", c.attentionSide},
                              {"sample_rate", c.sampleRate},
                              {"n_fft", c.fftSize},
                              {"hop_size", c.hopSize}};
        if (!c.pretrainedSides.empty()) stated["pretrained_window_sizes"] = c.pretrainedSides;
        metadata_["earshot.config"] = stated.dump();
        addNetwork(model.config, model.logScoreScale);
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
            *out.data() = logScale_;
        } else {
            const auto& recipe = recipes_.at(name);
            fillHashed(out, seed_, recipe.hashed, recipe.deviation, recipe.offset);
            *out.data() += recipe.firstMore;
        }
        return out;
    }

  private:
    static constexpr const char* melName = "logmel_extractor.melW";

    struct Recipe {
        std::string hashed; // the name from which its values follow
        double deviation, offset;
        float firstMore = 0.0f; // added to the first value
    };

    void add(const std::string& name, Shape shape, double deviation, double offset = 0.0) {
        tensors_[prefix_ + name] = {model::DType::float32, std::move(shape)};
        recipes_[prefix_ + name] = {name, deviation, offset};
    }

    // Hashed by their whole names, unlike those of the network.
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
        scaleName_ = isMicrosoft ? "logit_scale" : "module.logit_scale_a";
        tensors_[scaleName_] = {model::DType::float32, {}};
    }

    void addNetwork(const model::Config& config, std::optional<double> logScoreScale) {
        for (const auto& form : model::networkTensors(config)) {
            if (form.optional) continue;
            const auto [deviation, offset] = spreadOf(form);
            add(form.name, form.shape, deviation, offset);
            auto& recipe = recipes_[prefix_ + form.name];
            if (form.name.ends_with(".attn.logit_scale") && logScoreScale) recipe.offset = *logScoreScale;
            if (form.name.ends_with("1.attn.logit_scale") && !logScoreScale) recipe.firstMore = 4.0f;
        }
    }

    int seed_;
    std::string prefix_;
    float logScale_;
    std::string scaleName_;
    std::vector<float> melFilters_;
    std::map<std::string, Recipe> recipes_;
};

class ProceduralImageCheckpoint : public model::Checkpoint {
  public:
    explicit ProceduralImageCheckpoint(const ProceduralImage& image)
        : seed_(image.seed) {
        file_ = "procedural";
        format_ = "procedural";
        auto config = image.config;
        config.head = model::HeadKind::pooled; // "head", as a classifier's
        for (const auto& form : model::networkTensors(config)) {
            if (form.name.starts_with("bn0.") || form.name.starts_with("logmel_extractor.")) continue;
            auto coloured = form;
            if (form.name == "patch_embed.proj.weight") coloured.shape[1] = 3;
            auto spread = spreadOf(coloured);
            if (form.name == "absolute_pos_embed") spread.deviation = 0.5;
            add(form.name, coloured.shape, spread);
        }
        for (int stage = 0; stage < config.stageCount(); ++stage)
            for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block)
                addBuffers(config, stage, block);
    }

    Tensor read(const std::string& name) override {
        Tensor out(tensors_.at(name).shape);
        if (const auto found = reaches_.find(name); found != reaches_.end()) {
            std::ranges::fill(out.values(), found->second);
            return out;
        }
        const auto [deviation, offset] = spreads_.at(name);
        fillHashed(out, seed_, name, deviation, offset);
        return out;
    }

  private:
    void add(const std::string& name, Shape shape, Spread spread) {
        tensors_[name] = {model::DType::float32, std::move(shape)};
        spreads_[name] = spread;
    }

    // Their values are wrong, but for the largest distance of V2: whoever starts from the model makes them
    // anew.
    void addBuffers(const model::Config& config, int stage, int block) {
        const auto name = "layers." + std::to_string(stage) + ".blocks." + std::to_string(block);
        const int side = config.stageAttentionSide(stage), perSide = config.stageGrid(stage) / side;
        const std::int64_t tokens = std::int64_t{side} * side;
        add(name + ".attn.relative_position_index", {tokens, tokens}, {7.0, 0.0});
        if (block % 2 == 1 && perSide > 1)
            add(name + ".attn_mask", {std::int64_t{perSide} * perSide, tokens, tokens}, {7.0, 0.0});
        if (config.block == model::BlockKind::v1) return;
        const std::int64_t extent = 2 * side - 1;
        const double reach = 8.0 * (side - 1) / (config.pretrainedSide(stage) - 1);
        tensors_[name + ".attn.relative_coords_table"] = {model::DType::float32, {1, extent, extent, 2}};
        reaches_[name + ".attn.relative_coords_table"] = static_cast<float>(std::log2(reach + 1.0) / 3.0);
    }

    int seed_;
    std::map<std::string, Spread> spreads_;
    std::map<std::string, float> reaches_;
};

class ProceduralTextCheckpoint : public model::Checkpoint {
  public:
    explicit ProceduralTextCheckpoint(const ProceduralText& text)
        : text_(text) {
        file_ = "procedural";
        format_ = "procedural";
        if (text.isMicrosoft)
            addGpt();
        else
            addRoberta();
    }

    Tensor read(const std::string& name) override {
        Tensor out(tensors_.at(name).shape);
        const auto [deviation, offset] = recipes_.at(name);
        fillHashed(out, text_.seed, name.substr(text_.wrapper.size()), deviation, offset);
        return out;
    }

  private:
    void add(const std::string& name, Shape shape, double deviation, double offset = 0.0) {
        tensors_[text_.wrapper + name] = {model::DType::float32, std::move(shape)};
        recipes_[text_.wrapper + name] = {deviation, offset};
    }
    void addNorm(const std::string& name, std::int64_t width) {
        add(name + ".weight", {width}, 0.2, 1.0);
        add(name + ".bias", {width}, 0.1);
    }
    // PyTorch's (outputs, inputs), or GPT-2's (inputs, outputs)
    void addLinear(const std::string& name, std::int64_t outputs, std::int64_t inputs, double gain = 1.0,
                   bool hasBias = true) {
        const bool isGpt = name.starts_with("caption_encoder.base.");
        add(name + ".weight", isGpt ? Shape{inputs, outputs} : Shape{outputs, inputs},
            gain / std::sqrt(static_cast<double>(inputs)));
        if (hasBias) add(name + ".bias", {outputs}, 0.05);
    }

    void addGpt() {
        const std::string base = "caption_encoder.base.", projection = "caption_encoder.projection.";
        const std::int64_t d = text_.width;
        add(base + "wte.weight", {text_.words > 0 ? text_.words : 50257, d}, 0.15);
        add(base + "wpe.weight", {1024, d}, 0.06);
        for (int i = 0; i < text_.layers; ++i) {
            const auto layer = base + "h." + std::to_string(i);
            addNorm(layer + ".ln_1", d);
            addLinear(layer + ".attn.c_attn", 3 * d, d, 1.6);
            addLinear(layer + ".attn.c_proj", d, d);
            addNorm(layer + ".ln_2", d);
            addLinear(layer + ".mlp.c_fc", 4 * d, d);
            addLinear(layer + ".mlp.c_proj", d, 4 * d);
        }
        addNorm(base + "ln_f", d);
        addLinear(projection + "linear1", 1024, d, 1.0, false);
        addLinear(projection + "linear2", 1024, 1024, 1.0, false);
        addNorm(projection + "layer_norm", 1024);
    }

    void addRoberta() {
        const std::string base = "module.text_branch.", tables = base + "embeddings.";
        const std::int64_t d = text_.width;
        add(tables + "word_embeddings.weight", {text_.words > 0 ? text_.words : 50265, d}, 0.1);
        add(tables + "position_embeddings.weight", {514, d}, 0.04);
        add(tables + "token_type_embeddings.weight", {1, d}, 0.04);
        addNorm(tables + "LayerNorm", d);
        for (int i = 0; i < text_.layers; ++i) {
            const auto layer = base + "encoder.layer." + std::to_string(i);
            for (const char* part : {"query", "key", "value"})
                addLinear(layer + ".attention.self." + part, d, d, 1.6);
            addLinear(layer + ".attention.output.dense", d, d);
            addNorm(layer + ".attention.output.LayerNorm", d);
            addLinear(layer + ".intermediate.dense", 4 * d, d);
            addLinear(layer + ".output.dense", d, 4 * d);
            addNorm(layer + ".output.LayerNorm", d);
        }
        addLinear(base + "pooler.dense", d, d);
        addLinear("module.text_projection.0", 512, d);
        addLinear("module.text_projection.2", 512, 512);
    }

    struct Recipe {
        double deviation, offset;
    };
    ProceduralText text_;
    std::map<std::string, Recipe> recipes_;
};

void writeCheckpoints(const std::filesystem::path& file,
                      const std::vector<std::unique_ptr<model::Checkpoint>>& parts) {
    std::vector<Tensor> values;
    std::vector<model::NamedTensor> named;
    std::map<std::string, std::string> metadata;
    for (const auto& part : parts) {
        metadata.insert(part->metadata().begin(), part->metadata().end());
        for (const auto& [name, info] : part->tensors()) {
            values.push_back(part->read(name));
            named.push_back({name, info.shape, values.back().values()});
        }
    }
    model::writeSafetensors(file, named, metadata);
}

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

ProceduralModel withV2Blocks(ProceduralModel model) {
    model.config.block = model::BlockKind::v2;
    return model;
}

ProceduralModel smallModel() {
    ProceduralModel small;
    auto& c = small.config;
    c.imageSize = 64;
    c.melBands = 16;
    c.embedDim = 8;
    c.depths = {2, 3};
    c.heads = {2, 4};
    c.attentionSide = 4;
    c.classes = 5;
    small.seed = 3;
    return small;
}

model::Config withHead(model::Config config, model::HeadKind head) {
    config.head = head;
    config.headWidth = head == model::HeadKind::fine ? 12 : 0;
    config.headLayers = head == model::HeadKind::fine ? 2 : 0;
    return config;
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

Tensor proceduralValues(int seed, const std::string& name, Shape shape, double deviation, double offset) {
    Tensor out(std::move(shape));
    fillHashed(out, seed, name, deviation, offset);
    return out;
}

std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralModel& model) {
    return std::make_unique<ProceduralCheckpoint>(model);
}

ProceduralImage tinyImage() {
    ProceduralImage tiny;
    auto& c = tiny.config;
    c.imageSize = 64;
    c.embedDim = 24;
    c.depths = {2, 2, 2};
    c.heads = {2, 4, 8};
    c.attentionSide = 4;
    c.classes = 10;
    tiny.seed = 21;
    return tiny;
}

ProceduralImage publishedImage(int attentionSide) {
    ProceduralImage image;
    auto& c = image.config;
    c.attentionSide = attentionSide;
    c.imageSize = 32 * attentionSide;
    if (attentionSide == 7) c.heads = {3, 6, 12, 24};
    c.classes = 1000;
    image.seed = 17;
    return image;
}

std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralImage& image) {
    return std::make_unique<ProceduralImageCheckpoint>(image);
}

ProceduralText tinyText(bool isMicrosoft) { return {.isMicrosoft = isMicrosoft, .wrapper = {}}; }

ProceduralText fullText(bool isMicrosoft) {
    return {.isMicrosoft = isMicrosoft, .layers = 12, .width = 768, .seed = 5, .wrapper = {}};
}

std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralText& text) {
    return std::make_unique<ProceduralTextCheckpoint>(text);
}

void writeProceduralModel(const std::filesystem::path& file, std::unique_ptr<model::Checkpoint> checkpoint) {
    std::vector<std::unique_ptr<model::Checkpoint>> parts;
    parts.push_back(std::move(checkpoint));
    writeCheckpoints(file, parts);
}

void writeProceduralModel(const std::filesystem::path& file, const ProceduralModel& model) {
    writeProceduralModel(file, proceduralCheckpoint(model));
}

void writeProceduralModel(const std::filesystem::path& file, const ProceduralImage& image) {
    writeProceduralModel(file, proceduralCheckpoint(image));
}

void writeProceduralModel(const std::filesystem::path& file, const ProceduralText& text) {
    writeProceduralModel(file, proceduralCheckpoint(text));
}

void writeProceduralModel(const std::filesystem::path& file, const ProceduralModel& model,
                          const ProceduralText& text) {
    std::vector<std::unique_ptr<model::Checkpoint>> parts;
    parts.push_back(proceduralCheckpoint(model));
    parts.push_back(proceduralCheckpoint(text));
    writeCheckpoints(file, parts);
}

AlteredCheckpoint::AlteredCheckpoint(
    std::unique_ptr<model::Checkpoint> good,
    const std::function<void(std::map<std::string, model::TensorInfo>&)>& change)
    : good_(std::move(good)) {
    file_ = "model.safetensors";
    metadata_ = good_->metadata();
    tensors_ = good_->tensors();
    change(tensors_);
}

std::unique_ptr<model::Checkpoint> enlarged(std::unique_ptr<model::Checkpoint> good, const std::string& part,
                                            float factor) {
    struct Enlarged : AlteredCheckpoint {
        using AlteredCheckpoint::AlteredCheckpoint;
        tensor::Tensor read(const std::string& name) override {
            auto values = AlteredCheckpoint::read(name);
            if (name.find(part) != std::string::npos)
                for (float& value : values.values()) value *= factor;
            return values;
        }
        std::string part;
        float factor = 1.0f;
    };
    auto checkpoint = std::make_unique<Enlarged>(std::move(good), [](auto&) {});
    checkpoint->part = part;
    checkpoint->factor = factor;
    return checkpoint;
}

} // namespace earshot::test
