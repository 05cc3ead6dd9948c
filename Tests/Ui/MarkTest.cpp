// Marking a stretch of time in the timeline.
#include "Ui/Timeline/Mark.h"
#include "Mouse.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Pictures.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/Timeline/MarkBand.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

using namespace earshot;
using juce::KeyPress;
using ui::Mark;
using ui::MarkNews;

namespace {

const juce::ModifierKeys shift(juce::ModifierKeys::shiftModifier);

// Dog is an event from 3.2 s to 6.4 s, and Rain a near miss there.
struct Scene {
    explicit Scene(double seconds = 19.2) {
        view.setLookAndFeel(&theme);
        controller.view().edit([](auto& settings) { settings.quietLanes = true; });
        view.setSize(936, 512);
        view.onMark = [this](MarkNews told) { news.push_back(told); };
        view.onNotice = [this](const juce::String& text, ui::Tone) { notice = text; };
        hear(seconds);
    }
    ~Scene() { view.setLookAndFeel(nullptr); }

    void hear(double seconds) {
        for (int i = 0; i < juce::roundToInt(seconds / 0.32); ++i, ++columns) {
            const bool sounds = columns >= 10 && columns < 20;
            controller.live.addColumn({0.0f, sounds ? 0.8f : 0.0f, sounds ? 0.3f : 0.0f});
        }
        viewModel.update();
    }
    int x(double seconds) {
        return ui::size::laneNames + static_cast<int>(axis.x(seconds, view.getWidth() - ui::size::laneNames));
    }
    juce::Point<int> inSpectrogram(double seconds) { return {x(seconds), ui::size::ruler + 60}; }
    juce::Point<int> inRuler(double seconds) { return {x(seconds), ui::size::ruler / 2}; }
    juce::Point<int> inLane(double seconds, int classIndex) {
        const auto& lanes = *test::find<ui::LanesView>(view, "Sounds");
        const auto lane = lanes.laneBounds(classIndex) + lanes.getPosition();
        return {x(seconds), lane.getCentreY()};
    }
    void mark(double from, double to) { test::drag(view, inSpectrogram(from), inSpectrogram(to)); }
    bool press(int code, juce::ModifierKeys keys = {}) { return view.keyPressed(KeyPress(code, keys, 0)); }
    bool type(char letter, juce::ModifierKeys keys = {}) {
        return view.keyPressed(KeyPress(letter, keys, static_cast<juce::juce_wchar>(letter)));
    }
    // Chooses the lane of a class by keys.
    void choose(int classIndex) {
        const auto& lanes = *test::find<ui::LanesView>(view, "Sounds");
        for (std::size_t i = 0; i < lanes.lanes().size(); ++i) press(KeyPress::upKey);
        for (std::size_t i = 0; i < lanes.lanes().size() && lanes.selected() != classIndex; ++i)
            press(KeyPress::downKey);
        REQUIRE(lanes.selected() == classIndex);
    }
    ui::MarkBand& band() {
        ui::MarkBand* found = nullptr;
        test::walk(view, [&](juce::Component& component) {
            if (auto* known = dynamic_cast<ui::MarkBand*>(&component)) found = known;
        });
        REQUIRE(found != nullptr);
        return *found;
    }
    std::optional<juce::PopupMenu::Item> entry(juce::Point<int> at, const juce::String& text) {
        return entryOf(view.menuAt(at), text);
    }
    std::optional<juce::PopupMenu::Item> chosenEntry(const juce::String& text) {
        return entryOf(view.menuOfChosen(), text);
    }
    static std::optional<juce::PopupMenu::Item> entryOf(const juce::PopupMenu& menu,
                                                        const juce::String& text) {
        for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
            if (item.getItem().text == text) return item.getItem();
        return std::nullopt;
    }

    test::FakeController controller{{"Water", "Dog", "Rain"}};
    ui::Theme theme{ui::ThemeChoice::dark};
    ui::HistoryViewModel viewModel{controller};
    ui::TimeAxis axis;
    ui::TimelineView view{controller, viewModel, axis};
    std::vector<MarkNews> news;
    juce::String notice;
    int columns = 0;
};

constexpr double pixel = 30.0 / (936 - ui::size::laneNames); // seconds

using News = std::vector<MarkNews>;

} // namespace

