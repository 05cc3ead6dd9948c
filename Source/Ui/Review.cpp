#include "Ui/Review.h"

#include "Core/Base/Csv.h"
#include "Core/Formats/Fields.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace earshot::ui {

namespace {

bool isAbout(const Judgement& judgement, const std::string& label, double onset, double offset, int channel) {
    if (judgement.label != label || judgement.channel != channel) return false;
    const double shared = std::min(judgement.offset, offset) - std::max(judgement.onset, onset);
    const double longer = std::max(judgement.offset - judgement.onset, offset - onset);
    return shared > 0.0 && 2.0 * shared >= longer;
}

Verdict verdictOn(const std::vector<Judgement>& judgements, const std::string& label, double onset,
                  double offset, int channel) {
    // It is at most twice as long as the event.
    const double first = onset - 2.0 * (offset - onset);
    auto at = std::ranges::lower_bound(judgements, std::tie(label, channel, first), {}, placeOf);
    for (; at != judgements.end() && at->label == label && at->channel == channel && at->onset < offset; ++at)
        if (isAbout(*at, label, onset, offset, channel)) return at->right;
    return std::nullopt;
}

} // namespace

Verdict Review::of(const detection::Event& event) const {
    const auto judgements = controller_.reviews().judgements();
    if (judgements->empty() || !possible()) return std::nullopt;
    return verdictOn(*judgements, viewModel_.label(event.classIndex).toStdString(), event.onset, event.offset,
                     event.channel);
}

juce::String Review::judge(const detection::Event& event, bool right) {
    const auto label = viewModel_.label(event.classIndex).toStdString();
    const bool takesBack = of(event) == Verdict(right);
    auto judgements = *controller_.reviews().judgements();
    std::erase_if(judgements, [&](const Judgement& judgement) {
        return isAbout(judgement, label, event.onset, event.offset, event.channel);
    });
    if (!takesBack) {
        Judgement judgement{label, event.onset, event.offset, event.channel, right};
        const auto place = std::ranges::upper_bound(judgements, placeOf(judgement), {}, placeOf);
        judgements.insert(place, std::move(judgement));
    }
    auto why =
        controller_.reviews().set(std::make_shared<const std::vector<Judgement>>(std::move(judgements)));
    if (why.isEmpty()) controller_.view().sendChangeMessage();
    return why;
}

int Review::judged(std::span<const detection::Event> events) const {
    if (!hasAny()) return 0;
    return static_cast<int>(
        std::ranges::count_if(events, [this](const auto& event) { return of(event).has_value(); }));
}

std::optional<int> Review::next(std::span<const detection::Event> events, int row) const {
    const auto count = static_cast<int>(events.size());
    for (int i = 1; i <= count; ++i) {
        const int at = (std::max(row, -1) + i) % count;
        if (!of(events[static_cast<std::size_t>(at)])) return at;
    }
    return std::nullopt;
}

std::string Review::table(const formats::RecordingEvents& recording) const {
    const auto file = csvField(std::filesystem::path(recording.file).filename().string());
    const auto judgements = controller_.reviews().judgements();
    std::string table = "file,onset_s,offset_s,label,peak,confidence,channel,review\n";
    for (const auto& event : recording.events) {
        const auto verdict = verdictOn(*judgements, event.label, event.onset, event.offset, event.channel);
        table += fmt::format("{},{:.3f},{:.3f},{},{:.6f},{},{},{}\n", file, formats::finite(event.onset),
                             formats::finite(event.offset), csvField(event.label), event.peak,
                             event.confidence > 0.0f ? fmt::format("{:.6f}", event.confidence) : "",
                             event.channel > 0 ? fmt::format("{}", event.channel) : "",
                             !verdict   ? ""
                             : *verdict ? "right"
                                        : "wrong");
    }
    return table;
}

} // namespace earshot::ui
