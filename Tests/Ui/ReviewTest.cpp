// The review of a recording, as people judge its events.
#include "Ui/Review.h"

#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/MainView.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/NoticeBar.h"
#include "ViewWalk.h"

#include <algorithm>
#include <memory>
#include <utility>

using namespace earshot;
using juce::KeyPress;

namespace {

struct Scene {
    Scene() {
        controller.live.addScene(40.0);
        controller.playback().open(juce::File("/tmp/walk.wav"));
        view.setSize(1200, 720);
        refresh();
    }

    void refresh() {
        controller.view().dispatchPendingMessages();
        view.refresh();
    }
    ui::EventPanel& panel() {
        auto* found = test::find<ui::EventPanel>(view, "Events");
        REQUIRE(found != nullptr);
        return *found;
    }
    bool press(const KeyPress& key) {
        auto* list = test::find<juce::ListBox>(panel().table(), "Events");
        REQUIRE(list != nullptr);
        const bool taken = list->keyPressed(key);
        refresh();
        return taken;
    }
    void select(int row) {
        juce::SparseSet<int> rows;
        rows.addRange({row, row + 1});
        panel().table().select(rows);
    }
    const detection::Event& event(int row) {
        return panel().table().rows().rows()[static_cast<std::size_t>(row)];
    }
    juce::Button* progress(const juce::String& text) { return test::find<juce::Button>(view, text); }
    juce::String notice() {
        juce::String text;
        test::walk(view, [&](auto& part) {
            if (auto* bar = dynamic_cast<ui::NoticeBar*>(&part)) text = bar->text();
        });
        return text;
    }
    const std::vector<ui::Judgement>& kept() { return *controller.reviews().now; }
    void keep(const std::vector<ui::Judgement>& judgements) {
        controller.reviews().now = std::make_shared<const std::vector<ui::Judgement>>(judgements);
    }
    juce::String of(int all, int judged) {
        return juce::String(judged) + " of " + juce::String(all) + " reviewed";
    }

    test::FakeController controller{{"Water", "Dog", "Train"}};
    ui::MainView view{controller};
};

} // namespace

TEST_CASE("R and W judge the selected event, N goes on, and the list says how many are done", "[unit]") {
    Scene scene;
    auto& table = scene.panel().table();
    const int all = table.listed();
    REQUIRE(all >= 3);
    REQUIRE(scene.progress(scene.of(all, 0)) != nullptr);
    REQUIRE_FALSE(scene.press(KeyPress('r'))); // nothing is selected
    REQUIRE(scene.press(KeyPress('n')));
    CHECK(table.lastSelected() == 0);
    REQUIRE(scene.press(KeyPress('r')));
    REQUIRE(scene.press(KeyPress('n')));
    CHECK(table.lastSelected() == 1);
    REQUIRE(scene.press(KeyPress('w')));
    REQUIRE(scene.kept().size() == 2);
    const ui::Review review(scene.controller, scene.controller.viewModel());
    CHECK(review.of(scene.event(0)) == ui::Verdict(true));
    CHECK(review.of(scene.event(1)) == ui::Verdict(false));
    CHECK_FALSE(review.of(scene.event(2)));
    CHECK(scene.progress(scene.of(all, 2)) != nullptr);
    auto* rows = test::find<juce::ListBox>(table, "Events")->getModel();
    CHECK(rows->getNameForRow(0).endsWith(", right"));
    CHECK(rows->getNameForRow(1).endsWith(", wrong"));
    CHECK_FALSE(rows->getNameForRow(2).contains("right"));

    // Another judgement replaces the first, and the same again takes it back.
    REQUIRE(scene.press(KeyPress('r')));
    CHECK(review.of(scene.event(1)) == ui::Verdict(true));
    REQUIRE(scene.press(KeyPress('r')));
    CHECK_FALSE(review.of(scene.event(1)));
    REQUIRE(scene.kept().size() == 1);

    // The button goes on from the start; after the last one it says so.
    scene.select(all - 1);
    for (int i = 1; i < all; ++i) {
        scene.progress(scene.of(all, i))->onClick();
        CHECK_FALSE(review.of(scene.event(table.lastSelected())));
        REQUIRE(scene.press(KeyPress('w')));
    }
    REQUIRE(scene.progress(scene.of(all, all)) != nullptr);
    REQUIRE(scene.press(KeyPress('n')));
    CHECK(scene.notice() == "All listed events are reviewed");
}

TEST_CASE("a judgement is undone and redone, until another recording is open", "[unit]") {
    Scene scene;
    const auto undo = [&](bool redo = false) {
        const auto keys = juce::ModifierKeys::commandModifier |
                          (redo ? juce::ModifierKeys::shiftModifier : juce::ModifierKeys::noModifiers);
        const bool done = scene.view.keyPressed(KeyPress('z', keys, 0));
        scene.refresh();
        return done;
    };
    scene.select(0);
    REQUIRE(scene.press(KeyPress('r')));
    REQUIRE(scene.press(KeyPress('w')));
    REQUIRE(undo());
    CHECK(scene.notice() == "Undone: review");
    REQUIRE(scene.kept().size() == 1);
    CHECK(scene.kept()[0].right);
    scene.controller.reviews().refusal = "The review could not be saved: the disk is full";
    CHECK_FALSE(undo());
    CHECK(scene.notice().contains("the disk is full"));
    CHECK(scene.kept().size() == 1);
    scene.controller.reviews().refusal = {};
    REQUIRE(undo());
    CHECK(scene.kept().empty());
    REQUIRE(undo(true));
    CHECK(scene.kept().size() == 1);
    const std::vector<ui::Judgement> other{{"Dog", 1.0, 2.0, 0, false}};
    scene.keep(other); // of the next recording
    scene.controller.playback().open(juce::File("/tmp/other.wav"));
    scene.refresh();
    CHECK_FALSE(undo());
    CHECK_FALSE(undo(true));
    CHECK(scene.kept() == other);
}