TEST_CASE("a drag ends whichever button goes up last", "[unit]") {
    Scene scene;
    const auto from = scene.inSpectrogram(4.0), to = scene.inSpectrogram(6.0);
    const auto left = test::leftButton();
    const juce::ModifierKeys right(juce::ModifierKeys::rightButtonModifier);
    scene.view.mouseDown(test::mouseEvent(scene.view, from, left, from));
    scene.view.mouseDrag(test::mouseEvent(scene.view, to, left, from));
    scene.view.mouseUp(test::mouseEvent(scene.view, to, right, from));
    CHECK(scene.news == std::vector{MarkNews::made});
    scene.view.mouseDrag(test::mouseEvent(scene.view, scene.inSpectrogram(8.0), left, from));
    CHECK(std::abs(scene.view.mark().offset() - 6.0) < 0.1);
}

TEST_CASE("a mark lies within what was heard, and is neither too short nor too long", "[unit]") {
    Mark mark;
    REQUIRE_FALSE(mark.exists());
    mark.set(2.0, 3.5, 10.0);
    REQUIRE(mark.onset() == 2.0);
    REQUIRE(mark.offset() == 3.5);
    REQUIRE(mark.contains(3.0));
    REQUIRE_FALSE(mark.contains(3.6));
    mark.set(-2.0, 3.0, 10.0);
    REQUIRE(mark.onset() == 0.0);
    REQUIRE(mark.offset() == 3.0);
    mark.set(8.0, 12.0, 10.0);
    REQUIRE(mark.offset() == 10.0);
    mark.set(4.0, 4.0, 10.0);
    REQUIRE(mark.seconds() == Approx(Mark::shortest));
    mark.set(10.0, 11.0, 10.0);
    REQUIRE(mark.seconds() == Approx(Mark::shortest));
    REQUIRE(mark.offset() == Approx(10.0));
    REQUIRE_FALSE(mark.cut());
    mark.set(5.0, 50.0, 100.0);
    REQUIRE(mark.cut());
    REQUIRE(mark.onset() == 5.0);
    REQUIRE(mark.seconds() == Approx(Mark::longest));
    mark.set(5.0, 35.0, 100.0);
    REQUIRE_FALSE(mark.cut());
    mark.set(0.5, 1.0, 0.01); // nothing was heard yet
    REQUIRE_FALSE(mark.exists());
    mark.dragTo(1.0, 2.0); // the drag goes on
    REQUIRE(mark.onset() == 0.5);
}

TEST_CASE("a dragged end goes to both sides of the one that stays", "[unit]") {
    Mark mark;
    mark.dragFrom(50.0);
    mark.dragTo(52.0, 100.0);
    REQUIRE(mark.onset() == 50.0);
    REQUIRE(mark.offset() == 52.0);
    mark.dragTo(47.0, 100.0);
    REQUIRE(mark.onset() == 47.0);
    REQUIRE(mark.offset() == 50.0);
    mark.dragTo(1.0, 100.0);
    REQUIRE(mark.cut());
    REQUIRE(mark.onset() == Approx(20.0));
    REQUIRE(mark.offset() == Approx(50.0));
    mark.dragFrom(Mark::End::onset);
    mark.dragTo(49.0, 100.0);
    REQUIRE_FALSE(mark.cut());
    REQUIRE(mark.onset() == Approx(49.0));
    REQUIRE(mark.offset() == Approx(50.0));
    mark.dragFrom(Mark::End::offset);
    mark.dragTo(200.0, 60.0);
    REQUIRE(mark.onset() == Approx(49.0));
    REQUIRE(mark.offset() == Approx(60.0));
    mark.moveBy(-0.5, 60.0);
    REQUIRE(mark.onset() == Approx(48.5));
    REQUIRE(mark.seconds() == Approx(11.0));
    mark.moveBy(-100.0, 60.0);
    REQUIRE(mark.onset() == 0.0);
    mark.moveBy(100.0, 60.0);
    REQUIRE(mark.offset() == Approx(60.0));
    mark.clear();
    mark.moveBy(1.0, 60.0);
    REQUIRE_FALSE(mark.exists());
}

