// Presets as people apply, change, save, rename and delete them.
#include "Ui/PresetChoice.h"

#include "Core/Base/Error.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/MainView.h"
#include "Ui/Panels/FilterBar.h"
#include "Ui/Panels/NamePanel.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/PresetButton.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/SoundFilter.h"
#include "ViewWalk.h"

using namespace earshot;
using Names = std::set<std::string>;

namespace {

struct Scene {
    explicit Scene(std::vector<std::string> labels = {"Owl", "Speech", "Snare drum", "Rain"})
        : controller(std::move(labels))
        , view(controller) {
        controller.live.addScene(30.0);
        view.setSize(1200, 720);
        refresh();
    }

    void refresh() {
        controller.view().dispatchPendingMessages();
        view.refresh();
    }
    ui::PresetButton& button() {
        auto* bar = test::find<ui::FilterBar>(view, "Find and filter");
        REQUIRE(bar != nullptr);
        ui::PresetButton* found = nullptr;
        test::walk(*bar, [&](auto& part) {
            if (auto* preset = dynamic_cast<ui::PresetButton*>(&part)) found = preset;
        });
        REQUIRE(found != nullptr);
        return *found;
    }
    juce::PopupMenu::Item item(const juce::String& text) {
        const auto menu = button().menu();
        for (juce::PopupMenu::MenuItemIterator items(menu); items.next();)
            if (items.getItem().text == text) return items.getItem();
        return {};
    }
    juce::StringArray items() {
        const auto menu = button().menu();
        juce::StringArray all;
        for (juce::PopupMenu::MenuItemIterator items(menu); items.next();) all.add(items.getItem().text);
        return all;
    }
    void choose(const juce::String& text) {
        const auto chosen = item(text);
        INFO(text);
        REQUIRE(chosen.action != nullptr);
        REQUIRE(chosen.isEnabled);
        chosen.action();
        refresh();
    }
    void name(const juce::String& text, const juce::String& entry, const juce::String& title) {
        choose(entry);
        auto* panel = panelNamed(title);
        REQUIRE(panel != nullptr);
        panel->field.setText(text, false);
        REQUIRE(panel->field.keyPressed(juce::KeyPress(juce::KeyPress::returnKey)));
        refusal = panel->refusal.text();
        for (int i = 0; i < 5 && refusal.isNotEmpty(); ++i) closeBoxes();
        refresh();
    }
    void closeBoxes() {
        test::walk(view, [](auto& part) {
            if (auto* box = dynamic_cast<juce::CallOutBox*>(&part)) box->dismiss();
        });
    }
    ui::NamePanel* panelNamed(const juce::String& title) {
        ui::NamePanel* found = nullptr;
        test::walk(view, [&](auto& part) {
            if (auto* panel = dynamic_cast<ui::NamePanel*>(&part); panel && panel->field.getTitle() == title)
                found = panel;
        });
        return found;
    }
    Names shown() {
        Names names;
        const auto& labels = *controller.viewModel().history().labels;
        const auto shows = ui::shownSounds(labels, controller.view().get(), {});
        for (std::size_t i = 0; i < shows.size(); ++i)
            if (shows[i]) names.insert(labels.names()[i]);
        return names;
    }
    ui::PresetRules rules() { return ui::presetRules(controller.parameters()); }
    juce::String notice() {
        juce::String text;
        test::walk(view, [&](auto& part) {
            if (auto* bar = dynamic_cast<ui::NoticeBar*>(&part)) text = bar->text();
        });
        return text;
    }

    test::FakeController controller;
    ui::MainView view;
    juce::String refusal;
};

const juce::String saveAs = "Save as a preset...", newName = "Name for the preset";

juce::String quoted(const char* before, const char* name, const char* after = "") {
    return before + juce::String::fromUTF8("“") + name + juce::String::fromUTF8("”") + after;
}

} // namespace

TEST_CASE("a preset sets rules and sounds, says what was changed, and is undone in one step", "[unit]") {
    Scene scene;
    CHECK(scene.button().getTitle() == "Preset: Everything");
    CHECK(scene.item("Everything").isTicked);
    scene.choose("Dialogue");
    CHECK(scene.shown() == Names{"Speech"});
    CHECK(scene.rules().minDuration == Approx(0.3f).margin(1e-4));
    CHECK(scene.rules().mergeGap == Approx(0.8f).margin(1e-4));
    CHECK(scene.button().getTitle() == "Preset: Dialogue");
    CHECK(scene.item("Dialogue").isTicked);
    CHECK_FALSE(scene.item("Everything").isTicked);

    ui::setPresetRules(scene.controller.parameters(), {1.0f, 0.3f, 0.8f});
    scene.refresh();
    CHECK(scene.button().getTitle() == "Preset: Dialogue (changed)");
    ui::setPresetRules(scene.controller.parameters(), {0.0f, 0.3f, 0.8f});
    CHECK(scene.button().getTitle() == "Preset: Dialogue");
    scene.controller.view().edit([](auto& view) { view.solo.insert("Rain"); });
    scene.refresh();
    CHECK(scene.button().getTitle() == "Preset: Dialogue (changed)");

    scene.choose("Field birds");
    CHECK(scene.shown() == Names{"Owl"});
    REQUIRE(scene.view.keyPressed(juce::KeyPress('z', juce::ModifierKeys::commandModifier, 0)));
    scene.refresh();
    CHECK(scene.notice() == "Undone: preset");
    CHECK(scene.button().getTitle() == "Preset: Dialogue (changed)");
    CHECK(scene.shown() == Names{"Rain", "Speech"});
    scene.choose("Everything");
    CHECK(scene.shown().size() == 4);
    CHECK(scene.rules() == ui::PresetRules{});
}

