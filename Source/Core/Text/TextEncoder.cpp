#include "Core/Text/TextEncoder.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/LayerNorm.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/TensorReader.h"
#include "Core/Tensor/AlignedVector.h"
#include "Core/Tensor/BFloat16.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace earshot::text {

namespace {

using model::LayerNormWeights;
using tensor::Tensor;

constexpr std::size_t rowsOfBatch = 512;   // that run at once, unless one text has more
constexpr std::size_t rowsInMemory = 8192; // whose activations are kept from layer to layer

struct Text {
    std::vector<int> ids;
    std::size_t first = 0; // its first row among those of all texts
};

// y = x W + b on plain weights. The products are compiled for some numbers of rows, which all layers share.
class Products {
  public:
    Products(bool weightsAreTransposed, tensor::Number operands)
        : transposed_(weightsAreTransposed)
        , operands_(operands) {}

    // x: (rows, inputs), y: (rows, outputs), both with room for roomFor(rows); weights: (inputs, outputs), or
    // (outputs, inputs) if they are transposed.
    void run(std::size_t rows, const float* x, const Tensor& weights, const Tensor& bias, float* y) {
        const auto outputs = static_cast<std::int64_t>(bias.size());
        const auto inputs = static_cast<std::int64_t>(weights.size()) / outputs;
        const auto room = static_cast<std::int64_t>(roomFor(rows));
        const auto key = std::tuple(room, inputs, outputs);
        auto found = products_.find(key);
        if (found == products_.end()) {
            tensor::ProductShape shape{.rows = room, .inner = inputs, .columns = outputs};
            shape.transposeRight = transposed_;
            shape.operands = operands_;
            shape.bias = true;
            found = products_.emplace(key, tensor::Product(shape)).first;
        }
        if (operands_ == tensor::Number::float32)
            found->second.run(x, weights.data(), y, bias.data());
        else
            found->second.run(round({x, static_cast<std::size_t>(room * inputs)}, x_),
                              round(weights.values(), weights_), y, bias.data());
    }

    // Rounded up, so that few products serve all numbers of rows.
    static std::size_t roomFor(std::size_t rows) {
        std::size_t room = 16;
        while (room < rows) room *= 2;
        return room;
    }

  private:
    using BFloat16s = tensor::AlignedVector<tensor::BFloat16>;

    static const void* round(std::span<const float> values, BFloat16s& rounded) {
        if (rounded.size() < values.size()) rounded.resize(values.size());
        tensor::optimiserKernels().roundToBFloat16(values.data(), rounded.data(),
                                                   static_cast<std::int64_t>(values.size()));
        return rounded.data();
    }

    bool transposed_;
    tensor::Number operands_;
    BFloat16s x_, weights_; // of a product
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, tensor::Product> products_;
};

struct LinearWeights {
    Tensor weights, bias;
};

// A layer of either encoder.
struct Layer {
    LinearWeights qkv;      // queries, keys and values side by side
    LinearWeights attended; // after attention
    LinearWeights expand, contract;
    LayerNormWeights first, second;
};

// The tanh form of GELU, which GPT-2 has: 0.5 x (1 + tanh(u)) = x / (1 + exp(-2 u)).
void geluOfTanh(float* values, std::size_t count) {
    constexpr float inner = std::numbers::sqrt2_v<float> * std::numbers::inv_sqrtpi_v<float>;
    for (std::size_t i = 0; i < count; ++i) {
        const float x = values[i];
        values[i] = x / (1.0f + std::exp(-2.0f * inner * (x + 0.044715f * x * x * x)));
    }
}

// One call of embed() for texts whose rows fit in memory.
class Pass {
  public:
    Pass(model::Checkpoint& checkpoint, const TextHalf& half, tensor::Number operands,
         std::vector<Text>& texts, const TextEncoder::Observer& observer)
        : half_(half)
        , reader_(checkpoint, half.prefix, tensor::Number::float32, parameters_)
        , checkpoint_(checkpoint)
        , texts_(texts)
        , observer_(observer)
        , products_(isRoberta(), operands) {
        for (Text& text : texts_) {
            text.first = rows_;
            rows_ += text.ids.size();
        }
        makeBatches();
        x_ = Tensor({static_cast<std::int64_t>(rows_), half.width});
    }

