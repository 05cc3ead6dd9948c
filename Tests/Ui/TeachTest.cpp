// Teaching, as people do it: name a mark, say what an event is not, and let the model learn.
#include "Core/Streaming/FilePlayer.h"
#include "Ear.h"
#include "Mouse.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Paths.h"
#include "Support/Pictures.h"
#include "Support/PrivateBase.h"
#include "Ui/MainView.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Teach/MarkBar.h"
#include "Ui/Teach/TeachEntries.h"
#include "Ui/Teach/TeachPanel.h"
#include "Ui/Timeline/SpectrogramView.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

using namespace earshot;
using juce::KeyPress;

namespace {

const ui::TaughtSound door{"Door", 6, 2, 12.4, 3, true, "It finds about 8 in 10"};

struct Scene {
    Scene() {
        controller.live.addScene(30.0);
        view.setSize(1200, 720);
        view.refresh();
    }

    template <typename Kind>
    Kind* find(const juce::String& title) {
        return test::find<Kind>(view, title);
    }
    template <typename Kind>
    Kind& the(const juce::String& title) {
        auto* found = find<Kind>(title);
        INFO("no " << title << " to be seen");
        REQUIRE(found != nullptr);
        return *found;
    }
    ui::TimelineView& timeline() { return the<ui::TimelineView>("Timeline"); }
    ui::MarkBar* bar() { return find<ui::MarkBar>("Name the mark"); }
    juce::TextEditor& field() { return the<juce::TextEditor>("This is"); }
    int names() { return test::privateBase<juce::ListBoxModel>(*bar()).getNumRows(); }

    // In the spectrogram, over the first 30 s.
    juce::Point<int> at(double seconds) {
        const auto& spectrogram = the<ui::SpectrogramView>("Spectrogram");
        const int plot = timeline().getWidth() - ui::size::laneNames;
        return {ui::size::laneNames + juce::roundToInt(seconds / 30.0 * plot),
                spectrogram.getBounds().getCentreY()};
    }
    void mark(double from, double to) { test::drag(timeline(), at(from), at(to)); }
    void type(juce::TextEditor& editor, const juce::String& text) {
        editor.setText(text, false);
        editor.onTextChange();
    }
    bool press(juce::Component& component, int code) { return component.keyPressed(KeyPress(code)); }
    juce::String notice() {
        juce::String text;
        test::walk(view, [&](juce::Component& component) {
            if (auto* shown = dynamic_cast<ui::NoticeBar*>(&component);
                shown != nullptr && shown->isVisible())
                text = shown->text();
        });
        return text;
    }
    ui::TeachPanel& panel() {
        if (find<ui::TeachPanel>("Teach") == nullptr)
            REQUIRE(view.keyPressed(KeyPress('t', juce::ModifierKeys(), 't')));
        return the<ui::TeachPanel>("Teach");
    }
    const std::vector<test::FakeTeaching::Example>& examples() { return controller.teaching().examples; }

    test::FakeController controller{{"Water", "Dog", "Train", "Wind"}};
    ui::MainView view{controller};
};

std::optional<juce::PopupMenu::Item> entry(const juce::PopupMenu& menu, const juce::String& text) {
    for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
        if (item.getItem().text == text) return item.getItem();
    return std::nullopt;
}

} // namespace

TEST_CASE("a mark that is named becomes an example, and the notice bar says so", "[unit]") {
    Scene scene;
    REQUIRE(scene.bar() == nullptr);
    scene.mark(4.0, 5.0);
    REQUIRE(scene.bar() != nullptr);
    REQUIRE(scene.field().isEmpty());
    REQUIRE_FALSE(scene.the<juce::TextButton>("Add example").isEnabled());
    REQUIRE_FALSE(scene.the<juce::TextButton>("Not this").isEnabled()); // nothing is taught yet
    REQUIRE(scene.find<juce::Button>("Play the mark") == nullptr);      // nothing can be played
    scene.type(scene.field(), "  Creaky door ");
    REQUIRE(scene.the<juce::TextButton>("Add example").isEnabled());
    REQUIRE(scene.press(scene.field(), KeyPress::returnKey));
    REQUIRE(scene.examples().size() == 1);
    REQUIRE(scene.examples()[0].sound == "Creaky door");
    REQUIRE(scene.examples()[0].onset == Approx(4.0).margin(0.1));
    REQUIRE(scene.examples()[0].offset == Approx(5.0).margin(0.1));
    REQUIRE(scene.examples()[0].is);
    REQUIRE(scene.notice() == "Added 1.0 s as an example of Creaky door.");
    REQUIRE(scene.bar() == nullptr);
    REQUIRE_FALSE(scene.timeline().mark().exists());
}

