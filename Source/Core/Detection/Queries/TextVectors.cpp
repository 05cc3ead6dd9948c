#include "Core/Detection/Queries/TextVectors.h"

namespace earshot::detection {

std::optional<TextVectors::Vector> TextVectors::find(const std::string& space,
                                                     const std::string& text) const {
    const std::scoped_lock lock(mutex_);
    const auto found = vectors_.find({space, text});
    if (found == vectors_.end()) return std::nullopt;
    return found->second;
}

void TextVectors::add(const std::string& space, const std::string& text, Vector vector) {
    const std::scoped_lock lock(mutex_);
    vectors_[{space, text}] = std::move(vector);
}

} // namespace earshot::detection