    // vectors: (texts, dimensions); progress: 0 to 1
    void run(std::span<float> vectors, const TextEncoder::Progress& progress) {
        addTables();
        makeRoom();
        const double steps = half_.layers * static_cast<double>(batches_.size());
        double done = 0.0;
        for (int i = 0; i < half_.layers; ++i) {
            if (isRoberta())
                readRobertaLayer(i);
            else
                readGptLayer(i);
            for (const auto& batch : batches_) {
                runLayer(batch);
                progress(++done / steps);
            }
            observe(fmt::format("layer{}", i + 1), x_.values());
        }
        const Tensor pooled = pool();
        observe("pooled", pooled.values());
        project(pooled, vectors);
    }

  private:
    struct Batch {
        std::span<const Text> texts;
        std::size_t first = 0, rows = 0;
    };

    bool isRoberta() const { return half_.vocabulary == Vocabulary::roberta; }
    std::size_t width() const { return static_cast<std::size_t>(half_.width); }
    std::int64_t channels() const { return half_.width; }
    int headWidth() const { return half_.width / half_.heads; }
    float* row(std::size_t index) { return x_.data() + index * width(); }

    void observe(const std::string& step, std::span<const float> rows) const {
        if (observer_) observer_(step, rows);
    }

    void makeBatches() {
        for (std::size_t begin = 0; begin < texts_.size();) {
            Batch batch{.texts = {}, .first = texts_[begin].first, .rows = 0};
            std::size_t end = begin;
            do batch.rows += texts_[end++].ids.size();
            while (end < texts_.size() && batch.rows + texts_[end].ids.size() <= rowsOfBatch);
            batch.texts = std::span<const Text>(texts_).subspan(begin, end - begin);
            batches_.push_back(batch);
            begin = end;
        }
    }

    // Buffers for the largest batch, and a mask for each length of a text where later tokens are not heard.
    void makeRoom() {
        std::size_t most = 0;
        int longest = 0;
        for (const Batch& batch : batches_) most = std::max(most, batch.rows);
        for (const Text& text : texts_) longest = std::max(longest, static_cast<int>(text.ids.size()));
        const auto room = static_cast<std::int64_t>(Products::roomFor(most));
        normed_ = Tensor({room, channels()});
        wide_ = Tensor({room, 4 * channels()});
        result_ = Tensor({room, channels()});
        const auto each = tensor::wholeLines(tensor::attentionScratch(longest, headWidth()));
        scratch_ = Tensor({tensor::threadCount(), static_cast<std::int64_t>(each)});
        if (isRoberta()) return;
        for (const Text& text : texts_) {
            const int tokens = static_cast<int>(text.ids.size());
            auto& mask = masks_[tokens];
            if (!mask.empty()) continue;
            const int padded = tensor::paddedTokens(tokens);
            mask.assign(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(padded), unheard);
            for (int i = 0; i < tokens; ++i)
                std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(i) * padded, i + 1, 0.0f);
        }
    }

