// The whole window, drawn off screen at the sizes, scales and in the states people see. With
// EARSHOT_PICTURES=folder the pictures are kept, to be looked at.
#include "Support/Pictures.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/MainView.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LaneMenu.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <set>

using namespace earshot;

namespace {

std::vector<std::string> sounds() {
    return {"Water", "Dog",  "Train", "Brass", "Cymbal", "Rooster", "Speech", "Rain",     "Wind",    "Bird",
            "Cat",   "Bell", "Car",   "Siren", "Guitar", "Piano",   "Drum",   "Applause", "Thunder", "Frog"};
}

juce::Image picture(juce::Component& view, float scale, const juce::String& name) {
    auto image = test::snapshot(view, scale);
    test::writePicture(image, name);
    return image;
}

int coloursOf(const juce::Image& image) {
    std::set<juce::uint32> colours;
    for (int y = 0; y < image.getHeight(); y += 3)
        for (int x = 0; x < image.getWidth(); x += 3) colours.insert(image.getPixelAt(x, y).getARGB());
    return static_cast<int>(colours.size());
}

} // namespace

TEST_CASE("the window is drawn at every size, scale and theme", "[unit]") {
    const auto [width, height] =
        GENERATE(std::pair(640, 360), std::pair(900, 560), std::pair(1200, 720), std::pair(2000, 1200));
    const float scale = GENERATE(1.0f, 2.0f);
    const auto theme = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    test::FakeController controller(sounds());
    controller.live.addScene(95.0);
    controller.view().edit([&](auto& view) {
        view.theme = theme;
        view.pinned.insert("Water");
    });
    ui::MainView view(controller);
    view.setSize(width, height);
    view.refresh();
    const auto image =
        picture(view, scale,
                juce::String(width) + "x" + juce::String(height) + "@" + juce::String(scale, 0) +
                    (theme == ui::ThemeChoice::dark ? "-dark" : "-light"));
    REQUIRE(image.getWidth() == static_cast<int>(static_cast<float>(width) * scale));
    REQUIRE(coloursOf(image) > 30);
    const auto& palette = ui::Theme::palette(theme);
    REQUIRE(image.getPixelAt(2, image.getHeight() - 2) == palette.background);
}

TEST_CASE("the window is drawn in every state", "[unit]") {
    const auto theme = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    const int state = GENERATE(range(0, 9));
    test::FakeController controller(sounds());
    controller.view().edit([&](auto& view) { view.theme = theme; });
    auto& status = controller.live.statusNow;
    juce::String name;
    bool settings = false, drop = false;
    int height = 720;
    switch (state) {
    case 0:
        name = "empty";
        status = {};
        break;
    case 1:
        name = "loading";
        status = {};
        status.state = streaming::State::loading;
        break;
    case 2:
        name = "failed";
        status.state = streaming::State::failed;
        status.message = "clap-2.ckpt is not a sound event model: load another one, or choose Default model";
        break;
    case 3:
        name = "overloaded";
        controller.live.addScene(40.0, 3);
        status.state = streaming::State::overloaded;
        status.load = 0.98;
        status.hop = 1.28;
        break;
    case 4:
        name = "recording-running";
        controller.live.addScene(200.0, 5);
        status.progress = 0.42;
        controller.playback().open(juce::File("/home/me/field recordings/harbour at dawn.flac"));
        break;
    case 5:
        name = "recording-finished";
        controller.live.addScene(200.0, 5);
        status.state = streaming::State::finished;
        status.message = "The file ends early: 3:20 of 4:00 could be read";
        controller.playback().open(juce::File("/home/me/field recordings/harbour at dawn.flac"));
        break;
    case 6:
        name = "settings";
        controller.live.addScene(40.0, 6);
        settings = true;
        break;
    case 7:
        name = "settings-whole";
        controller.live.addScene(40.0, 6);
        controller.outputs().problemNow = "Port 9000 cannot be opened: choose another one";
        settings = true;
        height = 1500;
        break;
    default:
        name = "drop";
        controller.live.addScene(40.0, 7);
        drop = true;
        break;
    }
    ui::MainView view(controller);
    view.setSize(1200, height);
    if (settings) view.keyPressed(juce::KeyPress(',', juce::ModifierKeys::commandModifier, 0));
    if (drop) view.fileDragEnter({"/home/me/harbour at dawn.flac"}, 0, 0);
    view.refresh();
    const auto image = picture(view, 1.0f, name + (theme == ui::ThemeChoice::dark ? "-dark" : "-light"));
    REQUIRE(coloursOf(image) > 10);
}