TEST_CASE("once an example is kept the notice offers to train, and the panel shows how that goes", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.0);
    scene.type(scene.field(), "Gate");
    scene.the<juce::TextButton>("Add example").onClick();
    REQUIRE(scene.find<juce::TextButton>("Train") == nullptr); // it is not on the disk yet
    scene.view.refresh();
    REQUIRE(scene.notice() ==
            juce::String::fromUTF8("Added to Gate: 1 example · 1.0 s · 1 recording · not trained yet"));
    scene.the<juce::TextButton>("Train").onClick();
    REQUIRE(scene.controller.teaching().learns == 1);
    REQUIRE(scene.find<ui::TeachPanel>("Teach") != nullptr);

    scene.view.refresh();
    REQUIRE(scene.view.keyPressed(KeyPress('z', juce::ModifierKeys::commandModifier, 0)));
    REQUIRE(scene.notice() == "Undone: examples");
    REQUIRE(scene.controller.teaching().now.sounds.empty());
    REQUIRE(scene.timeline().mark().exists());
    scene.view.refresh();
    REQUIRE(scene.notice() == "Undone: examples");
}

TEST_CASE("a sound that is also detected as others offers to hide them, and undo shows them", "[unit]") {
    Scene scene;
    auto creak = door;
    creak.alsoDetected = {"Dog", "Wind"};
    scene.controller.teaching().now.sounds = {creak};
    scene.view.refresh();
    auto& panel = scene.panel();
    REQUIRE(test::find<ui::Caption>(panel, "Also detected as Dog, Wind") != nullptr);
    const auto settle = [&] {
        scene.controller.view().dispatchPendingMessages();
        return scene.controller.view().get().hidden;
    };
    scene.the<juce::TextButton>("Hide Dog, Wind").onClick();
    REQUIRE(settle() == std::set<std::string>{"Dog", "Wind"});
    REQUIRE(scene.find<juce::TextButton>("Show Dog, Wind") != nullptr);
    test::writePicture(test::snapshot(scene.view), "teach-also-detected");
    REQUIRE(scene.view.keyPressed(KeyPress('z', juce::ModifierKeys::commandModifier, 0)));
    REQUIRE(settle().empty());
    scene.the<juce::TextButton>("Hide Dog, Wind").onClick();
    settle();
    scene.the<juce::TextButton>("Show Dog, Wind").onClick();
    REQUIRE(settle().empty());
    creak.alsoDetected = {};
    scene.controller.teaching().now.sounds = {creak};
    scene.view.refresh();
    REQUIRE(scene.find<juce::TextButton>("Hide Dog, Wind") == nullptr);
}

TEST_CASE("handles and keys change the seconds that are taught", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.0);
    test::drag(scene.timeline(), scene.at(5.0), scene.at(8.0));
    REQUIRE(scene.timeline().keyPressed(
        KeyPress(KeyPress::rightKey, juce::ModifierKeys(juce::ModifierKeys::shiftModifier), 0)));
    scene.type(scene.field(), "Gate");
    scene.the<juce::TextButton>("Add example").onClick();
    REQUIRE(scene.examples()[0].onset == Approx(4.05).margin(0.1));
    REQUIRE(scene.examples()[0].offset == Approx(8.05).margin(0.1));
}

TEST_CASE("what is refused stays marked, and the user learns why", "[unit]") {
    Scene scene;
    scene.controller.teaching().refusal = "This sound is not kept any more: mark a newer one";
    scene.mark(4.0, 5.0);
    scene.type(scene.field(), "Gate");
    scene.the<juce::TextButton>("Add example").onClick();
    REQUIRE(scene.notice() == scene.controller.teaching().refusal);
    REQUIRE(scene.examples().empty());
    REQUIRE(scene.bar() != nullptr);
    REQUIRE(scene.field().getText() == "Gate");
}

