#include "Core/Base/OutputCheck.h"

#include <sys/stat.h>
#include <unistd.h>

namespace earshot {

namespace fs = std::filesystem;

void OutputCheck::writes(const fs::path& file) {
    const std::size_t index = outputs_.size();
    outputs_.push_back(file);
    const auto remember = [&](auto& known, const auto& key) {
        const auto [first, isNew] = known.emplace(key, index);
        if (!isNew && !twins_) twins_ = Clash{file, outputs_[first->second], "another of the results"};
    };
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) {
        if (S_ISCHR(status.st_mode)) return;
        remember(there_, Identity(status.st_dev, status.st_ino));
        if (S_ISREG(status.st_mode) && status.st_size > 0) occupied_.push_back(file);
        return;
    }
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (::stat(folder.c_str(), &status) == 0)
        remember(coming_, std::pair(Identity(status.st_dev, status.st_ino), file.filename().string()));
}

void OutputCheck::reads(const fs::path& file, const std::string& what) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) reads(status, file, what);
}

void OutputCheck::readsStandardInput(const std::string& what) {
    struct stat status {};
    if (::fstat(STDIN_FILENO, &status) == 0) reads(status, "standard input", what);
}

void OutputCheck::reads(const struct stat& status, const fs::path& file, const std::string& what) {
    if (!S_ISCHR(status.st_mode))
        inputs_.emplace(Identity(status.st_dev, status.st_ino), std::pair(file, what));
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