    // x = the rows of the tables of words and positions; RoBERTa's are normed.
    void addTables() {
        std::vector<std::int64_t> used;
        for (const Text& text : texts_) used.insert(used.end(), text.ids.begin(), text.ids.end());
        std::ranges::sort(used);
        used.erase(std::unique(used.begin(), used.end()), used.end());
        const std::string words = isRoberta() ? "embeddings.word_embeddings.weight" : "wte.weight";
        const Tensor table = reader_.readRows(words, used);
        const Tensor positions =
            reader_.read(isRoberta() ? "embeddings.position_embeddings.weight" : "wpe.weight",
                         {half_.positions, channels()});
        for (const Text& text : texts_) {
            int position = isRoberta() ? laionPadding : 0;
            for (std::size_t i = 0; i < text.ids.size(); ++i) {
                const int id = text.ids[i];
                const auto at = std::ranges::lower_bound(used, id) - used.begin();
                if (isRoberta() && id != laionPadding) ++position;
                const int place = isRoberta() && id == laionPadding ? laionPadding : position;
                const float* const word = table.data() + static_cast<std::size_t>(at) * width();
                const float* const where = positions.data() + static_cast<std::size_t>(place) * width();
                std::transform(word, word + width(), where, row(text.first + i), std::plus<>());
                if (!isRoberta()) ++position;
            }
        }
        if (isRoberta()) {
            const Tensor type = reader_.read("embeddings.token_type_embeddings.weight", {1, channels()});
            for (std::size_t i = 0; i < rows_; ++i)
                std::transform(row(i), row(i) + width(), type.data(), row(i), std::plus<>());
            normHere(reader_.norm("embeddings.LayerNorm", channels()), x_.data(), rows_);
        }
        observe("embeddings", x_.values());
    }

    void readLinear(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                    LinearWeights& linear) {
        const auto shape = isRoberta() ? tensor::Shape{outputs, inputs} : tensor::Shape{inputs, outputs};
        reader_.readInto(name + ".weight", shape, linear.weights);
        reader_.readInto(name + ".bias", {outputs}, linear.bias);
    }

    void readGptLayer(int index) {
        const auto name = fmt::format("h.{}.", index);
        const auto d = channels();
        readLinear(name + "attn.c_attn", d, 3 * d, layer_.qkv);
        readLinear(name + "attn.c_proj", d, d, layer_.attended);
        readLinear(name + "mlp.c_fc", d, 4 * d, layer_.expand);
        readLinear(name + "mlp.c_proj", 4 * d, d, layer_.contract);
        layer_.first = reader_.norm(name + "ln_1", d);
        layer_.second = reader_.norm(name + "ln_2", d);
    }

    void readRobertaLayer(int index) {
        const auto name = fmt::format("encoder.layer.{}.", index);
        const auto d = channels();
        if (layer_.qkv.weights.empty()) layer_.qkv = {Tensor({3 * d, d}), Tensor({3 * d})};
        auto* weights = layer_.qkv.weights.data();
        auto* bias = layer_.qkv.bias.data();
        for (const char* part : {"query", "key", "value"}) {
            readLinear(name + "attention.self." + part, d, d, part_);
            weights = std::ranges::copy(part_.weights.values(), weights).out;
            bias = std::ranges::copy(part_.bias.values(), bias).out;
        }
        readLinear(name + "attention.output.dense", d, d, layer_.attended);
        readLinear(name + "intermediate.dense", d, 4 * d, layer_.expand);
        readLinear(name + "output.dense", 4 * d, d, layer_.contract);
        layer_.first = reader_.norm(name + "attention.output.LayerNorm", d);
        layer_.second = reader_.norm(name + "output.LayerNorm", d);
    }

    // GPT-2 norms what goes into attention and MLP, RoBERTa what comes out of the sums.
    void runLayer(const Batch& batch) {
        const Layer& layer = layer_;
        checkpoint_.stop().check();
        float* const x = row(batch.first);
        toNormed(layer.first, x, batch.rows);
        products_.run(batch.rows, normed_.data(), layer.qkv.weights, layer.qkv.bias, wide_.data());
        attend(batch);
        products_.run(batch.rows, normed_.data(), layer.attended.weights, layer.attended.bias,
                      result_.data());
        addResult(layer.first, x, batch.rows);
        toNormed(layer.second, x, batch.rows);
        products_.run(batch.rows, normed_.data(), layer.expand.weights, layer.expand.bias, wide_.data());
        gelu(batch.rows);
        products_.run(batch.rows, wide_.data(), layer.contract.weights, layer.contract.bias, result_.data());
        addResult(layer.second, x, batch.rows);
    }