TEST_CASE("an end that is moved stays on its side of the other one", "[unit]") {
    Mark mark;
    mark.moveEndBy(Mark::End::onset, 1.0, 10.0);
    REQUIRE_FALSE(mark.exists());
    mark.set(2.0, 3.0, 10.0);
    mark.moveEndBy(Mark::End::onset, 0.5, 10.0);
    REQUIRE(mark.onset() == Approx(2.5));
    mark.moveEndBy(Mark::End::onset, 5.0, 10.0);
    REQUIRE(mark.onset() == Approx(3.0 - Mark::shortest));
    REQUIRE(mark.offset() == Approx(3.0));
    mark.moveEndBy(Mark::End::offset, -5.0, 10.0);
    REQUIRE(mark.onset() == Approx(3.0 - Mark::shortest));
    REQUIRE(mark.offset() == Approx(3.0));
    mark.moveEndBy(Mark::End::offset, 100.0, 10.0);
    REQUIRE(mark.offset() == Approx(10.0));
    mark.moveEndBy(Mark::End::onset, -100.0, 10.0);
    REQUIRE(mark.onset() == 0.0);
    REQUIRE(mark.offset() == Approx(10.0));
    REQUIRE_FALSE(mark.cut());
    mark.set(40.0, 50.0, 100.0);
    mark.moveEndBy(Mark::End::onset, -30.0, 100.0);
    REQUIRE(mark.cut());
    REQUIRE(mark.onset() == Approx(20.0));
}

TEST_CASE("the nearer end of a mark can be taken, and none that is out of view", "[unit]") {
    ui::TimeAxis axis; // from 0 s to 30 s
    const juce::Rectangle<int> plot(100, 20, 300, 200);
    Mark mark;
    mark.set(10.0, 20.0, 60.0);
    REQUIRE(ui::markOn(plot, axis, mark) == juce::Rectangle<int>(200, 20, 100, 200));
    REQUIRE(ui::handleAt(plot, axis, mark, {203, 50}) == Mark::End::onset);
    REQUIRE(ui::handleAt(plot, axis, mark, {297, 50}) == Mark::End::offset);
    REQUIRE_FALSE(ui::handleAt(plot, axis, mark, {250, 50}));
    REQUIRE_FALSE(ui::handleAt(plot, axis, mark, {203, 10}));
    mark.set(10.0, 10.2, 60.0);
    REQUIRE(ui::handleAt(plot, axis, mark, {198, 50}) == Mark::End::onset);
    REQUIRE(ui::handleAt(plot, axis, mark, {204, 50}) == Mark::End::offset);
    mark.set(25.0, 40.0, 60.0);
    REQUIRE(ui::markOn(plot, axis, mark) == juce::Rectangle<int>(350, 20, 50, 200));
    REQUIRE_FALSE(ui::handleAt(plot, axis, mark, {399, 50}));
    mark.set(31.0, 40.0, 60.0);
    REQUIRE(ui::markOn(plot, axis, mark).isEmpty());
    REQUIRE(ui::lengthText(0.84) == "0.84 s");
}

TEST_CASE("a drag over the spectrogram marks these seconds, in either direction", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.5);
    REQUIRE(scene.news == News{MarkNews::made});
    REQUIRE(scene.view.mark().onset() == Approx(4.0).margin(pixel));
    REQUIRE(scene.view.mark().offset() == Approx(5.5).margin(pixel));
    REQUIRE(scene.view.markName().isEmpty());
    REQUIRE(scene.axis.start() == 0.0);
    REQUIRE(scene.band().isVisible());
    REQUIRE(scene.band().getTitle() == "Mark of " + ui::lengthText(scene.view.mark().seconds()));
    test::writePicture(test::snapshot(scene.view), "timeline-mark");
    scene.mark(9.0, 8.0); // another one
    REQUIRE(scene.news == News{MarkNews::made, MarkNews::gone, MarkNews::made});
    REQUIRE(scene.view.mark().onset() == Approx(8.0).margin(pixel));
    REQUIRE(scene.view.mark().offset() == Approx(9.0).margin(pixel));
    scene.mark(15.0, 25.0); // nothing was heard there yet
    REQUIRE(scene.view.mark().offset() == Approx(19.2));
}

TEST_CASE("a mark that would be too long is cut, and the user learns of it", "[unit]") {
    Scene scene(120.0);
    scene.axis.setVisible(60.0, 0.0);
    scene.mark(65.0, 80.0);
    REQUIRE(scene.notice.isEmpty());
    scene.mark(70.0, 118.0);
    REQUIRE(scene.view.mark().seconds() == Approx(30.0));
    REQUIRE(scene.view.mark().onset() == Approx(70.0).margin(3.0 * pixel));
    REQUIRE(scene.notice.contains("30 s"));
}

