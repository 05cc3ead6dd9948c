// Samples to events, whether they come at once or piece by piece. One thread at a time.
#pragma once

#include "Library/OpenModel.h"
#include "Library/SampleFeed.h"

#include "Core/Detection/Windows/RecordingAnalysis.h"

#include <memory>
#include <vector>

namespace earshot::library {

class SampleAnalysis {
  public:
    // channel: counted from 1; 0: the mix. `question` must outlive it. Throws Failure if there is no such
    // channel.
    SampleAnalysis(std::shared_ptr<const OpenModel> model, const Choice& choice, bool isStream, double rate,
                   std::size_t channels, int channel, const detection::RecordingQuestion& question);
    ~SampleAnalysis();
    SampleAnalysis(const SampleAnalysis&) = delete;
    SampleAnalysis& operator=(const SampleAnalysis&) = delete;

    void push(const Samples& samples, std::size_t first, std::size_t count);
    // Call it last. The warnings of its summary are clauses.
    detection::RecordingResult finish();

    std::uint64_t frames() const { return feed_.frames(); }
    const detection::Timeline& timeline() const { return analyzer_->timeline(); }

  private:
    bool tooShort() const;
    void analyze();

    std::shared_ptr<const OpenModel> model_;
    Choice choice_;
    bool isStream_;
    SampleFeed feed_;
    std::unique_ptr<detection::Analyzer> analyzer_;
    detection::RecordingPass pass_;
    std::vector<float> block_; // at the model's rate, not analysed yet
    bool whole_ = true;        // nothing was thrown
};

} // namespace earshot::library