TEST_CASE("a preset shows all sounds of a model that has none of its own, and says so", "[unit]") {
    Scene scene({"Turdus merula", "My kettle"});
    scene.choose("Drums");
    CHECK(scene.shown().size() == 2);
    CHECK(scene.notice() == "This model has no sounds of the preset Drums: all its sounds are shown");
    CHECK(scene.button().getTitle() == "Preset: Drums");
    scene.choose("Everything");
    CHECK(scene.notice().isEmpty());
}

// Under AddressSanitizer JUCE's assertions are on, and one is that a box which takes the keyboard is on a
// screen.
TEST_CASE("presets of one's own are saved, changed, renamed and deleted", "[unit][no-asan]") {
    Scene scene;
    CHECK_FALSE(scene.items().contains(quoted("Delete ", "Everything")));
    ui::setPresetRules(scene.controller.parameters(), {2.0f, 0.5f, 0.0f});
    scene.controller.view().edit([](auto& view) { view.hidden = {"Rain"}; });
    scene.name("  ", saveAs, newName);
    CHECK(scene.refusal == "Type a name for the preset");
    scene.name("Drums", saveAs, newName);
    CHECK(scene.refusal == "There is a preset of this name already: choose another");
    scene.name(juce::String::repeatedString("a", 65), saveAs, newName);
    CHECK(scene.refusal == "Type a shorter name: it may have 64 characters");
    CHECK(scene.controller.presets().now.empty());
    scene.name(" Night walk ", saveAs, newName);
    CHECK(scene.refusal.isEmpty());
    REQUIRE(scene.controller.presets().now.size() == 1);
    CHECK(scene.controller.presets().now[0].name == "Night walk");
    CHECK(scene.controller.presets().now[0].hidden == Names{"Rain"});
    CHECK(scene.button().getTitle() == "Preset: Night walk");
    CHECK_FALSE(scene.item(quoted("Save changes to ", "Night walk")).isEnabled);
    scene.name("Night walk", saveAs, newName);
    CHECK(scene.refusal == "There is a preset of this name already: choose another");

    scene.choose("Everything");
    scene.choose("Night walk");
    CHECK(scene.rules().sensitivity == Approx(2.0f));
    CHECK(scene.shown() == Names{"Owl", "Snare drum", "Speech"});
    ui::setPresetRules(scene.controller.parameters(), {-1.0f, 0.5f, 0.0f});
    CHECK(scene.button().getTitle() == "Preset: Night walk (changed)");
    scene.controller.presets().refusal = "The presets could not be saved: the disk is full";
    scene.choose(quoted("Save changes to ", "Night walk"));
    CHECK(scene.button().getTitle() == "Preset: Night walk (changed)");
    CHECK(scene.controller.presets().now[0].rules.sensitivity == Approx(2.0f));
    scene.controller.presets().refusal = {};
    scene.choose(quoted("Save changes to ", "Night walk"));
    CHECK(scene.controller.presets().now[0].rules.sensitivity == Approx(-1.0f));
    CHECK(scene.button().getTitle() == "Preset: Night walk");

    scene.name("Dawn", quoted("Rename ", "Night walk", "..."), quoted("Name for ", "Night walk"));
    CHECK(scene.controller.presets().now[0].name == "Dawn");
    CHECK(scene.button().getTitle() == "Preset: Dawn");
    scene.choose(quoted("Delete ", "Dawn"));
    CHECK(scene.controller.presets().now.empty());
    CHECK(scene.button().getTitle() == "Preset: None");
    CHECK(scene.rules().sensitivity == Approx(-1.0f)); // what it had set stays
}

TEST_CASE("the settings offer the same presets as the bar", "[unit]") {
    Scene scene;
    REQUIRE(scene.view.keyPressed(juce::KeyPress(',', juce::ModifierKeys::commandModifier, 0)));
    auto* settings = test::find<ui::SettingsPanel>(scene.view, "Settings");
    REQUIRE(settings != nullptr);
    scene.choose("Drums");
    CHECK(test::find<ui::PresetButton>(*settings, "Preset: Drums") != nullptr);
    ui::setPresetRules(scene.controller.parameters(), {3.0f, 0.0f, 0.0f});
    CHECK(test::find<ui::PresetButton>(*settings, "Preset: Drums (changed)") != nullptr);
}
