// The pure parts of the panels that are too small for a file of their own.
#include "Support/Catch.h"
#include "Ui/Panels/Drops.h"
#include "Ui/Panels/MainLayout.h"
#include "Ui/Panels/NoteTable.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Panels/SidePanel.h"
#include "Ui/Recordings/RecordingsPanel.h"
#include "Ui/SoundFilter.h"

#include "Ui/MainView.h"

#include <set>

using namespace earshot;
using ui::Command;
using ui::Drop;

TEST_CASE("every note can be read back as it is written", "[unit]") {
    for (int note = 0; note < 128; ++note) {
        REQUIRE(ui::parseNote(ui::noteText(note)) == note);
        REQUIRE(ui::parseNote(std::to_string(note)) == note);
    }
    REQUIRE(ui::noteText(36) == "C1");
    REQUIRE(ui::parseNote(" db1 ") == 37);
    REQUIRE(ui::parseNote("Bb1") == 46);
}

TEST_CASE("what is no note or channel is not read as one", "[unit]") {
    for (const char* text : {"", " ", "128", "-1", "H1", "C", "C#", "C9", "C-3", "36x", "C1 1", "#1"})
        REQUIRE_FALSE(ui::parseNote(text));
    for (const char* text : {"", "0", "17", "one", "1.5"}) REQUIRE_FALSE(ui::parseChannel(text));
    REQUIRE(ui::parseChannel(" 16 ") == 16);
}

TEST_CASE("files are told apart by their names", "[unit]") {
    const auto kind = [](const juce::String& name) { return ui::dropOf({"/tmp/" + name}).kind; };
    for (const char* name : {"a.safetensors", "b.ckpt", "c.PTH", "d.pt"})
        REQUIRE(kind(name) == Drop::Kind::model);
    for (const char* name : {"a.wav", "b.FLAC", "c.mp3", "d.aiff", "e.ogg"})
        REQUIRE(kind(name) == Drop::Kind::recording);
    for (const char* name : {"a.txt", "wav", "b.wav.zip", ""}) REQUIRE(kind(name) == Drop::Kind::nothing);
}

TEST_CASE("a drop says in words what it will do", "[unit]") {
    REQUIRE(ui::dropOf({"/a/dog.wav"}).words == "Listen to dog.wav");
    REQUIRE(ui::dropOf({"/a/my.ckpt"}).words == "Use my.ckpt as the model");
    REQUIRE(ui::dropOf({"/a/x.txt"}).words.contains(".safetensors"));
    REQUIRE(ui::dropOf({}).kind == Drop::Kind::nothing);
    REQUIRE(ui::dropOf({"relative.wav"}).kind == Drop::Kind::nothing);
    const auto many = ui::dropOf({"/a/x.txt", "/a/1.wav", "/a/2.wav"});
    REQUIRE(many.file.getFileName() == "1.wav");
    REQUIRE(many.words.contains("one file"));
}

TEST_CASE("where recordings are listed, several and folders can be dropped", "[unit]") {
    REQUIRE(ui::dropOf({"/a/dog.wav"}, true).kind == Drop::Kind::recording);
    REQUIRE(ui::dropOf({"/a/my.ckpt"}, true).kind == Drop::Kind::model);
    const auto several = ui::dropOf({"/a/1.wav", "/a/2.wav", "relative.wav"}, true);
    REQUIRE(several.kind == Drop::Kind::recordings);
    REQUIRE(several.paths == juce::StringArray{"/a/1.wav", "/a/2.wav"});
    REQUIRE(several.words == "List these 2 files or folders");
    const auto folder = ui::dropOf({"/a/dawn.2024"}, true);
    REQUIRE(folder.kind == Drop::Kind::recordings);
    REQUIRE(folder.paths == juce::StringArray{"/a/dawn.2024"});
    REQUIRE(folder.words == "Analyse the recordings in dawn.2024");
    REQUIRE(ui::dropOf({}, true).kind == Drop::Kind::nothing);
    REQUIRE(ui::dropOf({"relative"}, true).kind == Drop::Kind::nothing);
}

TEST_CASE("where sounds are taught, a folder has examples", "[unit]") {
    for (const bool lists : {false, true}) {
        const auto folder = ui::dropOf({"/a/doors"}, lists, true);
        REQUIRE(folder.kind == Drop::Kind::examples);
        REQUIRE(folder.file == juce::File("/a/doors"));
        REQUIRE(folder.words == "Add the examples in doors");
        REQUIRE(ui::dropOf({"/a/dog.wav"}, lists, true).kind == Drop::Kind::recording);
        REQUIRE(ui::dropOf({"/a/my.ckpt"}, lists, true).kind == Drop::Kind::model);
        REQUIRE(ui::dropOf({"relative"}, lists, true).kind == Drop::Kind::nothing);
    }
}

TEST_CASE("a search finds names and groups, all words, in any case", "[unit]") {
    REQUIRE(ui::matchesSearch("Dog", ""));
    REQUIRE(ui::matchesSearch("Dog", "  "));
    REQUIRE(ui::matchesSearch("Dog", "dO"));
    REQUIRE(ui::matchesSearch("Dog", "animal"));
    REQUIRE(ui::matchesSearch("Dog", "animal dog"));
    REQUIRE_FALSE(ui::matchesSearch("Dog", "animal cat"));
    REQUIRE_FALSE(ui::matchesSearch("My own class", "animal"));
}

