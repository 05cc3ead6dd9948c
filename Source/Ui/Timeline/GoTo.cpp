#include "Ui/Timeline/GoTo.h"

#include "Core/Streaming/FilePlayer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace earshot::ui {

namespace {

bool isAmong(const std::vector<int>& channels, int channel) {
    return std::ranges::find(channels, channel) != channels.end();
}

} // namespace

GoTo::GoTo(PlaybackControl& playback, HistoryViewModel& viewModel, TimeAxis& axis, TimelineView& timeline)
    : playback_(playback)
    , viewModel_(viewModel)
    , axis_(axis)
    , timeline_(timeline) {}

void GoTo::operator()(const detection::Event& event) {
    sought_.reset();
    if (event.channel > 0 && event.channel != viewModel_.channel()) {
        viewModel_.showChannel(event.channel);
        viewModel_.update();
    }
    show(event.classIndex, event.onset, event.offset);
    play(event.onset);
}

void GoTo::operator()(const FoundEvent& found) {
    if (playback_.recording() != found.file) {
        playback_.open(found.file);
        viewModel_.update(); // shows it whole
    }
    axis_.reveal(found.onset);
    sought_ = found;
    start_ = axis_.start();
    wanted_ = axis_.wanted();
    historyChanged();
    play(found.onset);
}

void GoTo::historyChanged() {
    if (!sought_) return;
    const auto& labels = viewModel_.history().labels;
    const bool moved = axis_.start() != start_ || axis_.wanted() != wanted_;
    const bool ours = playback_.recording() == sought_->file && !moved;
    const auto state = viewModel_.status().state;
    // Another channel is shown from the next update on.
    if (ours && viewModel_.channel() != sought_->channel && isAmong(viewModel_.channels(), sought_->channel))
        return viewModel_.showChannel(sought_->channel);
    const bool ended = state == streaming::State::finished || state == streaming::State::failed;
    if (ours && !ended && (labels == nullptr || viewModel_.end() < sought_->offset)) return;
    const auto found = *std::exchange(sought_, std::nullopt);
    if (!ours || labels == nullptr) return;
    if (const auto classIndex = labels->find(found.sound)) show(*classIndex, found.onset, found.offset);
}

// A recording is zoomed into if the event would be hardly a line.
void GoTo::show(int classIndex, double onset, double offset) {
    constexpr double narrowest = 3.0; // logical pixels
    const double pixels = (offset - onset) / axis_.visible() * std::max(1, timeline_.getWidth());
    if (playback_.showsRecording() && pixels < narrowest)
        axis_.setVisible(std::max(TimeAxis::usual, 10.0 * (offset - onset)), onset);
    axis_.reveal(onset);
    timeline_.reveal(classIndex, onset, offset);
}

void GoTo::play(double onset) {
    if (auto* player = playback_.playable()) player->seek(onset);
}

} // namespace earshot::ui
