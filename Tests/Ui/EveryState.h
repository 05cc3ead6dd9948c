// The window in every state that people see, for tests that walk through all of them. Message thread.
#pragma once

#include "Core/Streaming/FilePlayer.h"
#include "Support/FakeController.h"
#include "Support/Paths.h"
#include "Ui/MainView.h"
#include "Ui/Panels/EventTable.h"
#include "Ui/Teach/TeachPanel.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::test {

inline constexpr std::array<std::string_view, 19> everyState{"empty",
                                                             "welcome",
                                                             "loading",
                                                             "failed",
                                                             "live",
                                                             "chosen",
                                                             "hidden",
                                                             "recording-running",
                                                             "recording",
                                                             "words",
                                                             "words-missing",
                                                             "settings",
                                                             "help",
                                                             "teach",
                                                             "teach-learning",
                                                             "recordings",
                                                             "recordings-heard",
                                                             "mark",
                                                             "drop"};

class StateScene {
  public:
    StateScene(std::string_view state, ui::ThemeChoice theme, int width, int height)
        : state_(state) {
        controller.view().edit([&](auto& settings) {
            settings.theme = theme;
            settings.pinned = {"Water", "a dog barks"};
        });
        controller.teaching().now.folder = juce::File(sourceDirectory().string());
        prepare();
        view = std::make_unique<ui::MainView>(controller);
        view->setSize(width, height);
        view->refresh();
        use();
        view->refresh();
    }

    // Whether a panel lies over the right part of the view.
    bool hasSidePanel() const {
        return is("settings") || is("help") || is("teach") || is("teach-learning") || is("recordings") ||
               is("recordings-heard");
    }

    template <typename Kind>
    Kind* find(const juce::String& title) {
        return test::find<Kind>(*view, title);
    }

    streaming::FilePlayer player;
    FakeController controller{sounds()};
    std::unique_ptr<ui::MainView> view;

  private:
    static const std::vector<std::string>& sounds() {
        static const std::vector<std::string> names{
            "Water", "Dog",  "Train", "Brass", "Cymbal", "Rooster", "Speech", "Rain",     "Wind",    "Bird",
            "Cat",   "Bell", "Car",   "Siren", "Guitar", "Piano",   "Drum",   "Applause", "Thunder", "Frog"};
        return names;
    }
    bool is(std::string_view state) const { return state_ == state; }

    // What the program around the view has to show.
    void prepare() {
        auto& status = controller.live.statusNow;
        if (is("empty") || is("welcome") || is("loading")) {
            status = {};
            controller.recordings().now.possible = is("welcome");
            if (is("welcome"))
                controller.shell().problem = "No audio device is open: choose one in Settings > Audio";
            if (is("loading")) status.state = streaming::State::loading;
            return;
        }
        if (is("failed")) {
            status.state = streaming::State::failed;
            status.message = "clap-2.ckpt is not a sound event model: load another one";
            return;
        }
        controller.live.addScene(95.0, 3);
        if (is("hidden"))
            controller.view().edit(
                [&](auto& settings) { settings.hidden.insert(sounds().begin(), sounds().end()); });
        if (is("recording-running")) {
            status.progress = 0.42;
            controller.playback().open(juce::File("/home/me/field recordings/harbour at dawn.flac"));
        }
        if (is("recording")) {
            const juce::File demo(demoFile().string());
            player.prepare(48000.0);
            player.open(demo.getFullPathName().toStdString());
            controller.playback().filePlayer = &player;
            status.state = streaming::State::finished;
            status.message = "The file ends early: 3:20 of 4:00 could be read";
            controller.playback().open(demo);
        }
        if (is("recordings") || is("recordings-heard")) listRecordings();
        if (is("words") || is("settings")) {
            auto& words = controller.words().now;
            words.possible = words.joins = true;
            words.price = "Listening for words takes 0.5 GB of memory.";
            for (const char* word : {"a dog barks", "rain on a tin roof in the distance=Roof"})
                controller.words().add(word);
            controller.embedWords();
        }
        if (is("words-missing"))
            controller.words().now.hint =
                "This model names its own sounds only: load a CLAP model that has a text half.";
        if (is("settings")) {
            controller.outputs().problemNow = "Port 9000 cannot be opened: choose another one";
            controller.outputs().asked = "10.0.0.7";
        }
        if (is("teach") || is("teach-learning") || is("mark"))
            controller.teaching().now.sounds = {{"Door", 6, 2, 12.4, 3, true, "It finds about 8 in 10"},
                                                {"Gate", 1, 0, 0.8, 1, false, {}}};
        if (is("teach")) {
            controller.teaching().now.outcome = "Learnt 1 sound from 6 examples";
            controller.teaching().now.canUndo = true;
        }
        if (is("teach-learning")) {
            controller.teaching().now.learning = true;
            controller.teaching().now.progress = 0.42;
            controller.teaching().now.doing = "Analysing the examples";
        }
    }