TEST_CASE("names are proposed: taught ones first, then those that begin with the text", "[unit]") {
    const juce::StringArray taught{"Creaky door", "Door"}, classes{"Dog", "Outdoor", "Door", "Rain"};
    REQUIRE(ui::soundsLike("", taught, classes) == taught);
    REQUIRE(ui::soundsLike("do", taught, classes) ==
            juce::StringArray{"Door", "Dog", "Creaky door", "Outdoor"});
    REQUIRE(ui::soundsLike("Rain", taught, classes).isEmpty()); // it is typed already
    REQUIRE(ui::soundsLike("rain", taught, classes) == juce::StringArray{"Rain"});
    REQUIRE(ui::soundsLike("zither of doom", taught, classes).isEmpty());
}

TEST_CASE("the list under the field completes the model's and the taught names", "[unit]") {
    Scene scene;
    scene.controller.teaching().now.sounds = {door};
    scene.view.refresh();
    scene.mark(4.0, 5.0);
    REQUIRE(scene.find<juce::ListBox>("Names of sounds") == nullptr);
    const int height = scene.bar()->getHeight();
    scene.type(scene.field(), "w");
    REQUIRE(scene.the<juce::ListBox>("Names of sounds").isVisible());
    REQUIRE(scene.names() == 2); // Water, Wind
    REQUIRE(scene.bar()->getHeight() > height);
    test::writePicture(test::snapshot(scene.view), "teach-naming");
    REQUIRE(scene.press(scene.field(), KeyPress::downKey));
    REQUIRE(scene.press(scene.field(), KeyPress::downKey));
    REQUIRE(scene.press(scene.field(), KeyPress::returnKey));
    REQUIRE(scene.field().getText() == "Wind");
    REQUIRE(scene.examples().empty()); // chosen, not taught yet
    REQUIRE(scene.find<juce::ListBox>("Names of sounds") == nullptr);
    REQUIRE(scene.press(scene.field(), KeyPress::returnKey));
    REQUIRE(scene.examples().back().sound == "Wind");

    scene.view.refresh();
    scene.mark(8.0, 9.0);
    REQUIRE(scene.press(scene.field(), KeyPress::downKey)); // what is taught, without a text
    REQUIRE(scene.names() == 2);                            // Door, and now Wind
    scene.type(scene.field(), "w");
    REQUIRE(scene.press(scene.field(), KeyPress::downKey));
    REQUIRE(scene.press(scene.field(), KeyPress::upKey)); // back to the text
    REQUIRE(scene.press(scene.field(), KeyPress::returnKey));
    REQUIRE(scene.examples().back().sound == "w");
}

TEST_CASE("Escape closes the list, then removes the mark", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.0);
    scene.type(scene.field(), "w");
    REQUIRE(scene.bar()->keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE(scene.find<juce::ListBox>("Names of sounds") == nullptr);
    REQUIRE(scene.timeline().mark().exists());
    REQUIRE(scene.bar()->keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE_FALSE(scene.timeline().mark().exists());
    REQUIRE(scene.bar() == nullptr);
    scene.mark(4.0, 5.0);
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey))); // from elsewhere
    REQUIRE(scene.bar() == nullptr);
    scene.mark(4.0, 5.0);
    scene.the<juce::Button>("Remove the mark").onClick();
    REQUIRE(scene.bar() == nullptr);
}

