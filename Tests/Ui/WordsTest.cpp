// Words to listen for, as people type, see, rename, move and remove them.
#include "Ear.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/MainView.h"
#include "Ui/Panels/NoteTable.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/SoundFilter.h"
#include "Ui/Timeline/HoverTip.h"
#include "Ui/Timeline/LaneMenu.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/TimelineView.h"
#include "Ui/WordLanes.h"
#include "ViewWalk.h"

#include <algorithm>

using namespace earshot;
using juce::KeyPress;

namespace {

const juce::String price = "Listening for words takes 0.5 GB of memory.";
constexpr const char* noTexts = "This model knows no words: load a CLAP model that has a text half.";

struct Scene {
    explicit Scene(bool possible = true) {
        auto& words = controller.words().now;
        words.possible = possible;
        words.joins = true;
        if (possible)
            words.price = price;
        else
            words.hint = noTexts;
        controller.live.addScene(30.0);
        controller.view().edit([](auto& settings) { settings.quietLanes = true; });
        view.setSize(1200, 720);
        view.refresh();
    }

    template <typename Kind>
    Kind& the(const juce::String& title) {
        auto* found = test::find<Kind>(view, title);
        INFO("no " << title << " to be seen");
        REQUIRE(found != nullptr);
        return *found;
    }
    juce::TextEditor& search() {
        auto* found = test::find<juce::TextEditor>(view, "Find or type a sound");
        return found != nullptr ? *found : the<juce::TextEditor>("Find a sound");
    }
    ui::LanesView& lanes() { return the<ui::LanesView>("Sounds"); }
    ui::TimelineView& timeline() { return the<ui::TimelineView>("Timeline"); }

    void type(const juce::String& text) {
        search().setText(text, false);
        search().onTextChange();
        view.refresh();
    }
    bool pressReturn() {
        const bool taken = search().keyPressed(KeyPress(KeyPress::returnKey));
        search().onTextChange();
        view.refresh();
        return taken;
    }
    // Adds words and lets them be embedded.
    void listenFor(const std::vector<const char*>& texts) {
        for (const char* text : texts)
            REQUIRE(controller.words().add(juce::String::fromUTF8(text)).isEmpty());
        embed();
    }
    void embed() {
        controller.embedWords();
        view.refresh();
    }
    bool press(int code, juce::ModifierKeys keys = {}, juce::juce_wchar letter = 0) {
        const bool taken = timeline().keyPressed(KeyPress(code, keys, letter));
        view.refresh();
        return taken;
    }
    // Chooses a lane as the keyboard does, from the top.
    void choose(int place) {
        lanes().select(-1);
        for (int i = 0; i <= place; ++i) press(KeyPress::downKey);
    }
    std::vector<std::string> shown() {
        std::vector<std::string> names;
        for (const int lane : lanes().lanes())
            names.push_back(controller.viewModel().label(lane).toStdString());
        return names;
    }
    std::vector<std::string> firstShown(std::size_t count) {
        auto names = shown();
        names.resize(std::min(names.size(), count));
        return names;
    }
    std::vector<std::string> wordNames() {
        std::vector<std::string> names;
        for (const auto& word : controller.words().now.words) names.push_back(word.name);
        return names;
    }
    juce::String notice() {
        juce::String text;
        test::walk(view, [&](juce::Component& component) {
            if (auto* bar = dynamic_cast<ui::NoticeBar*>(&component); bar != nullptr && bar->isVisible())
                text = bar->text();
        });
        return text;
    }
    ui::SettingsPanel& settings() {
        if (test::find<ui::SettingsPanel>(view, "Settings") == nullptr)
            REQUIRE(view.keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0)));
        return the<ui::SettingsPanel>("Settings");
    }

    test::FakeController controller{{"Water", "Dog", "Train", "Rain"}};
    ui::MainView view{controller};
};

std::optional<juce::PopupMenu::Item> entry(const juce::PopupMenu& menu, const juce::String& text) {
    for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
        if (item.getItem().text == text) return item.getItem();
    return std::nullopt;
}