TEST_CASE("the handles of a mark change its ends, and the pointer shows it", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.0);
    test::drag(scene.view, scene.inSpectrogram(5.0), scene.inSpectrogram(7.0));
    REQUIRE(scene.news == News{MarkNews::made, MarkNews::changed});
    REQUIRE(scene.view.mark().onset() == Approx(4.0).margin(pixel));
    REQUIRE(scene.view.mark().offset() == Approx(7.0).margin(pixel));
    // Over the lanes too, and across the other end.
    test::drag(scene.view, scene.inLane(4.0, 0), scene.inLane(8.0, 0));
    REQUIRE(scene.view.mark().onset() == Approx(7.0).margin(pixel));
    REQUIRE(scene.view.mark().offset() == Approx(8.0).margin(pixel));
    const auto at = scene.inSpectrogram(8.0), away = scene.inSpectrogram(12.0);
    scene.view.mouseMove(test::mouseEvent(scene.view, at, {}, at));
    REQUIRE(scene.view.getMouseCursor() == juce::MouseCursor::LeftRightResizeCursor);
    scene.view.mouseMove(test::mouseEvent(scene.view, away, {}, away));
    REQUIRE(scene.view.getMouseCursor() == juce::MouseCursor::NormalCursor);
}

TEST_CASE("lanes and ruler still pan, and Shift marks in a lane, whose name it proposes", "[unit]") {
    Scene scene(120.0);
    const auto panned = [&](juce::Point<int> from) {
        const double before = scene.axis.start();
        test::drag(scene.view, from, from.translated(100, 0));
        return before - scene.axis.start();
    };
    REQUIRE(panned(scene.inLane(100.0, 1)) == Approx(100 * pixel));
    REQUIRE(panned(scene.inRuler(100.0)) == Approx(100 * pixel));
    REQUIRE_FALSE(scene.view.mark().exists());
    REQUIRE(scene.news.empty());
    const double start = scene.axis.start();
    test::drag(scene.view, scene.inLane(100.0, 1), scene.inLane(102.0, 1), shift);
    REQUIRE(scene.axis.start() == start);
    REQUIRE(scene.view.mark().onset() == Approx(100.0).margin(pixel));
    REQUIRE(scene.view.mark().offset() == Approx(102.0).margin(pixel));
    REQUIRE(scene.view.markName() == "Dog");
    REQUIRE(scene.view.markPlace().getCentreY() == Approx(scene.inLane(100.0, 1).y).margin(1));
    scene.mark(105.0, 106.0);
    REQUIRE(scene.view.markName().isEmpty());
}

TEST_CASE("a mark stays with its sound while a live timeline moves on", "[unit]") {
    Scene scene;
    scene.mark(15.0, 16.0);
    REQUIRE_FALSE(scene.axis.following()); // the picture stands still while it is named
    const double onset = scene.view.mark().onset(), offset = scene.view.mark().offset();
    const auto shownAt = [&] { return scene.band().getBounds().getCentreX(); };
    const int before = shownAt();
    scene.axis.follow();
    scene.hear(19.2);
    REQUIRE(scene.axis.start() == Approx(8.4));
    REQUIRE(scene.view.mark().onset() == onset);
    REQUIRE(scene.view.mark().offset() == offset);
    REQUIRE(shownAt() == Approx(before - 8.4 / pixel).margin(2));
    scene.hear(19.2);
    REQUIRE_FALSE(scene.band().isVisible()); // it is out of view
    REQUIRE(scene.view.mark().exists());
    REQUIRE(scene.news == News{MarkNews::made});
}

TEST_CASE("a mark goes with its stream, but not when that is heard for other words", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.0);
    scene.controller.live.setWords({{1, "rain", "rain"}});
    scene.viewModel.update();
    REQUIRE(scene.view.mark().exists());
    ++scene.controller.playback().id;
    scene.viewModel.update();
    REQUIRE_FALSE(scene.view.mark().exists());
    REQUIRE_FALSE(scene.band().isVisible());
    REQUIRE(scene.news == News{MarkNews::made, MarkNews::gone});
}