    // What the user does.
    void use() {
        using juce::KeyPress;
        if (is("settings")) view->keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0));
        if (is("help")) view->keyPressed(KeyPress(KeyPress::F1Key));
        if (is("teach") || is("teach-learning")) view->keyPressed(KeyPress('t', juce::ModifierKeys(), 't'));
        if (is("recordings") || is("recordings-heard"))
            view->keyPressed(KeyPress('l', juce::ModifierKeys(), 'l'));
        if (is("teach")) startRename();
        if (is("words")) type(*find<juce::TextEditor>("Find or type a sound"), "Do");
        if (is("words-missing")) type(*find<juce::TextEditor>("Find a sound"), "a dog barks");
        if (is("drop")) view->fileDragEnter({"/home/me/notes.txt"}, 0, 0);
        auto& table = *find<ui::EventTable>("Events");
        auto* timeline = find<ui::TimelineView>("Timeline"); // null: there is nothing to show
        if (is("chosen")) {
            juce::SparseSet<int> rows;
            rows.addRange({0, 2});
            table.select(rows);
            // The first sound that has an event before the middle of the view.
            for (std::size_t i = 0; i < sounds().size() && timeline->hoverText().isEmpty(); ++i) {
                timeline->keyPressed(KeyPress(KeyPress::downKey));
                timeline->keyPressed(KeyPress(',', juce::ModifierKeys(), ','));
            }
        }
        if (is("mark")) {
            const auto newest = table.rows().rows().back();
            timeline->nameSpan(newest);
            type(*find<juce::TextEditor>("This is"), "a");
        }
    }

    // One that was heard, one that is heard or waits, and one that cannot be heard.
    void listRecordings() {
        using State = ui::ListedRecording::State;
        const bool running = is("recordings");
        const juce::File folder("/home/me/field recordings");
        const auto results = folder.getSiblingFile("field recordings earshot results");
        std::vector<ui::ListedRecording> rows{{1,
                                               folder.getChildFile("dawn.flac"),
                                               "dawn.flac",
                                               3600.0,
                                               State::done,
                                               1.0,
                                               2,
                                               "Water",
                                               {},
                                               results},
                                              {2,
                                               folder.getChildFile("harbour.flac"),
                                               "harbour.flac",
                                               600.0,
                                               running ? State::hearing : State::waiting,
                                               0.4,
                                               0,
                                               {},
                                               {},
                                               results},
                                              {3,
                                               folder.getChildFile("notes.wav"),
                                               "notes.wav",
                                               0.0,
                                               State::failed,
                                               0.0,
                                               0,
                                               {},
                                               "there is no sound in it",
                                               results}};
        ui::ListedEvents found;
        found.sounds = {"Rooster", "Water"};
        found.events = {{1, 0, 61.2, 63.0, 0.91f}, {1, 1, 70.0, 3599.0, 0.64f}};
        auto& list = controller.recordings().now;
        list.possible = true;
        controller.recordings().list(std::move(rows), std::move(found));
        list.hearing = running;
        list.progress = running ? 0.4 : 0.0;
        if (running) list.doing = "field recordings: 2 of 3 recordings";
        list.canAgain = !running;
    }

    void startRename() {
        const auto menu = find<ui::SoundSection>("Door")->menu();
        for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
            if (item.getItem().text == "Rename...") item.getItem().action();
    }

    static void type(juce::TextEditor& editor, const juce::String& text) {
        editor.setText(text, false);
        editor.onTextChange();
    }

    std::string state_;
};

} // namespace earshot::test