    void toNormed(const LayerNormWeights& norm, const float* x, std::size_t rows) {
        if (isRoberta())
            std::copy_n(x, rows * width(), normed_.data());
        else
            model::layerNorm(norm, x, normed_.data(), tensor::Number::float32,
                             static_cast<std::int64_t>(rows));
    }

    void addResult(const LayerNormWeights& norm, float* x, std::size_t rows) {
        std::transform(x, x + rows * width(), result_.data(), x, std::plus<>());
        if (isRoberta()) normHere(norm, x, rows);
    }

    static void normHere(const LayerNormWeights& norm, float* x, std::size_t rows) {
        model::layerNorm(norm, x, x, tensor::Number::float32, static_cast<std::int64_t>(rows));
    }

    // wide_ (rows, 3 width) -> normed_ (rows, width): each text by itself, all heads side by side.
    void attend(const Batch& batch) {
        const auto heads = static_cast<std::int64_t>(half_.heads);
        const auto each = scratch_.size() / static_cast<std::size_t>(scratch_.shape().front());
        const auto& kernels = tensor::kernels<float>();
        tensor::parallelFor(static_cast<std::int64_t>(batch.texts.size()) * heads,
                            [&](std::int64_t index, int thread) {
                                const Text& text = batch.texts[static_cast<std::size_t>(index / heads)];
                                const std::size_t begin = text.first - batch.first;
                                tensor::AttentionTask<float> task;
                                task.qkv = wide_.data() + begin * 3 * width();
                                task.output = normed_.data() + begin * width();
                                task.scratch = scratch_.data() + static_cast<std::size_t>(thread) * each;
                                task.tokens = static_cast<int>(text.ids.size());
                                task.channels = half_.width;
                                task.heads = half_.heads;
                                task.scale = 1.0f / std::sqrt(static_cast<float>(headWidth()));
                                if (const auto mask = masks_.find(task.tokens); mask != masks_.end())
                                    task.mask = mask->second.data();
                                kernels.attendOne(task, static_cast<int>(index % heads));
                            });
    }

    void gelu(std::size_t rows) {
        tensor::parallelFor(static_cast<std::int64_t>(rows), [&](std::int64_t index, int) {
            float* const line = wide_.data() + static_cast<std::size_t>(index) * 4 * width();
            if (isRoberta())
                tensor::kernels<float>().gelu(line, line, 4 * channels());
            else
                geluOfTanh(line, 4 * width());
        });
    }

    // (texts, width): the normed row of the last token, or the pooled first row.
    Tensor pool() {
        const auto count = static_cast<std::int64_t>(texts_.size());
        Tensor pooled({static_cast<std::int64_t>(Products::roomFor(texts_.size())), channels()});
        const auto take = [&](const Text& text, std::size_t index, std::size_t place) {
            std::copy_n(row(text.first + index), width(), pooled.data() + place * width());
        };
        if (isRoberta()) {
            for (std::size_t i = 0; i < texts_.size(); ++i) take(texts_[i], 0, i);
            Tensor dense(pooled.shape());
            readLinear("pooler.dense", channels(), channels(), part_);
            products_.run(texts_.size(), pooled.data(), part_.weights, part_.bias, dense.data());
            std::ranges::transform(dense.values(), dense.values().begin(),
                                   [](float value) { return std::tanh(value); });
            pooled = std::move(dense);
        } else {
            normHere(reader_.norm("ln_f", channels()), x_.data(), rows_);
            observe("final_norm", x_.values());
            // Each "!" in a text counts as padding, and moves the row by one.
            for (std::size_t i = 0; i < texts_.size(); ++i) {
                const auto& ids = texts_[i].ids;
                const auto others =
                    ids.size() - static_cast<std::size_t>(std::ranges::count(ids, msClapPadding));
                take(texts_[i], others - 1, i);
            }
        }
        Tensor result({count, channels()});
        std::copy_n(pooled.data(), result.size(), result.data());
        return result;
    }

