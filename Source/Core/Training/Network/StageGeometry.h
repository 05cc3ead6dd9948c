// Index maps that bring the tokens of several windows of one encoder stage into attention windows and back.
// They cover the whole batch, sample after sample, with and without the cyclic shift. Immutable: any thread.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Network/WindowAttention.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace earshot::training {

class StageGeometry {
  public:
    StageGeometry(const model::Config& config, int stage, int samples);

    int samples() const { return samples_; }
    int grid() const { return grid_; }
    int attentionSide() const { return side_; }
    std::int64_t tokensPerSample() const { return static_cast<std::int64_t>(grid_) * grid_; }
    std::int64_t tokens() const { return samples_ * tokensPerSample(); }

    // Whether a block is shifted: every second one is, if the grid is more than one attention window.
    const model::AttentionLayout& layout(int block) const { return isShifted(block) ? *shifted_ : plain_; }
    // (tokens): the row of the stream at each place of the attention order.
    const std::int32_t* rows(int block) const {
        return isShifted(block) ? shiftedRows_.data() : plainRows_.data();
    }

  private:
    bool isShifted(int block) const { return block % 2 == 1 && shifted_.has_value(); }
    std::vector<std::int32_t> rowsOf(const model::AttentionLayout& layout) const;

    int samples_;
    int grid_;
    int side_;
    model::AttentionLayout plain_;
    std::optional<model::AttentionLayout> shifted_;
    std::vector<std::int32_t> plainRows_, shiftedRows_;
};

} // namespace earshot::training