TEST_CASE("a mark can be what a taught sound is not", "[unit]") {
    Scene scene;
    scene.controller.teaching().now.sounds = {door};
    scene.view.refresh();
    scene.mark(4.0, 5.0);
    auto& negative = scene.the<juce::TextButton>("Not this");
    REQUIRE(negative.isEnabled());
    negative.setToggleState(true, juce::sendNotificationSync);
    auto& field = scene.the<juce::TextEditor>("This is not");
    scene.type(field, "w");
    REQUIRE(scene.names() == 0); // the model's sounds are not taught
    REQUIRE_FALSE(scene.the<juce::TextButton>("Add example").isEnabled());
    scene.type(field, "door");
    REQUIRE(scene.the<juce::TextButton>("Add example").isEnabled());
    scene.the<juce::TextButton>("Add example").onClick();
    REQUIRE(scene.examples().back().sound == "Door");
    REQUIRE_FALSE(scene.examples().back().is);
    REQUIRE(scene.notice() == "Added 1.0 s as an example of what is not Door.");
    scene.mark(8.0, 9.0);
    scene.field(); // it asks what the next one is
}

TEST_CASE("the menu of a listed event names it, or says what it is not", "[unit]") {
    Scene scene;
    auto& panel = scene.the<ui::EventPanel>("Events");
    REQUIRE(panel.table().listed() > 0);
    const auto event = panel.table().rows().rows()[0];
    const auto label = scene.controller.viewModel().label(event.classIndex);
    REQUIRE_FALSE(entry(panel.menu(event), "This is not " + label));
    entry(panel.menu(event), "This is...")->action();
    REQUIRE(scene.timeline().mark().onset() == Approx(event.onset));
    REQUIRE(scene.timeline().mark().offset() == Approx(event.offset));
    REQUIRE(scene.field().getText() == label);

    scene.controller.teaching().now.sounds = {{label, 1, 0, 1.0, 1, true, {}}};
    entry(panel.menu(event), "This is not " + label)->action();
    REQUIRE(scene.examples().size() == 1);
    REQUIRE(scene.examples()[0].onset == Approx(event.onset));
    REQUIRE_FALSE(scene.examples()[0].is);
    REQUIRE(scene.notice().contains("as an example of what is not " + label));
}

TEST_CASE("a menu that is open while another stream begins teaches nothing of it", "[unit]") {
    Scene scene;
    auto& panel = scene.the<ui::EventPanel>("Events");
    REQUIRE(panel.table().listed() > 0);
    const auto event = panel.table().rows().rows()[0];
    const auto label = scene.controller.viewModel().label(event.classIndex);
    scene.controller.teaching().now.sounds = {{label, 1, 0, 1.0, 1, true, {}}};
    const auto menu = panel.menu(event);
    scene.controller.live.beginStream();
    scene.view.refresh();
    for (const auto& text : {juce::String("This is..."), "This is not " + label}) {
        entry(menu, text)->action();
        REQUIRE(scene.notice().contains("no longer shown"));
        REQUIRE_FALSE(scene.timeline().mark().exists());
        REQUIRE(scene.examples().empty());
    }
    // What is marked now is of the stream that is shown.
    scene.mark(4.0, 5.0);
    scene.type(scene.field(), "Gate");
    scene.the<juce::TextButton>("Add example").onClick();
    REQUIRE(scene.examples().back().stream == scene.controller.viewModel().history().stream);
    REQUIRE(scene.examples().back().stream == 2);
}

TEST_CASE("keys in the list play an event, and keep it as right or as wrong", "[unit]") {
    Scene scene;
    auto& table = scene.the<ui::EventPanel>("Events").table();
    REQUIRE(table.listed() > 0);
    auto* list = test::find<juce::ListBox>(table, "Events");
    REQUIRE(list != nullptr);
    REQUIRE_FALSE(list->keyPressed(KeyPress('w'))); // no event is chosen
    juce::SparseSet<int> first;
    first.addRange({0, 1});
    table.select(first);
    const auto event = table.rows().rows()[0];
    REQUIRE(list->keyPressed(KeyPress('w')));
    REQUIRE(scene.notice().contains("is one of the model's own sounds"));
    REQUIRE(scene.examples().empty());

    for (const auto* taught : {"Water", "Dog", "Train", "Wind"})
        scene.controller.teaching().now.sounds.push_back({taught, 1, 0, 1.0, 1, true, ""});
    REQUIRE(list->keyPressed(KeyPress('w')));
    REQUIRE(list->keyPressed(KeyPress('r')));
    REQUIRE(scene.examples().size() == 2);
    REQUIRE_FALSE(scene.examples()[0].is);
    REQUIRE(scene.examples()[1].is);
    REQUIRE(scene.examples()[1].onset == Approx(event.onset));
    REQUIRE(scene.examples()[1].offset == Approx(std::min(event.offset, event.onset + ui::Mark::longest)));
    REQUIRE(scene.notice().contains("as an example of"));

    REQUIRE(list->keyPressed(KeyPress(KeyPress::spaceKey)));
    REQUIRE(scene.notice().contains("can be played")); // a live stream cannot
    REQUIRE_FALSE(list->keyPressed(KeyPress('w', juce::ModifierKeys::altModifier, 0)));
    REQUIRE(list->keyPressed(KeyPress('m')));
    REQUIRE(scene.timeline().mark().onset() == Approx(event.onset));
    REQUIRE(scene.bar() != nullptr);
}

