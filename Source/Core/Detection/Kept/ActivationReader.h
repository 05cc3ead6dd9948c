// Kept activations read again, a few columns at a time, whatever their number. The file is untrusted: all of
// it is checked before it is used, and every failure is an earshot::Error that names the file. One thread at
// a time.
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Detection/Events/BoxScorer.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Kept/ActivationsHeader.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace earshot::detection {

class ActivationReader {
  public:
    explicit ActivationReader(const std::filesystem::path& file);

    const Labels& labels() const { return labels_; } // with the model's own thresholds
    // The model's own, or null.
    const std::shared_ptr<const BoxScorer>& boxes() const { return boxes_; }
    const ActivationFacts& facts() const { return facts_; }
    int classes() const { return labels_.count(); }
    std::int64_t columns() const { return columns_; }

    // The next columns, (n, classes) for as many as `values` holds and there are; 0 at the end. Each value is
    // 0 to 1.
    std::int64_t read(std::span<float> values);

  private:
    void readHeader();

    RegularFile file_;
    std::uint64_t position_ = 0; // of the next column, in bytes
    Labels labels_;
    std::shared_ptr<const BoxScorer> boxes_;
    ActivationFacts facts_;
    std::int64_t columns_ = 0;
    std::int64_t read_ = 0; // columns
    std::vector<std::byte> stored_;
};

// The rest of the columns judged as analyzeRecording() judges a recording; `proceed` is asked now and then,
// and false stops there: then there is no result.
std::optional<RecordingResult> judgeActivations(ActivationReader& reader, const RecordingQuestion& question,
                                                const std::function<bool()>& proceed = {});

} // namespace earshot::detection
