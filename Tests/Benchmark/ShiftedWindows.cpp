#include "Benchmark/ShiftedWindows.h"

#include "Benchmark/Program.h"
#include "Benchmark/Report.h"
#include "Core/Model/Network/WindowAttention.h"
#include "Core/Tensor/AlignedVector.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"
#include "Support/Compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace earshot::benchmark {

namespace {

// From where each row of a moved grid comes.
using Rows = std::vector<std::int32_t>;

template <typename Value>
class ShiftedStage {
  public:
    ShiftedStage(int grid, int side, int channels, int heads)
        : channels_(channels)
        , heads_(heads)
        , windowTokens_(side * side)
        , layout_(grid, side, side / 2)
        , tokens_(grid * grid)
        , scratchEach_(tensor::wholeLines(tensor::attentionScratch(windowTokens_, channels / heads)))
        , scratch_(scratchEach_ * static_cast<std::size_t>(tensor::threadCount()))
        , bias_(static_cast<std::size_t>(heads * windowTokens_ * tensor::paddedTokens(windowTokens_)), 0.1f) {
        const int shift = side / 2, perSide = grid / side;
        for (int row = 0; row < grid; ++row)
            for (int column = 0; column < grid; ++column) {
                rolled_.push_back((row + shift) % grid * grid + (column + shift) % grid);
                rolledBack_.push_back((row - shift + grid) % grid * grid + (column - shift + grid) % grid);
                const int window = row / side * perSide + column / side;
                together_.push_back(window * windowTokens_ + row % side * side + column % side);
            }
        for (int window = 0; window < layout_.count(); ++window)
            for (const std::int32_t row : layout_.rows(window)) moved_.push_back(row);
        cut_.resize(together_.size());
        for (std::size_t i = 0; i < together_.size(); ++i)
            cut_[static_cast<std::size_t>(together_[i])] = static_cast<std::int32_t>(i);
        movedBack_.resize(moved_.size());
        for (std::size_t i = 0; i < moved_.size(); ++i)
            movedBack_[static_cast<std::size_t>(moved_[i])] = static_cast<std::int32_t>(i);

        const auto count = static_cast<std::size_t>(tokens_) * static_cast<std::size_t>(channels);
        x_.resize(count);
        first_.resize(count);
        second_.resize(count);
        result_.resize(count);
        qkv_.resize(3 * count);
        qkvOfWindows_.resize(3 * count);
        const auto values = test::randomValues(3 * count, 1);
        std::ranges::transform(values, qkv_.begin(), [](float value) { return Value(value); });
        // Linear layers cost the same in any order, so their results are ready.
        move(qkv_.data(), moved_, qkvOfWindows_.data(), 3 * channels);
    }

    void withMaps() { attend(qkv_.data(), result_.data(), true); }
    void withFusedMoves() {
        move(x_.data(), moved_, first_.data(), channels_);
        attend(qkvOfWindows_.data(), first_.data(), false);
        move(first_.data(), movedBack_, result_.data(), channels_);
    }
    void withPlainMoves() {
        move(x_.data(), rolled_, first_.data(), channels_);
        move(first_.data(), cut_, second_.data(), channels_);
        attend(qkvOfWindows_.data(), second_.data(), false);
        move(second_.data(), together_, first_.data(), channels_);
        move(first_.data(), rolledBack_, result_.data(), channels_);
    }
    // Of one move: it reads and writes each token.
    double bytesMoved() const { return 2.0 * static_cast<double>(x_.size() * sizeof(Value)); }
    const tensor::AlignedVector<Value>& result() const { return result_; }

  private:
    void move(const Value* from, const Rows& rows, Value* to, int width) const {
        const auto bytes = static_cast<std::size_t>(width) * sizeof(Value);
        tensor::parallelFor(tokens_, [&](std::int64_t token, int) {
            std::memcpy(to + token * width,
                        from + std::int64_t{rows[static_cast<std::size_t>(token)]} * width, bytes);
        });
    }

