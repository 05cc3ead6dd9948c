#include "Core/Base/OutputCheck.h"

namespace earshot {

namespace fs = std::filesystem;

void OutputCheck::writes(const fs::path& file) {
    const std::size_t index = outputs_.size();
    outputs_.push_back(file);
    const auto remember = [&](auto& known, const auto& key) {
        const auto [first, isNew] = known.emplace(key, index);
        if (!isNew && !twins_) twins_ = Clash{file, outputs_[first->second], "another of the results"};
    };
    if (const auto status = platform::statusOf(file)) {
        if (status->kind == platform::FileKind::characterDevice) return;
        remember(there_, status->identity);
        if (status->kind == platform::FileKind::regular && status->size > 0) occupied_.push_back(file);
        return;
    }
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (const auto status = platform::statusOf(folder))
        remember(coming_, std::pair(status->identity, file.filename().string()));
}

void OutputCheck::reads(const fs::path& file, const std::string& what) {
    if (const auto status = platform::statusOf(file)) reads(*status, file, what);
}

void OutputCheck::readsStandardInput(const std::string& what) {
    constexpr int standardInput = 0;
    if (const auto status = platform::statusOf(standardInput)) reads(*status, "standard input", what);
}

void OutputCheck::reads(const platform::FileStatus& status, const fs::path& file, const std::string& what) {
    if (status.kind != platform::FileKind::characterDevice)
        inputs_.emplace(status.identity, std::pair(file, what));
}

std::optional<OutputCheck::Clash> OutputCheck::clashWithInput() const {
    for (const auto& [identity, index] : there_)
        if (const auto input = inputs_.find(identity); input != inputs_.end())
            return Clash{outputs_[index], input->second.first, input->second.second};
    return std::nullopt;
}

std::optional<OutputCheck::Clash> OutputCheck::clash() const {
    const auto input = clashWithInput();
    return input ? input : twins_;
}

} // namespace earshot
