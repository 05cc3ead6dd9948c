#include "Core/Training/Network/StageGeometry.h"

namespace earshot::training {

StageGeometry::StageGeometry(const model::Config& config, int stage, int samples)
    : samples_(samples)
    , grid_(config.stageGrid(stage))
    , side_(config.stageAttentionSide(stage))
    , plain_(grid_, side_, 0)
    , plainRows_(rowsOf(plain_)) {
    if (grid_ <= side_) return;
    shifted_.emplace(grid_, side_, side_ / 2);
    shiftedRows_ = rowsOf(*shifted_);
}

std::vector<std::int32_t> StageGeometry::rowsOf(const model::AttentionLayout& layout) const {
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(tokens()));
    for (int sample = 0; sample < samples_; ++sample)
        for (int index = 0; index < layout.count(); ++index)
            for (const auto row : layout.rows(index))
                rows.push_back(row + static_cast<std::int32_t>(sample * tokensPerSample()));
    return rows;
}

} // namespace earshot::training