TEST_CASE("a click beside the mark removes it, one on it does not", "[unit]") {
    Scene scene;
    scene.mark(4.0, 6.0);
    test::click(scene.view, scene.inSpectrogram(5.0));
    test::click(scene.view, scene.inSpectrogram(6.0)); // on a handle
    REQUIRE(scene.view.mark().exists());
    test::click(scene.view, scene.inSpectrogram(9.0));
    REQUIRE_FALSE(scene.view.mark().exists());
    REQUIRE(scene.news == News{MarkNews::made, MarkNews::gone});
}

TEST_CASE("keys name, move and remove a mark, and mean what they did without one", "[unit]") {
    Scene scene(60.0);
    scene.mark(40.0, 42.0);
    const double onset = scene.view.mark().onset();
    REQUIRE(scene.press(KeyPress::rightKey, shift));
    REQUIRE(scene.view.mark().onset() == Approx(onset + 0.05));
    REQUIRE(scene.press(KeyPress::leftKey, shift));
    REQUIRE(scene.press(KeyPress::leftKey, shift));
    REQUIRE(scene.view.mark().onset() == Approx(onset - 0.05));
    REQUIRE(scene.news.back() == MarkNews::changed);
    REQUIRE(scene.press(KeyPress::returnKey));
    REQUIRE(scene.news.back() == MarkNews::named);
    const double start = scene.axis.start();
    REQUIRE(scene.press(KeyPress::leftKey));
    REQUIRE(scene.axis.start() < start);
    REQUIRE(scene.press(KeyPress::deleteKey));
    REQUIRE(scene.news.back() == MarkNews::gone);
    REQUIRE_FALSE(scene.press(KeyPress::deleteKey));
    scene.mark(40.0, 42.0);
    REQUIRE(scene.press(KeyPress::escapeKey));
    REQUIRE_FALSE(scene.view.mark().exists());
    REQUIRE_FALSE(scene.press(KeyPress::escapeKey));
}

TEST_CASE("keys mark a second in the middle, and brackets and braces move its ends", "[unit]") {
    Scene scene;
    REQUIRE_FALSE(scene.type('[')); // nothing is marked
    REQUIRE(scene.type('m'));
    REQUIRE(scene.news == News{MarkNews::made});
    REQUIRE(scene.view.mark().onset() == Approx(9.1)); // 19.2 s were heard
    REQUIRE(scene.view.mark().offset() == Approx(10.1));
    REQUIRE(scene.view.markName().isEmpty());
    REQUIRE(scene.type('['));
    REQUIRE(scene.view.mark().onset() == Approx(9.05));
    REQUIRE(scene.type(']'));
    REQUIRE(scene.type(']'));
    REQUIRE(scene.view.mark().onset() == Approx(9.15));
    REQUIRE(scene.type('}', shift));
    REQUIRE(scene.view.mark().offset() == Approx(10.15));
    REQUIRE(scene.type('{', shift));
    REQUIRE(scene.type('{', shift));
    REQUIRE(scene.view.mark().offset() == Approx(10.05));
    REQUIRE(scene.view.mark().onset() == Approx(9.15));
    REQUIRE(scene.news.back() == MarkNews::changed);
    // As some systems tell AltGr. Other keys with Ctrl or Alt are the host's.
    const juce::ModifierKeys altGr(juce::ModifierKeys::ctrlModifier | juce::ModifierKeys::altModifier);
    REQUIRE(scene.type('[', altGr));
    REQUIRE(scene.view.mark().onset() == Approx(9.1));
    REQUIRE_FALSE(scene.type('m', altGr));
    REQUIRE_FALSE(scene.press(KeyPress::leftKey, juce::ModifierKeys(juce::ModifierKeys::ctrlModifier |
                                                                    juce::ModifierKeys::shiftModifier)));
    Scene silent(0.0);
    REQUIRE_FALSE(silent.type('m'));
}