TEST_CASE("the window is drawn with words, while they are typed and where they are not possible", "[unit]") {
    const auto theme = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    const auto [width, height] = GENERATE(std::pair(640, 360), std::pair(1200, 720));
    const int state = GENERATE(range(0, 8));
    test::FakeController controller(sounds());
    auto& words = controller.words().now;
    words.possible = words.joins = true;
    words.price = "Listening for words takes 0.5 GB of memory, and 12 s once to read the text half.";
    juce::String name, typed;
    bool settings = false, points = false;
    const auto listenFor = [&](std::initializer_list<juce::String> texts) {
        for (const auto& text : texts) REQUIRE(controller.words().add(text).isEmpty());
        controller.embedWords();
    };
    const auto someWords = [&] {
        listenFor({"a dog barks", "rain on a tin roof in the distance=Roof",
                   juce::String::fromUTF8("雨が屋根に降る音"), juce::String::fromUTF8("لعبة نباح كلب"),
                   juce::String::fromUTF8("a cat 🐈 purrs and 🔔 rings"),
                   juce::String::repeatedString("a word that does not end ", 8).trim()});
    };
    switch (state) {
    case 0:
        name = "typed-found";
        typed = "Do";
        break;
    case 1:
        name = "typed-nothing-found";
        typed = "a dog barks in the distance";
        break;
    case 2:
        name = "lanes";
        someWords();
        points = true;
        break;
    case 3:
        name = "typed-long";
        someWords();
        typed = juce::String::repeatedString("a word that does not end ", 8).trim();
        typed += " at all";
        break;
    case 4:
        name = "not-possible";
        words = {};
        words.hint =
            "This model names its own sounds only. To listen for words, load a CLAP model that has a "
            "text half, such as CLAP_weights_2023.pth.";
        typed = "a dog barks";
        break;
    case 5:
        name = "embedding";
        REQUIRE(controller.words().add("a dog barks").isEmpty());
        words.busy = true;
        break;
    case 6:
        name = "settings";
        someWords();
        settings = true;
        break;
    default:
        name = "settings-not-possible";
        words = {};
        words.hint =
            "This model names its own sounds only. To listen for words, load a CLAP model that has a "
            "text half, such as CLAP_weights_2023.pth.";
        settings = true;
        break;
    }
    controller.live.addScene(60.0, 9);
    controller.view().edit([&](auto& view) {
        view.theme = theme;
        view.pinned = {"Water", "a dog barks"};
    });
    ui::MainView view(controller);
    view.setSize(width, settings ? 1500 : height);
    view.refresh();
    if (settings) view.keyPressed(juce::KeyPress(',', juce::ModifierKeys::commandModifier, 0));
    test::walk(view, [&](juce::Component& component) {
        if (auto* search = dynamic_cast<juce::TextEditor*>(&component);
            search != nullptr && search->getTitle().contains("a sound") && typed.isNotEmpty()) {
            search->setText(typed, false);
            search->onTextChange();
        }
        if (auto* timeline = dynamic_cast<ui::TimelineView*>(&component); timeline != nullptr && points) {
            const auto now = juce::Time::getCurrentTime();
            const auto& lanes = *test::find<ui::LanesView>(*timeline, "Sounds");
            const auto last = lanes.laneBounds(lanes.lanes()[height > 400 ? 5 : 1]) + lanes.getPosition();
            const auto at = last.getCentre().toFloat().withX(height > 400 ? 400.0f : 60.0f);
            timeline->mouseMove({juce::Desktop::getInstance().getMainMouseSource(),
                                 at,
                                 {},
                                 0.0f,
                                 0.0f,
                                 0.0f,
                                 0.0f,
                                 0.0f,
                                 timeline,
                                 timeline,
                                 now,
                                 at,
                                 now,
                                 1,
                                 false});
        }
    });
    view.refresh();
    const auto image = picture(view, 2.0f,
                               "words-" + name + "-" + juce::String(width) +
                                   (theme == ui::ThemeChoice::dark ? "-dark" : "-light"));
    REQUIRE(coloursOf(image) > 10);
}

TEST_CASE("the box to rename a word is drawn with a refusal", "[unit]") {
    const auto theme = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    ui::Theme look(theme);
    test::FakeController controller(sounds());
    controller.words().now.possible = true;
    REQUIRE(controller.words().add(juce::String::repeatedString("a word that does not end ", 8)).isEmpty());
    ui::RenamePanel panel(controller, controller.words().now.words[0]);
    panel.setLookAndFeel(&look);
    panel.field.setText("Dog", false);
    panel.field.keyPressed(juce::KeyPress(juce::KeyPress::returnKey));
    REQUIRE(panel.refusal.text().isNotEmpty());
    panel.resized();
    const auto image = picture(
        panel, 2.0f, juce::String("words-rename-") + (theme == ui::ThemeChoice::dark ? "dark" : "light"));
    REQUIRE(coloursOf(image) > 5);
    panel.setLookAndFeel(nullptr);
}