TEST_CASE("Shift and F10 open the menu of the chosen event beside its row", "[unit]") {
    Scene scene;
    auto& table = scene.the<ui::EventPanel>("Events").table();
    std::vector<detection::Event> asked;
    table.onMenu = [&](const detection::Event& event, juce::Rectangle<int> place) {
        asked.push_back(event);
        REQUIRE(table.getLocalBounds().contains(place));
        REQUIRE(place.getHeight() == ui::EventTable::rowHeight);
    };
    auto* list = test::find<juce::ListBox>(table, "Events");
    const KeyPress key(KeyPress::F10Key, juce::ModifierKeys::shiftModifier, 0);
    REQUIRE_FALSE(list->keyPressed(key)); // no event is chosen
    juce::SparseSet<int> first;
    first.addRange({0, 1});
    table.select(first);
    REQUIRE(list->keyPressed(key));
    REQUIRE(asked.size() == 1);
    REQUIRE(asked[0] == table.rows().rows()[0]);
    REQUIRE_FALSE(list->keyPressed(KeyPress(KeyPress::F10Key)));
}

TEST_CASE("what was taught under a name that the model knows is found by either name", "[unit]") {
    ui::Teaching teaching;
    teaching.sounds.push_back(door);
    REQUIRE(ui::taughtSound(teaching, "door") == teaching.sounds.data());
    REQUIRE(ui::taughtSound(teaching, "Door (taught)") == teaching.sounds.data());
    REQUIRE(ui::taughtSound(teaching, "Doorbell") == nullptr);
}

TEST_CASE("a mark of a recording that can be played is played from its onset", "[unit]") {
    streaming::FilePlayer player;
    player.prepare(48000.0);
    player.open(test::demoFile());
    Scene scene;
    scene.controller.playback().filePlayer = &player;
    scene.controller.playback().open(juce::File(test::demoFile().string()));
    scene.controller.live.statusNow.state = streaming::State::finished;
    scene.view.refresh();
    scene.mark(1.0, 2.0);
    scene.the<juce::Button>("Play the mark").onClick();
    REQUIRE(player.playing());
    REQUIRE(player.position() == Approx(1.0).margin(0.1));
    REQUIRE(scene.bar()->plays());
    test::find<juce::Button>(*scene.bar(), "Stop")->onClick();
    REQUIRE_FALSE(player.playing());
    scene.the<juce::Button>("Play the mark").onClick();
    test::click(scene.timeline(), scene.at(9.0));
    REQUIRE(scene.bar() == nullptr);
    REQUIRE_FALSE(player.playing()); // the mark is gone
}

TEST_CASE("the bar stands beside the mark and within the view", "[unit]") {
    const juce::Rectangle<int> room(0, 48, 640, 312);
    const auto below = ui::MarkBar::beside({300, 80, 20, 20}, 40, room);
    REQUIRE(below.getY() >= 100);
    REQUIRE(below.getCentreX() == 310);
    REQUIRE(room.contains(below));
    const juce::Rectangle<int> low(600, 280, 20, 39);
    const auto above = ui::MarkBar::beside(low, 40, room);
    REQUIRE(above.getBottom() <= low.getY());
    REQUIRE(room.contains(above));
    REQUIRE(room.contains(ui::MarkBar::beside({0, 60, 1, 280}, 202, room)));
}