TEST_CASE("hidden sounds are not listed, and solo lists nothing else", "[unit]") {
    const auto labels =
        detection::Labels::read({{"earshot.labels", R"(["Dog","Cat","Rain"])"}}, "m.safetensors", 3);
    ui::ViewSettings view;
    REQUIRE(ui::shownSounds(labels, view, "") == std::vector<bool>{true, true, true});
    view.hidden = {"Cat"};
    REQUIRE(ui::shownSounds(labels, view, "") == std::vector<bool>{true, false, true});
    view.solo = {"Cat", "Dog"};
    REQUIRE(ui::shownSounds(labels, view, "") == std::vector<bool>{true, true, false}); // as lanes are
    REQUIRE(ui::shownSounds(labels, view, "rain") == std::vector<bool>{false, false, false});
    view.solo = {"A sound of another model"};
    REQUIRE(ui::shownSounds(labels, view, "") == std::vector<bool>{true, false, true});
}

TEST_CASE("every shortcut of the list is a command, and letters with modifiers stay apart", "[unit]") {
    using juce::KeyPress;
    constexpr auto command = juce::ModifierKeys::commandModifier;
    REQUIRE(ui::commandFor(KeyPress(KeyPress::spaceKey)) == Command::playOrFreeze);
    REQUIRE(ui::commandFor(KeyPress('f', juce::ModifierKeys(), 'f')) == Command::follow);
    REQUIRE(ui::commandFor(KeyPress('f', command, 0)) == Command::search);
    REQUIRE(ui::commandFor(KeyPress('o', command, 0)) == Command::openRecording);
    REQUIRE(ui::commandFor(KeyPress('e', command, 0)) == Command::exportEvents);
    REQUIRE(ui::commandFor(KeyPress('t', juce::ModifierKeys(), 't')) == Command::teach);
    REQUIRE(ui::commandFor(KeyPress('l', juce::ModifierKeys(), 'l')) == Command::recordings);
    REQUIRE(ui::commandFor(KeyPress(KeyPress::escapeKey)) == Command::cancel);
    REQUIRE(ui::commandFor(KeyPress(KeyPress::F1Key)) == Command::help);
    REQUIRE(ui::commandFor(KeyPress(',', command, 0)) == Command::settings);
    REQUIRE_FALSE(ui::commandFor(KeyPress('g', juce::ModifierKeys(), 'g')));
    REQUIRE(ui::isMenuKey(KeyPress(KeyPress::F10Key, juce::ModifierKeys::shiftModifier, 0)));
    REQUIRE_FALSE(ui::isMenuKey(KeyPress(KeyPress::F10Key)));
    for (const auto& group : ui::shortcuts(true)) {
        std::set<juce::String> keys;
        for (const auto& shortcut : group.keys) {
            REQUIRE(shortcut.does.isNotEmpty());
            REQUIRE(keys.insert(shortcut.keys).second);
        }
    }
}

TEST_CASE("panels never overlap or leave the window, at any size", "[unit]") {
    const auto width = GENERATE(640, 700, 800, 1000, 1200, 2000, 3840);
    const auto height = GENERATE(360, 420, 480, 560, 720, 1200, 2160);
    for (int flags = 0; flags < 16; ++flags)
        for (const int dragged : {0, 1, 200, 5000}) {
            ui::MainLayout::Wishes wishes;
            wishes.notice = (flags & 1) != 0;
            wishes.recording = (flags & 2) != 0;
            wishes.folded = (flags & 4) != 0;
            wishes.eventsHeight = dragged;
            wishes.panel = (flags & 8) != 0   ? ui::SidePanel::widest
                           : (flags & 4) != 0 ? ui::RecordingsPanel::widest
                                              : 0;
            const juce::Rectangle<int> window(width, height);
            const auto layout = ui::layOut(window, wishes);
            const juce::Rectangle<int> all[] = {layout.topBar,   layout.notice, layout.recording,
                                                layout.timeline, layout.now,    layout.filter,
                                                layout.events};
            for (const auto& a : all) {
                REQUIRE((a.isEmpty() || window.contains(a)));
                for (const auto& b : all) REQUIRE((&a == &b || !a.intersects(b)));
            }
            REQUIRE(layout.timeline.getWidth() >= 500);
            REQUIRE(layout.timeline.getHeight() >= 100);
            REQUIRE(layout.events.getHeight() >= 30);
            for (const auto& side : {layout.side, layout.wideSide}) {
                REQUIRE(window.contains(side));
                REQUIRE_FALSE(side.intersects(layout.topBar));
            }
            const bool wide = wishes.panel == ui::RecordingsPanel::widest;
            const bool covered = layout.events.intersects(wide ? layout.wideSide : layout.side);
            REQUIRE((wishes.panel == 0 || covered == (width < 640 + (wide ? 480 : ui::SidePanel::widest))));
        }
}
