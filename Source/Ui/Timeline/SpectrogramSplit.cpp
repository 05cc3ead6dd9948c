#include "Ui/Timeline/SpectrogramSplit.h"

#include <algorithm>

namespace earshot::ui {

namespace {

// Logical pixels of height.
constexpr int barHeight = 14;
constexpr int minForBoth = 170; // a lower timeline shows lanes alone
constexpr int minSpectrogram = 48;
constexpr int minLanes = 84;

int within(int height, int room) {
    return std::clamp(height, minSpectrogram, std::max(minSpectrogram, room - minLanes));
}

} // namespace

SpectrogramSplit::SpectrogramSplit(juce::Component& owner, Controller& controller)
    : controller_(controller) {
    owner.addAndMakeVisible(bar_);
    bar_.onStart = [this] { heightAtDrag_ = spectrogram_; };
    bar_.onMove = [this](int down) { move(down); };
}

SpectrogramSplit::Places SpectrogramSplit::place(juce::Rectangle<int> area, int height) {
    const bool both = height >= minForBoth;
    share_ = controller_.view().get().spectrogramShare;
    room_ = std::max(1, area.getHeight() - barHeight);
    spectrogram_ = both ? within(juce::roundToInt(share_ * room_), room_) : 0;
    Places places;
    places.spectrogram = area.removeFromTop(spectrogram_);
    bar_.setVisible(both);
    if (both) bar_.setBounds(area.removeFromTop(barHeight));
    places.lanes = area;
    return places;
}

bool SpectrogramSplit::isStale() const { return controller_.view().get().spectrogramShare != share_; }

void SpectrogramSplit::move(int down) {
    const double height = within(heightAtDrag_ + down, room_);
    controller_.view().edit([&](ViewSettings& view) { view.spectrogramShare = height / room_; });
    if (onMove) onMove();
}

} // namespace earshot::ui
