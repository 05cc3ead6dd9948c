// Vectors of texts that were embedded before, as float16, so that neither a running plugin nor a project that
// is opened again needs the text half for them. A vector belongs to a text and to the space into which a
// model projects it (ClapProjectionWeights::digest). Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::detection {

class TextVectors {
  public:
    using Vector = std::vector<std::uint16_t>; // float16

    std::optional<Vector> find(const std::string& space, const std::string& text) const;
    void add(const std::string& space, const std::string& text, Vector vector);

  private:
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Vector> vectors_; // by space and text
};

} // namespace earshot::detection
