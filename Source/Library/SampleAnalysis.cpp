#include "Library/SampleAnalysis.h"

#include "Core/Base/Log.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <utility>

namespace earshot::library {

SampleAnalysis::SampleAnalysis(std::shared_ptr<const OpenModel> model, const Choice& choice, bool isStream,
                               double rate, std::size_t channels, int channel,
                               const detection::RecordingQuestion& question)
    : model_(std::move(model))
    , choice_(choice)
    , isStream_(isStream)
    , feed_(rate, channels, channel, model_->rate())
    , analyzer_(model_->takeAnalyzer(choice, isStream))
    , pass_(*analyzer_, question, channel) {}

SampleAnalysis::~SampleAnalysis() {
    if (!whole_) return;
    try {
        model_->giveBack(choice_, isStream_, std::move(analyzer_));
    } catch (const std::bad_alloc&) { // it is freed
        logCaught("keeping an analyser for later");
    }
}

// A recording that would be repeated to fill a window, and become a tone.
bool SampleAnalysis::tooShort() const { return feed_.seconds() < detection::BlockReader::minSeconds; }

void SampleAnalysis::analyze() {
    const tensor::ThreadCountScope threads(isStream_ ? 1 : model_->threads());
    whole_ = false;
    pass_.push(block_);
    whole_ = true;
    block_.clear();
}

void SampleAnalysis::push(const Samples& samples, std::size_t first, std::size_t count) {
    feed_.push(samples, first, count, block_);
    if (!tooShort()) analyze();
}

detection::RecordingResult SampleAnalysis::finish() {
    feed_.finish(block_);
    if (tooShort()) block_.clear();
    analyze();
    detection::FileSummary summary;
    summary.seconds = feed_.seconds();
    summary.warnings = feed_.remarks();
    if (tooShort())
        summary.warnings.push_back(fmt::format("is {:.2g} s long; nothing is reported of audio under {} s",
                                               summary.seconds, detection::BlockReader::minSeconds));
    const tensor::ThreadCountScope threads(isStream_ ? 1 : model_->threads());
    whole_ = false;
    auto result = pass_.finish(summary);
    whole_ = true;
    return result;
}

} // namespace earshot::library