    void project(const Tensor& pooled, std::span<float> vectors) {
        model::ClapProjection projection(
            model::readTextProjection(checkpoint_, half_.projection, channels(), parameters_));
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            const auto vector = projection.run(pooled.values().subspan(i * width(), width()));
            std::ranges::copy(vector, vectors.begin() + static_cast<std::ptrdiff_t>(i * vector.size()));
        }
    }

    static constexpr float unheard = -1e30f;

    const TextHalf& half_;
    std::int64_t parameters_ = 0;
    model::TensorReader reader_;
    model::Checkpoint& checkpoint_;
    std::vector<Text>& texts_;
    const TextEncoder::Observer& observer_;
    Products products_;
    std::vector<Batch> batches_;
    std::size_t rows_ = 0;
    Layer layer_;                             // the present one; its memory serves the next
    LinearWeights part_;                      // what was read last, if it is no layer's
    Tensor x_;                                // (rows of all texts, width), the residual stream
    Tensor normed_;                           // (rows of a batch, width)
    Tensor wide_;                             // (rows of a batch, 4 width)
    Tensor result_;                           // (rows of a batch, width)
    Tensor scratch_;                          // (threads, floats of attention)
    std::map<int, std::vector<float>> masks_; // by tokens: (tokens, padded), for GPT-2
};

TextHalf requireTextHalf(const model::Checkpoint& checkpoint) {
    if (auto half = findTextHalf(checkpoint)) return *std::move(half);
    throw Error(fmt::format("{}: holds no text half; words need a whole checkpoint of Microsoft CLAP 2023 or "
                            "LAION-CLAP, with its text encoder",
                            displayName(checkpoint.file())));
}

} // namespace

TextEncoder::TextEncoder(model::Checkpoint& checkpoint, model::Precision precision)
    : checkpoint_(checkpoint)
    , half_(requireTextHalf(checkpoint))
    , operands_(precision != model::Precision::float32 && tensor::hasFastBFloat16()
                    ? tensor::Number::bfloat16
                    : tensor::Number::float32) {}

Tensor TextEncoder::embed(std::span<const std::string> texts) {
    Tensor vectors({static_cast<std::int64_t>(texts.size()), half_.dimensions});
    const auto dimensions = static_cast<std::size_t>(half_.dimensions);
    std::vector<Text> pending;
    std::size_t rows = 0, done = 0;
    const auto run = [&] {
        const auto part = vectors.values().subspan(done * dimensions, pending.size() * dimensions);
        Pass(checkpoint_, half_, operands_, pending, observer_).run(part, [&](double share) {
            if (progress_)
                progress_((static_cast<double>(done) + share * static_cast<double>(pending.size())) /
                          static_cast<double>(texts.size()));
        });
        done += pending.size();
        pending.clear();
        rows = 0;
    };
    for (const std::string& text : texts) {
        bool cut = false;
        auto ids = half_.vocabulary == Vocabulary::gpt2 ? msClapIds(text) : laionIds(text, &cut);
        if (cut) ++cutTexts_;
        if (ids.size() > static_cast<std::size_t>(half_.maxTextLength()))
            throw Error(fmt::format("the text \"{}\" has {} tokens, at most {} fit into {}; shorten it",
                                    printable(std::string_view(text).substr(0, 60)), ids.size(),
                                    half_.maxTextLength(), displayName(checkpoint_.file())));
        if (!pending.empty() && rows + ids.size() > rowsInMemory) run();
        rows += ids.size();
        pending.push_back({std::move(ids), 0});
    }
    if (!pending.empty()) run();
    return vectors;
}

} // namespace earshot::text