TEST_CASE("keys choose the events and near misses of a sound, and mark the chosen one", "[unit]") {
    Scene scene;
    REQUIRE_FALSE(scene.type(',')); // no sound is chosen
    scene.choose(1);
    REQUIRE_FALSE(scene.chosenEntry("This is..."));
    REQUIRE(scene.chosenEntry("Pin"));
    REQUIRE(scene.type('.')); // there is none after the middle
    REQUIRE(scene.view.hoverText().isEmpty());
    REQUIRE(scene.type(','));
    REQUIRE(scene.view.hoverText().contains("Dog"));
    REQUIRE(scene.view.hoverText().contains("Event 00:03.2 to 00:06.4"));
    REQUIRE(scene.chosenEntry("This is..."));
    REQUIRE(scene.type('m'));
    REQUIRE(scene.news == News{MarkNews::made});
    REQUIRE(scene.view.mark().onset() == Approx(3.2));
    REQUIRE(scene.view.mark().offset() == Approx(6.4));
    REQUIRE(scene.view.markName() == "Dog");
    scene.view.clearMark();

    scene.choose(2);
    REQUIRE_FALSE(scene.chosenEntry("This is...")); // that was the other sound's
    REQUIRE(scene.view.hoverText().isEmpty());
    REQUIRE(scene.type(','));
    REQUIRE(scene.view.hoverText().contains("Set this sound's threshold to 0.30 to include it."));
    scene.chosenEntry("This is...")->action();
    REQUIRE(scene.view.markName() == "Rain");
    REQUIRE(scene.news.back() == MarkNews::named);
}

TEST_CASE("without a chosen sound the menu of the keys shows all sounds again", "[unit]") {
    Scene scene;
    REQUIRE_FALSE(scene.chosenEntry("Pin"));
    REQUIRE_FALSE(scene.chosenEntry("Show hidden sounds")->isEnabled);
    scene.controller.view().edit([](auto& view) { view.hidden = {"Water", "Dog", "Rain"}; });
    scene.controller.view().dispatchPendingMessages();
    REQUIRE(scene.view.lanes().empty());
    scene.chosenEntry("Show hidden sounds")->action();
    scene.controller.view().dispatchPendingMessages();
    REQUIRE(scene.view.lanes().size() == 3);
}

TEST_CASE("a double click on an event marks it, and elsewhere follows the sound as before", "[unit]") {
    Scene scene;
    test::doubleClick(scene.view, scene.inLane(5.0, 1));
    REQUIRE(scene.view.mark().onset() == Approx(3.2));
    REQUIRE(scene.view.mark().offset() == Approx(6.4));
    REQUIRE(scene.view.markName() == "Dog");
    REQUIRE(scene.news == News{MarkNews::made});
    scene.axis.stay();
    test::doubleClick(scene.view, scene.inLane(12.0, 1));
    REQUIRE(scene.axis.following());
    REQUIRE_FALSE(scene.view.mark().exists());
}

TEST_CASE("the menu of an event or near miss marks it, and says what it is not if that is taught", "[unit]") {
    Scene scene;
    const auto dog = scene.inLane(5.0, 1), rain = scene.inLane(5.0, 2);
    REQUIRE(scene.entry(dog, "This is..."));
    REQUIRE(scene.entry(dog, "Pin"));
    REQUIRE_FALSE(scene.entry(dog, "This is not Dog"));
    REQUIRE_FALSE(scene.entry(scene.inLane(12.0, 1), "This is..."));
    REQUIRE_FALSE(scene.entry({40, dog.y}, "This is..."));
    scene.entry(rain, "This is...")->action();
    REQUIRE(scene.view.mark().onset() == Approx(3.2));
    REQUIRE(scene.view.markName() == "Rain");
    REQUIRE(scene.news == News{MarkNews::made, MarkNews::named});

    scene.controller.teaching().now.sounds = {{"Dog", 3, 0, 4.0, 1, true, {}}};
    REQUIRE_FALSE(scene.entry(rain, "This is not Dog"));
    scene.entry(dog, "This is not Dog")->action();
    REQUIRE(scene.controller.teaching().examples.size() == 1);
    const auto& example = scene.controller.teaching().examples[0];
    REQUIRE(example.sound == "Dog");
    REQUIRE(example.onset == Approx(3.2));
    REQUIRE(example.offset == Approx(6.4));
    REQUIRE_FALSE(example.is);
    REQUIRE(scene.notice == "Added 3.2 s as an example of what is not Dog.");
    scene.controller.teaching().refusal = "This sound is not kept any more: mark a newer one";
    scene.entry(dog, "This is not Dog")->action();
    REQUIRE(scene.notice == scene.controller.teaching().refusal);
    REQUIRE(scene.controller.teaching().examples.size() == 1);
}