    // As WindowAttention does. mapped: tokens are in the grid's order, else in that of the windows.
    void attend(const Value* qkv, Value* output, bool mapped) {
        const auto& attendOne = tensor::kernels<Value>().attendOne;
        tensor::parallelFor(layout_.count() * heads_, [&](std::int64_t index, int thread) {
            const int window = static_cast<int>(index) / heads_;
            const std::int64_t first = mapped ? 0 : std::int64_t{window} * windowTokens_ * channels_;
            tensor::AttentionTask<Value> task;
            task.qkv = qkv + 3 * first;
            task.output = output + first;
            task.rows = mapped ? layout_.rows(window).data() : nullptr;
            task.bias = bias_.data();
            task.biasStride = tensor::paddedTokens(windowTokens_);
            task.mask = layout_.mask(window);
            task.scratch = scratch_.data() + static_cast<std::size_t>(thread) * scratchEach_;
            task.tokens = windowTokens_;
            task.channels = channels_;
            task.heads = heads_;
            task.scale = 1.0f / std::sqrt(static_cast<float>(channels_ / heads_));
            attendOne(task, static_cast<int>(index) % heads_);
        });
    }

    int channels_, heads_, windowTokens_;
    model::AttentionLayout layout_;
    std::int64_t tokens_;
    std::size_t scratchEach_;
    tensor::AlignedVector<float> scratch_;
    std::vector<float> bias_;                                  // (heads, windowTokens, padded)
    Rows rolled_, cut_, together_, rolledBack_;                // the plain moves
    Rows moved_, movedBack_;                                   // the fused ones
    tensor::AlignedVector<Value> x_, first_, second_, result_; // (tokens, channels)
    tensor::AlignedVector<Value> qkv_, qkvOfWindows_;          // (tokens, 3 channels)
};

template <typename Value>
std::vector<Goal> measure(const model::Config& config, int rounds) {
    std::vector<Goal> goals;
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        const int grid = config.stageGrid(stage), side = config.stageAttentionSide(stage);
        if (grid == side) continue;
        ShiftedStage<Value> work(grid, side, config.stageDim(stage),
                                 config.heads[static_cast<std::size_t>(stage)]);
        work.withMaps();
        const auto expected = work.result();
        const auto requireSame = [&] {
            if (std::memcmp(work.result().data(), expected.data(), expected.size() * sizeof(Value)) != 0)
                throw std::runtime_error("shifted windows: the three ways give other results");
        };
        work.withFusedMoves();
        requireSame();
        work.withPlainMoves();
        requireSame();
        std::vector<double> maps, fused, plain;
        for (int round = 0; round < rounds; ++round) {
            maps.push_back(timed([&] { work.withMaps(); }));
            fused.push_back(timed([&] { work.withFusedMoves(); }));
            plain.push_back(timed([&] { work.withPlainMoves(); }));
        }
        const auto name = fmt::format("stage{}, shifted windows: ", stage);
        const auto addTime = [&](const char* way, const std::vector<double>& seconds) {
            goals.push_back({name + way, percentile(seconds, 0.5) * 1e3, "ms", {}, {}});
        };
        addTime("index maps", maps);
        addTime("fused moves", fused);
        addTime("plain moves", plain);
        goals.push_back({name + "bytes of fused moves", 2.0 * work.bytesMoved() * 1e-6, "MB", {}, {}});
        goals.push_back({name + "bytes of plain moves", 4.0 * work.bytesMoved() * 1e-6, "MB", {}, {}});
    }
    return goals;
}

} // namespace

std::vector<Goal> measureShiftedWindows(const model::Config& config, tensor::Number number, int rounds) {
    return number == tensor::Number::bfloat16 ? measure<tensor::BFloat16>(config, rounds)
                                              : measure<float>(config, rounds);
}

} // namespace earshot::benchmark
