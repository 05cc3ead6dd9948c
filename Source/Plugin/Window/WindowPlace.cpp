#include "Plugin/Window/WindowPlace.h"

#include <algorithm>

namespace earshot::plugin {

juce::Rectangle<int> windowPlace(juce::Point<int> size, std::optional<juce::Point<int>> position,
                                 juce::Rectangle<int> area, int titleBar) {
    const auto free = area.withTrimmedTop(std::min(titleBar, area.getHeight()));
    const int width = std::min(size.x, free.getWidth()), height = std::min(size.y, free.getHeight());
    const auto bounds = position ? juce::Rectangle<int>(position->x, position->y, width, height)
                                 : free.withSizeKeepingCentre(width, height);
    return bounds.constrainedWithin(free);
}

juce::Rectangle<int> areaForEditor(juce::Rectangle<int> area, double desktopScale, double hostScale) {
    if (!(hostScale > desktopScale)) return area;
    const double part = desktopScale / hostScale;
    return area.withSize(static_cast<int>(area.getWidth() * part), static_cast<int>(area.getHeight() * part));
}

double zoomIn(juce::Rectangle<int> area, juce::Point<int> smallest, int percent) {
    const double wanted = percent / 100.0;
    const double room = std::min(static_cast<double>(area.getWidth()) / smallest.x,
                                 static_cast<double>(area.getHeight()) / smallest.y);
    return std::min(wanted, std::max(1.0, room));
}

} // namespace earshot::plugin