TEST_CASE("without examples the panel says how to begin, and that the model can learn", "[unit]") {
    Scene scene;
    auto& panel = scene.panel();
    const auto* how = "Drag over a sound in the spectrogram and name it to add an example.";
    REQUIRE(test::find<ui::Caption>(panel, how) != nullptr);
    REQUIRE_FALSE(test::find<juce::TextButton>(panel, "Train")->isEnabled());
    REQUIRE_FALSE(test::find<juce::TextButton>(panel, "Undo the last training")->isEnabled());
    REQUIRE_FALSE(test::find<juce::TextButton>(panel, "Show folder")->isEnabled());
    scene.controller.teaching().now.hint = "This model cannot be taught: load one that can";
    scene.view.refresh();
    REQUIRE(test::find<ui::Caption>(panel, scene.controller.teaching().now.hint) != nullptr);
}

TEST_CASE("learning again is offered, until it is done", "[unit]") {
    Scene scene;
    const juce::String offer = "The default model is newer than your sounds. Learn adds them to it.";
    scene.controller.teaching().now.sounds = {door}; // it is learnt
    scene.controller.teaching().now.hint = offer;
    scene.controller.teaching().now.canLearn = true;
    scene.view.refresh();
    auto& panel = scene.panel();
    REQUIRE(test::find<ui::Caption>(panel, offer) != nullptr);
    auto* learn = test::find<juce::TextButton>(panel, "Train");
    REQUIRE(learn->isEnabled());
    learn->onClick();
    REQUIRE(scene.controller.teaching().learns == 1);
    scene.controller.teaching().now.learning = false;
    scene.controller.teaching().now.hint = {};
    scene.view.refresh();
    REQUIRE(test::find<ui::Caption>(panel, offer) == nullptr);
    REQUIRE_FALSE(learn->isEnabled());
}

TEST_CASE("a sound's examples are told in words", "[unit]") {
    const auto text = [](const ui::TaughtSound& sound) { return ui::examplesText(sound); };
    REQUIRE(text(door) == juce::String::fromUTF8("6 examples, 2 of what it is not · 12.4 s · 3 recordings"));
    REQUIRE(text({"Gate", 1, 0, 0.84, 1, false, {}}) ==
            juce::String::fromUTF8("1 example · 0.8 s · 1 recording · not trained yet"));
}

TEST_CASE("the panel shows what is taught, and follows it", "[unit]") {
    Scene scene;
    scene.controller.teaching().now.sounds = {door};
    scene.view.refresh();
    auto& panel = scene.panel();
    REQUIRE(test::find<ui::SoundSection>(panel, "Door") != nullptr);
    REQUIRE(test::find<ui::Caption>(panel, ui::examplesText(door)) != nullptr);
    REQUIRE(test::find<ui::Caption>(panel, door.reliability) != nullptr);
    for (const char* name : {"Creaky door", "Zither"})
        REQUIRE(scene.controller.teaching().teach(name, 1, 1.0, 2.0, true).isEmpty());
    scene.view.refresh();
    int last = -1;
    for (const char* name : {"Creaky door", "Door", "Zither"}) {
        const auto* section = test::find<ui::SoundSection>(panel, name);
        REQUIRE(section != nullptr);
        REQUIRE(section->getY() > last);
        REQUIRE(section->getHeight() > 28);
        last = section->getBottom();
    }
    test::writePicture(test::snapshot(scene.view), "teach-panel");
}

TEST_CASE("a change that fails in the background is told once, and again for the next one", "[unit]") {
    Scene scene;
    auto& teaching = scene.controller.teaching().now;
    const auto fail = [&](const char* why) {
        teaching.refusal = why;
        ++teaching.refusals;
        scene.controller.viewModel().update();
    };
    fail("There is too little room on the disk: free some");
    CHECK(scene.notice() == teaching.refusal);
    fail("The disk is gone: connect it");
    CHECK(scene.notice() == teaching.refusal);
    teaching.refusal = {};
    teaching.canLearn = !teaching.canLearn;
    scene.controller.viewModel().update();
    CHECK(scene.notice() == "The disk is gone: connect it"); // until the user closes it
}

