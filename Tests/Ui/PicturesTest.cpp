// The whole window, drawn off screen at the sizes, scales and in the states people see. With
// EARSHOT_PICTURES=folder the pictures are kept, to be looked at.
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/MainView.h"
#include "Ui/Theme.h"

#include <cstdlib>
#include <set>

using namespace earshot;

namespace {

std::vector<std::string> sounds() {
    return {"Water", "Dog",  "Train", "Brass", "Cymbal", "Rooster", "Speech", "Rain",     "Wind",    "Bird",
            "Cat",   "Bell", "Car",   "Siren", "Guitar", "Piano",   "Drum",   "Applause", "Thunder", "Frog"};
}

juce::Image picture(ui::MainView& view, float scale, const juce::String& name) {
    auto image = view.createComponentSnapshot(view.getLocalBounds(), true, scale);
    if (const char* folder = std::getenv("EARSHOT_PICTURES")) {
        const auto file = juce::File(juce::String(folder)).getChildFile(name + ".png");
        file.getParentDirectory().createDirectory();
        file.deleteFile();
        juce::FileOutputStream stream(file);
        juce::PNGImageFormat().writeImageToStream(image, stream);
    }
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
        controller.openRecording(juce::File("/home/me/field recordings/harbour at dawn.flac"));
        break;
    case 5:
        name = "recording-finished";
        controller.live.addScene(200.0, 5);
        status.state = streaming::State::finished;
        status.message = "The file ends early: 3:20 of 4:00 could be read";
        controller.openRecording(juce::File("/home/me/field recordings/harbour at dawn.flac"));
        break;
    case 6:
        name = "settings";
        controller.live.addScene(40.0, 6);
        settings = true;
        break;
    case 7:
        name = "settings-whole";
        controller.live.addScene(40.0, 6);
        controller.problem = "Port 9000 cannot be opened: choose another one";
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
    if (settings) view.keyPressed(juce::KeyPress(juce::KeyPress::F1Key));
    if (drop) view.fileDragEnter({"/home/me/harbour at dawn.flac"}, 0, 0);
    view.refresh();
    const auto image = picture(view, 1.0f, name + (theme == ui::ThemeChoice::dark ? "-dark" : "-light"));
    REQUIRE(coloursOf(image) > 10);
}
