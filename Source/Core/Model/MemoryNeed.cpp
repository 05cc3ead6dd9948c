#include "Core/Model/MemoryNeed.h"

#include "Core/Base/Error.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/BlockForm.h"
#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/FineHead.h"
#include "Core/Model/Network/StripStage.h"
#include "Core/Tensor/Kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace earshot::model {

namespace {

using Count = std::uint64_t; // of float32 values; the largest valid Config stays below 2^52

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double usualLimit = 2.0; // GiB; the published models take less than a fifth of it

Count count(std::int64_t value) { return static_cast<Count>(value); }

// A linear layer as oneDNN packs it: outputs in whole blocks, one free cache line in each row, and the bias.
Count linear(Count inputs, Count outputs) {
    constexpr Count block = 64, line = 16;
    return inputs * ((outputs + block - 1) / block * block + line) + outputs;
}

class Adder {
  public:
    explicit Adder(const Config& config)
        : config_(config)
        , fitsStrips_(StripStage::fits(config)) {}

    MemoryNeed add(Count projectionDims) {
        weights_ += packed(networkTensors(config_));
        for (int stage = 0; stage < config_.stageCount(); ++stage) addStage(stage);
        addEmbedding();
        addHead();
        addSpectrogram();
        if (fitsStrips_) addStrips();
        const Count latent = count(config_.latentDim());
        if (projectionDims > 0) {
            weights_ += linear(latent, projectionDims) + linear(projectionDims, projectionDims);
            include(std::max(latent, projectionDims) * projectionDims);
        }
        // Reading holds a tensor twice, before and after it is converted or rearranged. Calibration for int8
        // runs several passes at once (Calibration.h).
        constexpr Count passesAtOnce = 4;
        const Count reading = std::max(2 * largest_, (passesAtOnce - 1) * pass_);
        constexpr Count bytes = sizeof(float);
        return {.weights = weights_ * bytes, .reading = reading * bytes, .pass = pass_ * bytes};
    }

  private:
    Count width(int stage) const { return count(config_.stageDim(stage)); }
    Count tokens(int stage) const {
        const Count grid = count(config_.stageGrid(stage));
        return grid * grid;
    }
    Count attentionTokens(int stage) const {
        const Count side = count(config_.stageAttentionSide(stage));
        return side * side;
    }
    // Scores of one head in an attention window; its position biases and its mask take as many values.
    Count scores(int stage) const {
        const Count n = attentionTokens(stage);
        return n * count(tensor::paddedTokens(static_cast<int>(n)));
    }
    // Notes the size of a tensor of the file.
    void include(Count values) { largest_ = std::max(largest_, values); }

    // Values of a tensor in the form that a pass reads. Matrices are packed with their biases; tables by
    // position in an attention window are spread out.
    Count packed(const TensorForm& form) {
        const Count values = count(tensor::elementCount(form.shape));
        include(values);
        if (form.role == TensorRole::matrix) {
            const Count outputs = count(form.shape.front());
            return linear(values / outputs, outputs);
        }
        if (form.role == TensorRole::bias) return 0;
        if (form.role == TensorRole::table && form.stage >= 0)
            return count(form.shape.back()) * scores(form.stage);
        return values;
    }

    Count packed(const std::vector<TensorForm>& forms) {
        Count sum = 0;
        for (const TensorForm& form : forms) sum += packed(form);
        return sum;
    }

    Count attentionScratch(int stage) const {
        const int heads = config_.heads[static_cast<std::size_t>(stage)];
        return tensor::attentionScratch(static_cast<int>(attentionTokens(stage)),
                                        config_.stageDim(stage) / heads);
    }

    void addStage(int stage) {
        const Count depth = count(config_.depths[static_cast<std::size_t>(stage)]);
        // The residual stream; index maps of its tokens with and without shift; masks; each block's scratch.
        pass_ += tokens(stage) * (width(stage) + 2) + 3 * scores(stage) + depth * attentionScratch(stage);
        weights_ += depth * computedBiases(stage);
    }
    // Position biases that a V2 block computes instead of reading a table.
    Count computedBiases(int stage) const {
        const Count heads = count(config_.heads[static_cast<std::size_t>(stage)]);
        return config_.block == BlockKind::v2 ? heads * scores(stage) : 0;
    }