TEST_CASE("a taught sound is renamed and forgotten from its menu, and a refusal is shown", "[unit]") {
    Scene scene;
    scene.controller.teaching().now.sounds = {door, {"Gate", 1, 0, 1.0, 1, false, {}}};
    scene.view.refresh();
    auto& panel = scene.panel();
    auto* section = test::find<ui::SoundSection>(panel, "Door");
    REQUIRE(test::find<juce::TextEditor>(panel, "Name for Door") == nullptr);
    entry(section->menu(), "Rename...")->action();
    auto* field = test::find<juce::TextEditor>(panel, "Name for Door");
    REQUIRE(field != nullptr);
    REQUIRE(field->getText() == "Door");
    field->setText("Gate", false);
    REQUIRE(field->keyPressed(KeyPress(KeyPress::returnKey)));
    const auto* taken = "There is a sound of this name already: choose another";
    REQUIRE(test::find<ui::Caption>(panel, taken) != nullptr);
    REQUIRE(section->keyPressed(KeyPress(KeyPress::escapeKey))); // the panel stays open
    REQUIRE(test::find<ui::Caption>(panel, taken) == nullptr);
    REQUIRE(test::find<juce::TextEditor>(panel, "Name for Door") == nullptr);
    REQUIRE_FALSE(section->keyPressed(KeyPress(KeyPress::escapeKey)));

    entry(section->menu(), "Rename...")->action();
    field->setText(" Shutter ", false);
    REQUIRE(field->keyPressed(KeyPress(KeyPress::returnKey)));
    scene.view.refresh();
    REQUIRE(test::find<ui::SoundSection>(panel, "Door") == nullptr);
    section = test::find<ui::SoundSection>(panel, "Shutter");
    REQUIRE(section != nullptr);
    entry(section->menu(), juce::String::fromUTF8("Forget “Shutter”"))->action();
    scene.view.refresh();
    REQUIRE(test::find<ui::SoundSection>(panel, "Shutter") == nullptr);
    REQUIRE(scene.controller.teaching().now.sounds.size() == 1);
}

TEST_CASE("the panel learns, shows how far it is, stops, tells the outcome and undoes", "[unit]") {
    Scene scene;
    auto& teaching = scene.controller.teaching().now;
    teaching.sounds = {door};
    teaching.canLearn = true;
    scene.view.refresh();
    auto& panel = scene.panel();
    auto& learn = *test::find<juce::TextButton>(panel, "Train");
    REQUIRE(learn.isEnabled());
    REQUIRE(test::find<juce::TextButton>(panel, "Stop training") == nullptr);
    scene.controller.teaching().refusal = "There is too little room on the disk: free some";
    learn.onClick();
    REQUIRE(test::find<ui::Caption>(panel, scene.controller.teaching().refusal) != nullptr);
    const auto refused = std::exchange(scene.controller.teaching().refusal, {});
    learn.onClick();
    REQUIRE(scene.controller.teaching().learns == 1);
    REQUIRE(test::find<ui::Caption>(panel, refused) == nullptr);
    teaching.progress = 0.42;
    scene.view.refresh();
    REQUIRE_FALSE(learn.isEnabled());
    REQUIRE(test::find<ui::ShareBar>(panel, "Training: 42 %") != nullptr);
    REQUIRE(test::find<ui::Caption>(panel, "Analysing the examples") != nullptr);
    test::writePicture(test::snapshot(scene.view), "teach-learning");
    test::find<juce::TextButton>(panel, "Stop training")->onClick();
    REQUIRE(scene.controller.teaching().stops == 1);
    scene.view.refresh();
    REQUIRE(test::find<ui::ShareBar>(panel, "Training: 42 %") == nullptr);
    REQUIRE(learn.isEnabled());

    teaching.outcome = "Learnt 1 sound from 6 examples";
    teaching.canLearn = false;
    teaching.canUndo = true;
    scene.view.refresh();
    REQUIRE(test::find<ui::Caption>(panel, teaching.outcome) != nullptr);
    auto& undo = *test::find<juce::TextButton>(panel, "Undo the last training");
    REQUIRE(undo.isEnabled());
    undo.onClick();
    REQUIRE(scene.controller.teaching().undos == 1);
    scene.view.refresh();
    REQUIRE_FALSE(undo.isEnabled());
}

