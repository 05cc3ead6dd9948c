#include "Core/Model/Reading/PretrainedSides.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/BlockForm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::model {

namespace {

constexpr int maxSide = 64; // as Config::validate()

[[noreturn]] void fail(const Checkpoint& checkpoint, const std::string& name, const std::string& problem) {
    throw Error(fmt::format("{}: tensor {}: {}", displayName(checkpoint.file()), printable(name), problem));
}

// A distance of one window's reach has the coordinate log2(9) / log2(8): distances are log-spaced over eight
// times the reach for which the biases were trained (Liu et al. 2022, section 3.3).
int readSide(Checkpoint& checkpoint, const std::string& name, const tensor::Shape& shape) {
    if (shape.size() != 4 || shape[0] != 1 || shape[1] % 2 != 1 || shape[1] >= 2 * maxSide ||
        shape[2] != shape[1] || shape[3] != 2)
        fail(checkpoint, name, "expected (1, 2 side - 1, 2 side - 1, 2), found " + tensor::describe(shape));
    const auto coordinates = checkpoint.read(name);
    const double farthest = *std::ranges::max_element(coordinates.values());
    const double reach = 4.0 * static_cast<double>(shape[1] - 1) / (std::exp2(3.0 * farthest) - 1.0);
    const double side = std::round(reach) + 1.0;
    if (!(std::abs(reach + 1.0 - side) < 0.01 && side >= 2.0 && side <= maxSide))
        fail(checkpoint, name, "its largest coordinate is that of no attention window");
    return static_cast<int>(side);
}

} // namespace

std::vector<int> readPretrainedSides(Checkpoint& checkpoint, const std::string& prefix, int stages) {
    // Newer files have none of them. A file that has some is cut.
    const auto isThere = [&](int stage) {
        return checkpoint.contains(prefix + BlockForm(stage, 0).distances);
    };
    bool any = false;
    for (int stage = 0; stage < stages; ++stage) any |= isThere(stage);
    std::vector<int> sides;
    for (int stage = 0; stage < stages; ++stage) {
        const auto found = checkpoint.tensors().find(prefix + BlockForm(stage, 0).distances);
        if (found == checkpoint.tensors().end() && !any) return {};
        if (found == checkpoint.tensors().end())
            fail(checkpoint, prefix + BlockForm(stage, 0).distances,
                 "expected (1, 2 side - 1, 2 side - 1, 2), found none; the file may be cut");
        sides.push_back(readSide(checkpoint, found->first, found->second.shape));
    }
    return sides;
}

void completePretrainedSides(Checkpoint& checkpoint, CheckpointLayout& layout) {
    Config& config = layout.config;
    if (config.block != BlockKind::v2) return;
    auto sides = readPretrainedSides(checkpoint, layout.prefix, config.stageCount());
    if (sides.empty()) return;
    std::vector<int> own;
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        own.push_back(config.stageAttentionSide(stage));
        const auto name = layout.prefix + BlockForm(stage, 0).distances;
        const int extent = 2 * own.back() - 1;
        if (const auto& shape = checkpoint.tensors().at(name).shape; shape[1] != extent)
            fail(checkpoint, name,
                 fmt::format("expected {}, found {}", tensor::describe({1, extent, extent, 2}),
                             tensor::describe(shape)));
    }
    auto& stated = config.pretrainedSides;
    if (!stated.empty() && stated != sides)
        throw Error(fmt::format("{}: earshot.config says pretrained_window_sizes is [{}], its tensors say "
                                "[{}]",
                                displayName(checkpoint.file()), fmt::join(stated, ", "),
                                fmt::join(sides, ", ")));
    if (sides != own) stated = std::move(sides);
}

} // namespace earshot::model