    // Patches, and the buffers that the blocks share: normed tokens, attended tokens, and the wider of
    // queries with keys and values and the MLP's hidden layer. The first stage has the most values.
    void addEmbedding() {
        const Count c = width(0), n = tokens(0);
        const Count pixels = count(config_.patchSize) * count(config_.patchSize);
        pass_ += n * pixels + n * c * (2 + count(std::max(config_.mlpRatio, 3)));
    }

    void addHead() {
        const int last = config_.stageCount() - 1;
        const Count latent = width(last), classes = count(config_.classes);
        const Count steps = count(config_.stepsPerWindow()) + 1; // one row more for the clip
        // Inputs and outputs of the final norm and of the head's layer, and probabilities.
        pass_ += tokens(last) * latent + steps * (headInputs() + 2 * classes) + classes + 2 * latent;
        if (config_.head == HeadKind::fine) addFineHead();
    }

    // Inputs of the head's layer at each step.
    Count headInputs() const {
        const int last = config_.stageCount() - 1;
        if (config_.head == HeadKind::fine) return count(config_.headWidth);
        if (config_.head == HeadKind::pooled) return width(last);
        return width(last) * count(frequencyRows(config_, last)) * EventHead::kernelWidth;
    }

    // Each stage's tokens, normed, and what is made of them; the steps, and the inputs of a convolution.
    void addFineHead() {
        const Count channels = count(config_.headWidth);
        for (const int stage : headStages(config_))
            pass_ += tokens(stage) * width(stage) + count(config_.gridColumns(stage)) * channels;
        pass_ += count(config_.stepsPerWindow()) * channels * (1 + FineHead::kernelWidth);
    }

    // The mel matrix twice: the spectrogram's own and packed. The frames of a window four times: as input,
    // stretched, folded, and kept for the next window. The samples of a window, for calibration.
    void addSpectrogram() {
        const Count filters = count(config_.fftSize / 2 + 1) * count(config_.melBands);
        const Count image = count(config_.imageSize) * count(config_.imageSize);
        pass_ += 2 * filters + 4 * image + 8 * count(config_.fftSize) +
                 count(config_.windowFrames()) * count(config_.hopSize);
    }

    // The first stage's layers once more, and the results that it keeps for every block.
    void addStrips() {
        const Count depth = count(config_.depths.front());
        const Count c = width(0), n = tokens(0), image = count(config_.imageSize) * count(config_.imageSize);
        const Count strip = count(StripStage::tokens(config_));
        const Count pixels = count(config_.patchSize) * count(config_.patchSize);
        weights_ += depth * (packed(blockTensors(config_, 0, 0)) + computedBiases(0)) + linear(pixels, c) +
                    packed(mergingTensors(config_, 0));
        pass_ += image + depth * n * c + 2 * strip * c + strip * pixels;
        pass_ += 2 * depth * (strip + 3 * scores(0) + attentionScratch(0));
    }

    const Config& config_;
    bool fitsStrips_;
    Count weights_ = 0, pass_ = 0;
    Count largest_ = 0; // the file's largest tensor
};

double inGibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / gibibyte; }

} // namespace

MemoryNeed memoryNeed(const Config& config, std::int64_t projectionDims) {
    return Adder(config).add(count(projectionDims));
}

std::uint64_t memoryLimit() {
    const std::string text = platform::environment("EARSHOT_MODEL_MEMORY").value_or("");
    if (text.empty()) return static_cast<std::uint64_t>(usualLimit * gibibyte);
    constexpr double largest = 1 << 20; // GiB
    const auto limit = parseNumber(text);
    if (!limit || *limit <= 0.0 || *limit > largest)
        throw Error(fmt::format("EARSHOT_MODEL_MEMORY is \"{}\"; expected a number of GiB, such as 8",
                                printable(text)));
    return static_cast<std::uint64_t>(*limit * gibibyte);
}

void requireMemory(const MemoryNeed& need, const std::string& file) {
    const auto limit = memoryLimit();
    if (need.total() <= limit) return;
    throw Error(fmt::format("{}: would take {:.1f} GiB of memory ({:.1f} of weights, {:.1f} to read them, "
                            "{:.1f} for a pass), but a model may take at most {:.1f} GiB; to allow more, set "
                            "EARSHOT_MODEL_MEMORY to a number of GiB",
                            file, inGibibytes(need.total()), inGibibytes(need.weights),
                            inGibibytes(need.reading), inGibibytes(need.pass), inGibibytes(limit)));
}

} // namespace earshot::model
