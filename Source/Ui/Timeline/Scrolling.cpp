#include "Ui/Timeline/Scrolling.h"

#include "Core/Streaming/FilePlayer.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/Timeline/Plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::ui {

namespace {

constexpr double keyScroll = 0.1; // of the visible time
constexpr double keyZoom = 1.25;
constexpr double wheelScroll = 0.5; // of the visible time, for one step of a wheel
constexpr double wheelZoom = 2.0;   // octaves for one step of a wheel
constexpr float wheelLanes = 5.0f * LanesView::pitch;

} // namespace

Scrolling::Scrolling(juce::Component& view, Controller& controller, TimeAxis& axis, LanesView& lanes)
    : view_(view)
    , controller_(controller)
    , axis_(axis)
    , lanes_(lanes) {}

void Scrolling::restoreZoom() {
    if (controller_.playback().showsRecording()) return;
    const double wanted = controller_.view().get().visibleSeconds;
    if (wanted != axis_.wanted()) axis_.setVisible(wanted, axis_.following() ? axis_.end() : axis_.start());
}

void Scrolling::zoom(double factor, double anchor) {
    axis_.setVisible(axis_.visible() * factor, anchor);
    if (controller_.playback().showsRecording()) return;
    controller_.view().edit([&](ViewSettings& settings) { settings.visibleSeconds = axis_.wanted(); });
}

void Scrolling::press(const juce::MouseEvent& event) {
    const bool inRuler = event.y < size::ruler && event.x >= size::laneNames;
    drags_ = inRuler && controller_.playback().playable() != nullptr ? Drag::position : Drag::axis;
    dragsLanes_ = lanes_.getBounds().contains(event.getPosition());
    startAtPress_ = axis_.start();
    lastY_ = event.y;
}

void Scrolling::drag(const juce::MouseEvent& event) {
    if (drags_ == Drag::position) {
        const int x = std::clamp(event.x, size::laneNames, size::laneNames + plotWidth(view_));
        if (auto* player = controller_.playback().playable())
            player->scrub(std::clamp(secondsAt(view_, axis_, x), 0.0, axis_.contentEnd()));
    }
    if (drags_ != Drag::axis) return;
    const double seconds = event.getDistanceFromDragStartX() * axis_.visible() / plotWidth(view_);
    if (event.getMouseDownX() >= size::laneNames) axis_.setStart(startAtPress_ - seconds);
    if (dragsLanes_) lanes_.scrollBy(static_cast<float>(lastY_ - event.y));
    lastY_ = event.y;
}

void Scrolling::stop() {
    if (std::exchange(drags_, Drag::nothing) != Drag::position) return;
    if (auto* player = controller_.playback().playable()) player->endScrub();
}

void Scrolling::wheel(const juce::MouseEvent& event, const juce::MouseWheelDetails& wheel) {
    // Some systems reverse the wheel's direction while shift is down.
    const float turned = std::abs(wheel.deltaY) >= std::abs(wheel.deltaX) ? wheel.deltaY : wheel.deltaX;
    if (event.mods.isCommandDown() || event.mods.isCtrlDown())
        zoom(std::exp2(-wheelZoom * static_cast<double>(turned)), secondsAt(view_, axis_, event.x));
    else if (event.mods.isShiftDown() || event.x < size::laneNames)
        lanes_.scrollBy(-turned * wheelLanes);
    else
        axis_.setStart(axis_.start() -
                       static_cast<double>(wheel.deltaX + wheel.deltaY) * wheelScroll * axis_.visible());
}

void Scrolling::magnify(const juce::MouseEvent& event, float factor) {
    if (factor > 0.0f) zoom(1.0 / static_cast<double>(factor), secondsAt(view_, axis_, event.x));
}

bool Scrolling::key(const juce::KeyPress& press) {
    const int code = press.getKeyCode();
    const auto letter = press.getTextCharacter();
    const double centre = axis_.following() ? axis_.end() : axis_.start() + axis_.visible() / 2.0;
    if (code == juce::KeyPress::leftKey)
        axis_.setStart(axis_.start() - keyScroll * axis_.visible());
    else if (code == juce::KeyPress::rightKey)
        axis_.setStart(axis_.start() + keyScroll * axis_.visible());
    else if (code == juce::KeyPress::homeKey)
        axis_.setStart(0.0);
    else if (code == juce::KeyPress::endKey)
        axis_.follow();
    else if (letter == '+' || letter == '=')
        zoom(1.0 / keyZoom, centre);
    else if (letter == '-')
        zoom(keyZoom, centre);
    else
        return false;
    return true;
}

} // namespace earshot::ui
