#include "Ui/Timeline/PlayCursor.h"

#include "Ui/NonThrowing.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/Plot.h"

namespace earshot::ui {

namespace {

constexpr int cursorsPerSecond = 30;
constexpr int cursorWidth = 11;
constexpr double beforeCursor = 0.1; // of the visible time, on a new page

} // namespace

PlayCursor::PlayCursor(PlaybackControl& playback, TimeAxis& axis)
    : playback_(playback)
    , axis_(axis) {
    setInterceptsMouseClicks(false, false);
    startTimerHz(cursorsPerSecond);
}

streaming::FilePlayer* PlayCursor::player() const {
    return playback_.showsRecording() ? playback_.player() : nullptr;
}

void PlayCursor::timerCallback() {
    catchAll(*this, [this] { follow(); });
}

void PlayCursor::follow() {
    const auto* playing = player();
    if (playing == nullptr) {
        setVisible(false);
        return;
    }
    if (onFollow) onFollow();
    const double position = playing->position();
    if (isVisible() && position == seconds_) return;
    const bool wasInView = seconds_ >= axis_.start() && seconds_ <= axis_.end();
    seconds_ = position;
    // Turns the page, unless the user looks elsewhere.
    if (playing->playing() && wasInView && position > axis_.end())
        axis_.setStart(position - beforeCursor * axis_.visible());
    place();
}

void PlayCursor::place() {
    const auto& view = *getParentComponent();
    const double x = axis_.x(seconds_, plotWidth(view));
    const bool inView = player() != nullptr && x >= 0.0 && x <= plotWidth(view);
    setVisible(inView);
    if (inView)
        setBounds(size::laneNames + juce::roundToInt(x) - cursorWidth / 2, size::ruler - 8, cursorWidth,
                  view.getHeight() - size::ruler + 8);
}

void PlayCursor::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat();
    const float x = area.getCentreX();
    graphics.setColour(palette.text);
    graphics.fillRect(juce::Rectangle<float>(1.5f, area.getHeight()).withX(x - 0.75f));
    juce::Path head;
    head.addTriangle(area.getX(), 0.0f, area.getRight(), 0.0f, x, 7.0f);
    graphics.fillPath(head);
}

} // namespace earshot::ui
