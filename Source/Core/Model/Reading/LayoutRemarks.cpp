#include "Core/Model/Reading/LayoutRemarks.h"

#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/ConfigReader.h"

#include <fmt/format.h>

namespace earshot::model {

namespace {

// The buffers that a file of this architecture has when PyTorch saves it, and that follow from its config.
std::vector<std::string> bufferNames(const Config& config) {
    std::vector<std::string> names = {"spectrogram_extractor.stft.conv_real.weight",
                                      "spectrogram_extractor.stft.conv_imag.weight", "logmel_extractor.melW"};
    for (int stage = 0; stage < config.stageCount(); ++stage)
        for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block) {
            const auto name = fmt::format("layers.{}.blocks.{}.", stage, block);
            names.push_back(name + "attn.relative_position_index");
            if (block % 2 == 1 && config.stageGrid(stage) > config.stageAttentionSide(stage))
                names.push_back(name + "attn_mask");
        }
    return names;
}

std::string remarkOnBuffers(const Checkpoint& checkpoint, const CheckpointLayout& layout) {
    std::string first;
    int absent = 0;
    for (const auto& name : bufferNames(layout.config))
        if (!checkpoint.contains(layout.prefix + name)) {
            if (first.empty()) first = name;
            ++absent;
        }
    if (absent == 0 || checkpoint.metadata().contains("earshot.config")) return {};
    return fmt::format("{}{} not in the file; computed from the settings", first,
                       absent == 1 ? " is" : fmt::format(" and {} other buffers are", absent - 1));
}

std::string remarkOnScales(const Checkpoint& checkpoint, const CheckpointLayout& layout) {
    std::size_t count = 0;
    for (const auto& item : checkpoint.tensors())
        if (item.first.starts_with(layout.prefix) && !checkpoint.scaleOf(item.first).empty()) ++count;
    if (count == 0) return {};
    return fmt::format("{} tensors are int8 and multiplied by the scales beside them (NAME_scale)", count);
}

} // namespace

std::vector<std::string> remarksOn(const Checkpoint& checkpoint, const CheckpointLayout& layout) {
    std::vector<std::string> remarks;
    if (!layout.config.qkvBias) remarks.emplace_back("queries, keys and values have no biases (qkv_bias)");
    if (!layout.config.patchNorm) remarks.emplace_back("no norm follows the patch embedding (patch_norm)");
    for (auto remark : {remarkOnScales(checkpoint, layout), remarkOnBuffers(checkpoint, layout)})
        if (!remark.empty()) remarks.push_back(std::move(remark));
    return remarks;
}

} // namespace earshot::model
