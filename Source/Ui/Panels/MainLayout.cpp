#include "Ui/Panels/MainLayout.h"

#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/NowPanel.h"
#include "Ui/Panels/RecordingBar.h"
#include "Ui/Panels/SidePanel.h"
#include "Ui/Recordings/RecordingsPanel.h"

#include <algorithm>

namespace earshot::ui {

namespace {

constexpr int withNow = 800;        // the narrowest view with a Now panel
constexpr int withWideNow = 1080;   // the narrowest view with one of full width
constexpr int minWidthBeside = 640; // the narrowest view beside an open panel
constexpr int minPanelWidth = 480;  // the narrowest panel there, unless it is always narrower
constexpr int minTimeline = 150;    // logical pixels high
constexpr int minEvents = EventPanel::heightFor(3);

} // namespace

bool foldsAtFirst(int height) { return height < 480; }

MainLayout layOut(juce::Rectangle<int> view, const MainLayout::Wishes& wishes) {
    MainLayout layout;
    const int beside = view.getWidth() - minWidthBeside; // what is left for a panel beside the rest
    const auto widthOf = [&](int widest) {
        return beside >= std::min(widest, minPanelWidth) ? std::min(widest, beside) : widest;
    };
    const auto sideOf = [&](int widest) {
        return view.withLeft(std::max(view.getX(), view.getRight() - widthOf(widest)));
    };
    layout.topBar = view.removeFromTop(size::topBar);
    layout.side = sideOf(SidePanel::widest);
    layout.wideSide = sideOf(RecordingsPanel::widest);
    if (widthOf(wishes.panel) <= beside) view.removeFromRight(widthOf(wishes.panel));
    if (wishes.notice) layout.notice = view.removeFromTop(NoticeBar::height);
    if (wishes.recording) layout.recording = view.removeFromTop(RecordingBar::height);

    const bool roomy = view.getHeight() >= 440;
    const int gap = roomy ? 12 : size::gap;
    auto area = view.reduced(size::margin, 0);
    area.removeFromTop(roomy ? 8 : 4);
    area.removeFromBottom(roomy ? 12 : 6);

    const int filter = size::control;
    const int most = area.getHeight() - minTimeline - filter - 2 * gap;
    const int rows = std::clamp(area.getHeight() / 130, 3, 12);
    const int suits = EventPanel::heightFor(rows);
    int events = wishes.folded ? EventPanel::foldedHeight
                               : std::max(minEvents, wishes.eventsHeight > 0 ? wishes.eventsHeight : suits);
    events = std::max(EventPanel::foldedHeight, std::min(events, most));
    layout.events = area.removeFromBottom(events);
    layout.divider = area.removeFromBottom(gap);
    layout.filter = area.removeFromBottom(filter);
    area.removeFromBottom(gap - 4);

    if (area.getWidth() >= withNow - 2 * size::margin) {
        const int part = juce::roundToInt(juce::jmap(
            static_cast<float>(area.getWidth()), static_cast<float>(withNow), static_cast<float>(withWideNow),
            static_cast<float>(NowPanel::narrowest), static_cast<float>(NowPanel::widest)));
        layout.now = area.removeFromRight(std::clamp(part, NowPanel::narrowest, NowPanel::widest));
        layout.now.removeFromTop(4);
        area.removeFromRight(size::margin);
    }
    layout.timeline = area;
    return layout;
}

} // namespace earshot::ui