TEST_CASE("a folder that is dropped while the panel is open gives examples", "[unit]") {
    Scene scene;
    scene.view.filesDropped({"/home/me/Creak"}, 0, 0);
    REQUIRE(scene.controller.teaching().now.sounds.empty());
    scene.panel();
    scene.view.filesDropped({"/home/me/Creak"}, 0, 0);
    REQUIRE(scene.controller.teaching().now.sounds.size() == 1);
    scene.controller.teaching().refusal = "There are no clips in it: choose another folder";
    scene.view.filesDropped({"/home/me/Drip"}, 0, 0);
    REQUIRE(scene.notice() == scene.controller.teaching().refusal);
    REQUIRE(scene.controller.teaching().now.sounds.size() == 1);
}

TEST_CASE("the panel shows the collection's folder, and keeps live sound when told so", "[unit]") {
    Scene scene;
    const auto folder = juce::File::getSpecialLocation(juce::File::tempDirectory);
    scene.controller.teaching().now.folder = folder;
    scene.view.refresh();
    REQUIRE(scene.controller.teaching().openings == 0);
    auto& panel = scene.panel();
    REQUIRE(scene.controller.teaching().openings == 1);
    REQUIRE(test::find<ui::Caption>(panel, folder.getFullPathName()) != nullptr);
    REQUIRE(test::find<juce::TextButton>(panel, "Show folder")->isEnabled());
    REQUIRE(test::find<juce::TextButton>(panel, "Open another collection") != nullptr);
    auto* keeps = test::find<juce::ToggleButton>(
        panel, "Keep the last ten minutes of live audio, so that you can mark sounds in it");
    REQUIRE(keeps != nullptr);
    REQUIRE_FALSE(keeps->getToggleState());
    keeps->setToggleState(true, juce::sendNotificationSync);
    REQUIRE(scene.controller.teaching().now.keepsAudio);
    scene.view.refresh();
    scene.controller.teaching().setKeepsAudio(false); // as a project does
    scene.view.refresh();
    REQUIRE_FALSE(keeps->getToggleState());
}

TEST_CASE("one panel is open at a time, and Escape closes it before it removes a mark", "[unit]") {
    Scene scene;
    scene.mark(4.0, 5.0);
    scene.the<juce::TextButton>("Teach sounds").onClick();
    REQUIRE(scene.find<ui::TeachPanel>("Teach") != nullptr);
    REQUIRE(scene.view.keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0)));
    REQUIRE(scene.find<ui::TeachPanel>("Teach") == nullptr);
    REQUIRE(scene.find<ui::SettingsPanel>("Settings") != nullptr);
    scene.panel();
    REQUIRE(scene.find<ui::SettingsPanel>("Settings") == nullptr);
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE(scene.find<ui::TeachPanel>("Teach") == nullptr);
    REQUIRE(scene.timeline().mark().exists());
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE_FALSE(scene.timeline().mark().exists());
    REQUIRE_FALSE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey)));
    bool listed = false;
    const auto groups = ui::shortcuts(true);
    for (const auto& shortcut : groups.front().keys) listed = listed || shortcut.keys == "T";
    REQUIRE(listed);
}

TEST_CASE("listeners hear of what was taught, and of nothing while it stays the same", "[unit]") {
    test::FakeController controller({"Dog"});
    test::Ear ear;
    auto& viewModel = controller.viewModel();
    viewModel.update();
    viewModel.addListener(&ear);
    viewModel.update();
    REQUIRE(ear.calls == 0);
    REQUIRE(controller.teaching().teach("Door", 1, 1.0, 2.0, true).isEmpty());
    viewModel.update();
    REQUIRE(ear.calls == 1);
    REQUIRE(ear.last.teaching);
    REQUIRE_FALSE(ear.last.words);
    REQUIRE(viewModel.teaching().sounds.at(0).examples == 1);
    viewModel.update();
    REQUIRE(ear.calls == 1);
    viewModel.removeListener(&ear);
}