juce::PopupMenu menuOf(Scene& scene, int place) {
    return ui::laneMenu(scene.timeline(), scene.controller, scene.controller.viewModel(),
                        scene.lanes().lanes()[static_cast<std::size_t>(place)], {});
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("Return in the search listens for what is typed, and clears the search", "[unit]") {
    Scene scene;
    REQUIRE(scene.search().getTitle() == "Find or type a sound");
    REQUIRE(scene.search().getTextToShowWhenEmpty() == juce::String::fromUTF8("Find or type a sound…"));
    scene.type("  a dog barks ");
    REQUIRE(scene.pressReturn());
    REQUIRE(scene.wordNames() == Names{"a dog barks"});
    REQUIRE(scene.search().getText().isEmpty());
    REQUIRE(scene.notice().isEmpty());
    REQUIRE(scene.shown().size() == 4); // not embedded yet, and no search is left
    scene.type("rain on a roof=Roof");
    REQUIRE(scene.pressReturn());
    REQUIRE(scene.controller.words().now.words[1].text == "rain on a roof");
    scene.embed();
    REQUIRE(scene.firstShown(2) == Names{"a dog barks", "Roof"});
}

TEST_CASE("a new word is shown beside solo sounds, and does not hide all others where solo is ignored",
          "[unit]") {
    Scene scene;
    scene.controller.view().edit([](auto& settings) { settings.solo = {"Dog"}; });
    scene.type("rain on a roof=Roof");
    REQUIRE(scene.pressReturn());
    scene.embed();
    REQUIRE(scene.shown() == Names{"Roof", "Dog"});
    scene.controller.view().edit([](auto& settings) { settings.solo = {"No sound of this model"}; });
    scene.type("a dog barks");
    REQUIRE(scene.pressReturn());
    scene.embed();
    REQUIRE(scene.shown().size() == 6);
}

TEST_CASE("neither nothing nor the name of a lane becomes a word", "[unit]") {
    Scene scene;
    scene.type("   ");
    REQUIRE_FALSE(scene.pressReturn()); // the key is the host's
    scene.type("Dog");
    REQUIRE(scene.lanes().hint().isEmpty());
    REQUIRE(scene.pressReturn());
    REQUIRE(scene.search().getText() == "Dog"); // still searched for
    REQUIRE(scene.controller.words().now.words.empty());
    REQUIRE(scene.notice().isEmpty());
    scene.type("dog"); // another text, whatever the model calls its own
    REQUIRE(scene.pressReturn());
    REQUIRE(scene.wordNames() == Names{"dog"});
}

TEST_CASE("a word that is refused stays in the search, and the user learns why", "[unit]") {
    Scene scene;
    REQUIRE(scene.controller.words().add("a dog barks").isEmpty());
    scene.type("a dog barks");
    REQUIRE(scene.pressReturn());
    REQUIRE(scene.controller.words().now.words.size() == 1);
    REQUIRE(scene.search().getText() == "a dog barks");
    REQUIRE(scene.notice() == "There is a sound of this name already: choose another");
}

TEST_CASE("where words are not possible the search says what they need, and Return is the host's", "[unit]") {
    Scene scene(false);
    REQUIRE(scene.search().getTitle() == "Find a sound");
    REQUIRE(scene.search().getTextToShowWhenEmpty() == juce::String::fromUTF8("Find a sound…"));
    scene.type("Do");
    REQUIRE(scene.lanes().emptyText().isEmpty());
    REQUIRE(scene.lanes().hint().isEmpty());
    scene.type("a dog barks");
    REQUIRE(scene.lanes().emptyText().endsWith(noTexts));
    REQUIRE_FALSE(scene.pressReturn());
    REQUIRE(scene.controller.words().now.words.empty());
    REQUIRE(scene.search().getText() == "a dog barks");
    REQUIRE(scene.notice().isEmpty());

    scene.controller.words().now.possible = true; // another model
    scene.view.refresh();
    REQUIRE(scene.search().getTitle() == "Find or type a sound");
    REQUIRE(scene.lanes().emptyText().contains("Press Return"));
}

TEST_CASE("while a text is typed the lanes say how to listen for it, and at first what that takes",
          "[unit]") {
    Scene scene;
    auto& lanes = scene.lanes();
    const int top = lanes.laneBounds(lanes.lanes()[0]).getY();
    REQUIRE(lanes.hint().isEmpty());
    scene.type("Do"); // finds Dog
    const auto listen = juce::String::fromUTF8("Press Return to listen for “Do”.");
    REQUIRE(lanes.hint() == listen + "\n" + price);
    const int dog = lanes.lanes()[0];
    REQUIRE(lanes.laneBounds(dog).getY() == top + ui::LanesView::pitch); // below the hint
    REQUIRE(lanes.laneAt(top + 5) == -1);
    REQUIRE(lanes.laneAt(top + ui::LanesView::pitch + 5) == dog);
    scene.type("a dog barks"); // finds nothing
    REQUIRE(lanes.emptyText() ==
            juce::String::fromUTF8("Press Return to listen for “a dog barks”.\n") + price);
    REQUIRE(lanes.hint().isEmpty());
    scene.pressReturn();
    scene.type("Do");
    REQUIRE(lanes.hint() == listen); // the price is paid
    scene.type({});
    REQUIRE(lanes.hint().isEmpty());
    REQUIRE(lanes.laneBounds(lanes.lanes()[0]).getY() == top);
}

TEST_CASE("while words are embedded the view says so, and nothing more once they are", "[unit]") {
    Scene scene;
    scene.type("a dog barks");
    scene.controller.words().now.busy = true;
    scene.pressReturn();
    REQUIRE(scene.lanes().hint() == juce::String::fromUTF8("Embedding words…"));
    scene.type("a dog barks"); // typed again before its lane is there
    REQUIRE(scene.lanes().emptyText().endsWith(juce::String::fromUTF8("Embedding words…")));
    scene.type({});
    scene.controller.words().now.busy = false;
    scene.embed();
    REQUIRE(scene.lanes().hint().isEmpty());
    REQUIRE(scene.shown().front() == "a dog barks");
}

TEST_CASE("a model without sounds of its own asks for the first word", "[unit]") {
    ui::Words words;
    words.possible = true;
    words.price = price;
    const auto none = detection::Labels::withWords({}, {}, {});
    REQUIRE(ui::firstWordHint(words, &none).startsWith("Type a sound to listen for below"));
    REQUIRE(ui::firstWordHint(words, &none).endsWith(price));
    REQUIRE(ui::firstWordHint(words, nullptr).isNotEmpty());
    words.joins = true; // the model's own sounds are still to come
    REQUIRE(ui::firstWordHint(words, nullptr).isEmpty());
    words.joins = false;
    words.busy = true;
    REQUIRE(ui::firstWordHint(words, &none) == juce::String::fromUTF8("Embedding words…"));
    const auto one = detection::Labels::withWords({}, {"a dog barks"}, {1});
    REQUIRE(ui::firstWordHint(words, &one).isEmpty());
    words = {};
    REQUIRE(ui::firstWordHint(words, &none).isEmpty());
}

TEST_CASE("a view without any sound can be used until there is a word", "[unit]") {
    test::FakeController controller({});
    controller.words().now.possible = true;
    ui::MainView view(controller);
    view.setSize(1200, 720);
    view.refresh();
    const auto& lanes = *test::find<ui::LanesView>(view, "Sounds");
    REQUIRE(lanes.emptyText().startsWith("Type a sound to listen for"));
    REQUIRE(view.createComponentSnapshot(view.getLocalBounds()).getWidth() == 1200);
    auto& search = *test::find<juce::TextEditor>(view, "Find or type a sound");
    search.setText("rain", false);
    search.onTextChange();
    REQUIRE(lanes.emptyText().startsWith("Press Return to listen for"));
    REQUIRE(search.keyPressed(KeyPress(KeyPress::returnKey)));
    search.onTextChange();
    controller.embedWords();
    for (int i = 0; i < 10; ++i) controller.live.addColumn({0.9f});
    view.refresh();
    REQUIRE(lanes.lanes() == std::vector<int>{0});
    REQUIRE(lanes.emptyText().isEmpty());
    REQUIRE(view.createComponentSnapshot(view.getLocalBounds()).getWidth() == 1200);
}

TEST_CASE("words that are not listened for say why until the user closes it", "[unit]") {
    Scene scene(false);
    REQUIRE(scene.notice().isEmpty()); // nobody asked for words
    scene.controller.words().now.words = {{1, "a dog barks", "a dog barks"}};
    scene.view.refresh();
    REQUIRE(scene.notice() == noTexts);
    scene.the<juce::Button>("Close the message").onClick();
    scene.view.refresh();
    REQUIRE(scene.notice().isEmpty());
}

TEST_CASE("lanes of words stand on top in the user's order, whatever is loud or pinned", "[unit]") {
    const auto model =
        detection::Labels::read({{"earshot.labels", R"(["Dog","Rain","Bird"])"}}, "m.safetensors", 3);
    const auto labels = detection::Labels::withWords(model, {"one", "two", "three"}, {4, 7, 5});
    ui::Words words;
    words.words = {{5, "three", "three"}, {4, "one", "one"}, {9, "new", "new"}, {7, "two", "two"}};
    const auto first = ui::wordLanes(words, labels);
    REQUIRE(first == std::vector<int>{5, 3, 4}); // 9 is not embedded yet
    const std::vector<int> order = {4, 2, 0, 3, 1, 5};
    ui::ViewSettings view;
    const auto shown = [&](const juce::String& search) {
        return ui::shownLanes(labels, order, view, search, first);
    };
    REQUIRE(shown("") == std::vector<int>{5, 3, 4, 2, 0, 1});
    view.pinned = {"Rain", "two"};
    REQUIRE(shown("") == std::vector<int>{5, 3, 4, 1, 2, 0});
    view.hidden = {"one"};
    REQUIRE(shown("") == std::vector<int>{5, 4, 1, 2, 0});
    REQUIRE(shown("two") == std::vector<int>{4});
    REQUIRE(shown("one") == std::vector<int>{3}); // a search finds hidden ones
    view.solo = {"two", "Bird"};
    REQUIRE(shown("") == std::vector<int>{4, 2});
    REQUIRE(ui::wordOf(words, labels, 5) == &words.words[0]);
    REQUIRE(ui::wordOf(words, labels, 2) == nullptr);
    REQUIRE(ui::wordOf(words, labels, 6) == nullptr);
    words.words.erase(words.words.begin()); // its columns may be kept for a while
    REQUIRE(ui::wordOf(words, labels, 5) == nullptr);
}

TEST_CASE("keys move, rename and remove the chosen word, and leave the model's sounds alone", "[unit]") {
    Scene scene;
    scene.listenFor({"one", "two", "three"});
    const juce::ModifierKeys shift(juce::ModifierKeys::shiftModifier);
    scene.choose(0);
    REQUIRE(scene.press(KeyPress::downKey, shift));
    REQUIRE(scene.firstShown(3) == Names{"two", "one", "three"});
    REQUIRE(scene.press(KeyPress::downKey, shift)); // it stays chosen
    REQUIRE(scene.press(KeyPress::downKey, shift)); // and goes no further than the words
    REQUIRE(scene.firstShown(3) == Names{"two", "three", "one"});
    REQUIRE(scene.press(KeyPress::upKey, shift));
    REQUIRE(scene.firstShown(3) == Names{"two", "one", "three"});
    scene.embed(); // a new stream
    REQUIRE(scene.firstShown(3) == Names{"two", "one", "three"});
    REQUIRE(scene.controller.viewModel().label(scene.lanes().selected()) == "one");
    REQUIRE(scene.press(KeyPress::deleteKey));
    REQUIRE(scene.wordNames() == Names{"two", "three"});
    scene.embed();
    scene.choose(1);
    REQUIRE(scene.press(KeyPress::backspaceKey));
    REQUIRE(scene.wordNames() == Names{"two"});
    scene.embed();

    scene.choose(0);
    scene.type("Rain"); // leaves the chosen lane out
    REQUIRE_FALSE(scene.press(KeyPress::deleteKey));
    REQUIRE(scene.wordNames() == Names{"two"});
    scene.type({});

    scene.choose(1); // a sound of the model
    REQUIRE_FALSE(scene.press(KeyPress::deleteKey));
    REQUIRE_FALSE(scene.press('r', {}, 'r'));
    const auto before = scene.shown();
    REQUIRE(scene.press(KeyPress::downKey, shift)); // chooses, as without Shift
    REQUIRE(scene.shown() == before);
    REQUIRE(scene.controller.viewModel().label(scene.lanes().selected()).toStdString() == before[2]);
}

TEST_CASE("the menu of a word also renames, moves and removes it", "[unit]") {
    Scene scene;
    scene.listenFor({"one", "two"});
    const auto first = menuOf(scene, 0), last = menuOf(scene, 1), own = menuOf(scene, 2);
    for (const char* text : {"Rename...", "Move up", "Move down", "Remove"}) {
        REQUIRE(entry(first, text));
        REQUIRE(entry(first, text)->shortcutKeyDescription.isNotEmpty());
        REQUIRE_FALSE(entry(own, text));
    }
    REQUIRE(entry(own, "Pin"));
    REQUIRE_FALSE(entry(first, "Move up")->isEnabled);
    REQUIRE(entry(first, "Move down")->isEnabled);
    REQUIRE(entry(last, "Move up")->isEnabled);
    REQUIRE_FALSE(entry(last, "Move down")->isEnabled);
    entry(last, "Move up")->action();
    scene.view.refresh();
    REQUIRE(scene.firstShown(2) == Names{"two", "one"});
    entry(last, "Remove")->action();
    scene.embed();
    REQUIRE(scene.shown().front() == "one");
    REQUIRE(scene.shown().size() == 5);
}

TEST_CASE("a renamed word keeps what the view knows of it, a removed one does not", "[unit]") {
    Scene scene;
    scene.listenFor({"a dog barks", "rain on a roof"});
    auto& view = scene.controller.view();
    const std::string old = "a dog barks", other = "rain on a roof";
    view.edit([&](auto& settings) {
        settings.pinned = {old, "Dog"};
        settings.hidden = {old, other};
        settings.solo = {old};
        settings.classThresholds = {{old, 0.3f}, {other, 0.7f}, {"Dog", 0.2f}};
    });
    REQUIRE(ui::renameLane(scene.controller, 1, "Barking").isEmpty());
    scene.embed();
    REQUIRE(view.get().pinned == std::set<std::string>{"Barking", "Dog"});
    REQUIRE(view.get().hidden == std::set<std::string>{"Barking", other});
    REQUIRE(view.get().solo == std::set<std::string>{"Barking"});
    REQUIRE(view.get().classThresholds ==
            std::map<std::string, float>{{"Barking", 0.3f}, {other, 0.7f}, {"Dog", 0.2f}});
    const auto& viewModel = scene.controller.viewModel();
    REQUIRE(viewModel.label(4) == "Barking");
    REQUIRE(viewModel.eventSettings().ruleFor(4).on == Approx(0.3f));

    const auto kept = view.get();
    REQUIRE(ui::renameLane(scene.controller, 1, "Dog").isNotEmpty()); // taken
    REQUIRE(view.get() == kept);
    REQUIRE(scene.wordNames()[0] == "Barking");

    ui::removeLane(scene.controller, 1);
    REQUIRE(view.get().pinned == std::set<std::string>{"Dog"});
    REQUIRE(view.get().hidden == std::set<std::string>{other});
    REQUIRE(view.get().solo.empty());
    REQUIRE(view.get().classThresholds == std::map<std::string, float>{{other, 0.7f}, {"Dog", 0.2f}});
    ui::removeLane(scene.controller, 1); // gone already
    REQUIRE(view.get().classThresholds.size() == 2);
}

TEST_CASE("lists and ranking follow a word's new name", "[unit]") {
    Scene scene;
    scene.listenFor({"hum"});
    scene.type("Drone");
    REQUIRE(scene.lanes().lanes().empty());
    REQUIRE(ui::renameLane(scene.controller, 1, "Drone").isEmpty());
    scene.embed();
    REQUIRE(scene.shown() == Names{"Drone"});
}

TEST_CASE("the rename box takes a name at Return, and shows why another is refused", "[unit]") {
    Scene scene;
    scene.listenFor({"a dog barks", "rain"});
    ui::RenamePanel panel(scene.controller, scene.controller.words().now.words[0]);
    REQUIRE(panel.field.getTitle().contains("a dog barks"));
    REQUIRE(panel.field.getText() == "a dog barks");
    const int height = panel.getHeight();
    panel.field.setText("rain", false);
    REQUIRE(panel.field.keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(panel.refusal.text() == "There is a sound of this name already: choose another");
    REQUIRE(panel.getHeight() > height); // room for the sentence
    REQUIRE(panel.refusal.getBottom() <= panel.getHeight());
    panel.field.setText("  ", false);
    REQUIRE(panel.field.keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(panel.refusal.text() == "Type a name for the lane");
    REQUIRE(scene.wordNames() == Names{"a dog barks", "rain"});
    panel.field.setText(" Barking ", false);
    REQUIRE(panel.field.keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(panel.refusal.text().isEmpty());
    REQUIRE(scene.wordNames() == Names{"Barking", "rain"});
    REQUIRE(scene.controller.words().now.words[0].text == "a dog barks");
}

TEST_CASE("the tip tells a word's text where its lane is called otherwise", "[unit]") {
    Scene scene;
    const std::string text = juce::String::repeatedString("very long ", 20).trim().toStdString();
    scene.listenFor({"a dog barks=Dog 2", "rain on a roof", text.c_str()});
    const auto& viewModel = scene.controller.viewModel();
    const auto named = ui::laneText(viewModel, 4, 5.0);
    REQUIRE(named.title.startsWith("Dog 2"));
    REQUIRE(named.word == juce::String::fromUTF8("“a dog barks”"));
    REQUIRE(ui::laneText(viewModel, 5, 5.0).word.isEmpty());
    REQUIRE(ui::laneText(viewModel, 1, 5.0).word.isEmpty());
    REQUIRE(ui::wordText(viewModel, 1).title.isEmpty()); // a sound of the model
    const auto whole = ui::wordText(viewModel, 6);
    REQUIRE(whole.title.length() < 60);
    REQUIRE(whole.word.contains(juce::String(text)));
}

TEST_CASE("the settings say what words take, join them to the model's sounds and remove all", "[unit]") {
    Scene scene;
    auto& settings = scene.settings();
    auto* join = test::find<juce::ToggleButton>(settings, "Keep the model's own sounds");
    auto* remove = test::find<juce::TextButton>(settings, "Remove all words");
    REQUIRE(join != nullptr);
    REQUIRE(remove != nullptr);
    REQUIRE(test::find<juce::Component>(settings, price) != nullptr);
    REQUIRE(test::find<juce::Component>(settings, "No words") != nullptr);
    REQUIRE(join->isEnabled());
    REQUIRE(join->getToggleState());
    REQUIRE_FALSE(remove->isEnabled());
    join->setToggleState(false, juce::sendNotificationSync);
    REQUIRE_FALSE(scene.controller.words().now.joins);
    scene.controller.words().setJoin(true); // as a project does
    scene.view.refresh();
    REQUIRE(join->getToggleState());

    scene.listenFor({"a dog barks", "rain on a roof"});
    scene.controller.view().edit([](auto& view) {
        view.classThresholds = {{"a dog barks", 0.3f}, {"Dog", 0.2f}};
    });
    REQUIRE(test::find<juce::Component>(settings, "2 words") != nullptr);
    REQUIRE(remove->isEnabled());
    remove->onClick();
    scene.view.refresh();
    REQUIRE(scene.controller.words().now.words.empty());
    REQUIRE(scene.controller.view().get().classThresholds == std::map<std::string, float>{{"Dog", 0.2f}});
    REQUIRE(test::find<juce::Component>(settings, "No words") != nullptr);
    REQUIRE_FALSE(remove->isEnabled());
}

TEST_CASE("where words are not possible the settings say what they need", "[unit]") {
    Scene scene(false);
    auto& settings = scene.settings();
    REQUIRE(test::find<juce::Component>(settings, noTexts) != nullptr);
    REQUIRE_FALSE(test::find<juce::ToggleButton>(settings, "Keep the model's own sounds")->isEnabled());
    auto* remove = test::find<juce::TextButton>(settings, "Remove all words");
    REQUIRE_FALSE(remove->isEnabled());
    scene.controller.words().now.words = {{1, "a dog barks", "a dog barks"}}; // of a project
    scene.view.refresh();
    REQUIRE(remove->isEnabled());
}

TEST_CASE("a word's note stays its own when other words come and go", "[unit]") {
    Scene scene;
    scene.listenFor({"one", "two"});
    auto& notes = *test::find<ui::NoteTable>(scene.settings(), "Notes of sounds");
    REQUIRE(notes.sounds() == 6);
    REQUIRE(notes.setNote(5, "D2"));
    REQUIRE(notes.setChannel(5, "3"));
    REQUIRE(notes.setNote(1, "C3"));
    const int key = detection::Labels::firstWordKey + 2;
    const std::map<int, formats::MidiNote> wanted = {{key, {50, 3}}}; // a class's note belongs to its name
    REQUIRE(scene.controller.outputs().settings().midi.changed() == wanted);
    REQUIRE(scene.controller.outputs().settings().midi.changedByName().size() == 1);
    scene.controller.words().remove(1);
    scene.embed();
    notes.refresh();
    REQUIRE(notes.sounds() == 5);
    REQUIRE(notes.rowName(4) == "two, note D2, channel 3");
    REQUIRE(notes.setNote(4, "E2"));
    REQUIRE(scene.controller.outputs().settings().midi.changed().at(key) == formats::MidiNote{52, 3});
    scene.listenFor({"three"});
    notes.refresh();
    REQUIRE(notes.rowName(5).endsWith("channel 16")); // a word's default
}

TEST_CASE("the words are copied, but nothing is told while they stay the same", "[unit]") {
    test::FakeController controller({"Dog"});
    test::Ear ear;
    auto& viewModel = controller.viewModel();
    viewModel.update();
    viewModel.addListener(&ear);
    viewModel.update();
    REQUIRE(ear.calls == 0);
    controller.words().now.possible = true;
    viewModel.update();
    REQUIRE(ear.calls == 1);
    REQUIRE(ear.last.words);
    REQUIRE_FALSE(ear.last.labels);
    REQUIRE(controller.words().add("rain").isEmpty());
    controller.embedWords();
    viewModel.update();
    REQUIRE(ear.last.replaced);
    REQUIRE(ear.last.labels);
    REQUIRE(controller.words().rename(1, "Rain").isEmpty());
    controller.embedWords();
    viewModel.update();
    REQUIRE(ear.last.labels);
    REQUIRE_FALSE(ear.last.replaced);
    REQUIRE(viewModel.words().words[0].name == "Rain");
    const int calls = ear.calls;
    viewModel.update();
    REQUIRE(ear.calls == calls);
    viewModel.removeListener(&ear);
}