TEST_CASE("a judgement that cannot be kept is not shown, and the notice says why", "[unit]") {
    Scene scene;
    scene.controller.reviews().refusal = "The review could not be saved: the disk is full";
    scene.select(0);
    REQUIRE(scene.press(KeyPress('r')));
    CHECK(scene.notice() == scene.controller.reviews().refusal);
    CHECK(scene.progress(scene.of(scene.panel().table().listed(), 0)) != nullptr);
}

TEST_CASE("a review that could not be stored is said as long as that lasts", "[unit]") {
    Scene scene;
    scene.controller.reviews().unstored = "The review could not be saved: the disk is full";
    scene.refresh();
    CHECK(scene.notice() == scene.controller.reviews().unstored);
    scene.controller.reviews().unstored = {};
    scene.refresh();
    CHECK(scene.notice().isEmpty());
}

TEST_CASE("among many judgements each event finds its own", "[unit]") {
    Scene scene;
    ui::Review review(scene.controller, scene.controller.viewModel());
    constexpr int count = 500;
    const auto event = [](int i, double later = 0.0) {
        detection::Event made;
        made.classIndex = i % 3;
        made.onset = 8.0 * (i * 37 % count) + later; // in no order
        made.offset = made.onset + 0.5 + i % 4;
        return made;
    };
    for (int i = 0; i < count; ++i) REQUIRE(review.judge(event(i), i % 5 != 0).isEmpty());
    REQUIRE(scene.kept().size() == count);
    CHECK(std::ranges::is_sorted(scene.kept(), {}, ui::placeOf));
    for (int i = 0; i < count; ++i) {
        CAPTURE(i);
        CHECK(review.of(event(i)) == ui::Verdict(i % 5 != 0));
        CHECK(review.of(event(i, 0.2)) == ui::Verdict(i % 5 != 0)); // its ends moved
        CHECK(review.of(event(i, 4.0)) == ui::Verdict());
    }
}

TEST_CASE("a judgement stays with an event whose ends move, and with no other", "[unit]") {
    Scene scene;
    const ui::Review review(scene.controller, scene.controller.viewModel());
    scene.keep({{"Dog", 10.0, 14.0, 0, false}});
    const auto verdict = [&](double onset, double offset, int classIndex = 1, int channel = 0) {
        detection::Event event;
        event.classIndex = classIndex;
        event.onset = onset;
        event.offset = offset;
        event.channel = channel;
        return review.of(event);
    };
    CHECK(verdict(10.0, 14.0) == ui::Verdict(false));
    CHECK(verdict(11.5, 14.0) == ui::Verdict(false));
    CHECK(verdict(8.0, 15.5) == ui::Verdict(false));
    CHECK_FALSE(verdict(12.5, 14.0)); // less than half
    CHECK_FALSE(verdict(6.0, 15.0));
    CHECK_FALSE(verdict(14.0, 18.0));
    CHECK_FALSE(verdict(10.0, 14.0, 0));
    CHECK_FALSE(verdict(10.0, 14.0, 1, 2));
}

TEST_CASE("the review is exported as a table, and live events are not reviewed", "[unit]") {
    Scene scene;
    auto& panel = scene.panel();
    scene.select(0);
    REQUIRE(scene.press(KeyPress('w')));
    const auto lines = juce::StringArray::fromLines(juce::String(panel.reviewed()).trimEnd());
    REQUIRE(lines.size() == panel.table().listed() + 1);
    CHECK(lines[0] == "file,onset_s,offset_s,label,peak,confidence,channel,review");
    CHECK(lines[1].startsWith("walk.wav,"));
    CHECK(lines[1].endsWith(",,wrong"));
    CHECK(lines[2].endsWith(",,"));
    const auto entry = [&](const juce::String& text) {
        const auto menu = panel.menu(scene.event(0));
        for (juce::PopupMenu::MenuItemIterator items(menu, true); items.next();)
            if (items.getItem().text == text) return items.getItem();
        return juce::PopupMenu::Item();
    };
    CHECK(entry("Wrong").isTicked);
    CHECK(entry("Right").action != nullptr);
    CHECK(entry("Review as a CSV table...").isEnabled);
    entry("Wrong").action(); // takes it back
    scene.refresh();
    CHECK(scene.kept().empty());
    CHECK_FALSE(entry("Review as a CSV table...").isEnabled);

    scene.controller.playback().close();
    scene.refresh();
    scene.select(0);
    REQUIRE(scene.press(KeyPress('r')));
    CHECK(scene.kept().empty());
    CHECK(entry("Right").action == nullptr);
    REQUIRE(scene.press(KeyPress('n')));
    CHECK(scene.notice().contains("open one first"));
}
