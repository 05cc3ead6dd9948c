#include "Core/Training/Network/StageGeometry.h"

namespace earshot::training {

StageGeometry::StageGeometry(const model::Config& config, int stage, int samples)
    : samples_(samples)
    , grid_(config.stageGrid(stage))
    , window_(config.stageWindow(stage))
    , plain_(grid_, window_, 0)
    , plainRows_(rowsOf(plain_)) {
    if (grid_ <= window_) return;
    shifted_.emplace(grid_, window_, window_ / 2);
    shiftedRows_ = rowsOf(*shifted_);
}

std::vector<std::int32_t> StageGeometry::rowsOf(const model::WindowLayout& layout) const {
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(tokens()));
    for (int sample = 0; sample < samples_; ++sample)
        for (int window = 0; window < layout.windowCount(); ++window)
            for (const auto row : layout.rows(window))
                rows.push_back(row + static_cast<std::int32_t>(sample * tokensPerSample()));
    return rows;
}

} // namespace earshot::training
