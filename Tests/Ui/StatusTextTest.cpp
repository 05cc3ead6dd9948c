#include "Ui/Panels/StatusText.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Pictures.h"
#include "Ui/MainView.h"
#include "Ui/Panels/InputLevel.h"
#include "Ui/Theme.h"
#include "ViewWalk.h"

#include <limits>

using namespace earshot;
using streaming::State;
using streaming::Status;
using ui::Tone;

namespace {

Status running() {
    Status status;
    status.state = State::running;
    status.model = "earshot-default";
    status.classes = 50;
    status.load = 0.042;
    status.delayMedian = 0.41;
    status.hop = status.hopWanted = 0.32;
    return status;
}

} // namespace

TEST_CASE("a running stream tells its load and how far it is behind", "[unit]") {
    const auto text = ui::statusText(running());
    REQUIRE(text.text == "Running · 4 % CPU · 0.4 s behind the sound");
    REQUIRE(text.tone == Tone::fine);
    REQUIRE_THAT(text.detail, ContainsSubstring("every 0.32 s"));
}

TEST_CASE("what numbers it computes with is said where it is known", "[unit]") {
    auto status = running();
    REQUIRE_THAT(ui::statusText(status).detail, !ContainsSubstring("computing"));
    status.precision = "bfloat16";
    REQUIRE_THAT(ui::statusText(status).detail, ContainsSubstring("every 0.32 s, computing in bfloat16."));
}

TEST_CASE("a delay that is not known is left out", "[unit]") {
    auto status = running();
    status.delayMedian = GENERATE(0.0, std::numeric_limits<double>::quiet_NaN());
    REQUIRE(ui::statusText(status).text == "Running · 4 % CPU");
}

TEST_CASE("an overloaded stream says what it does about it and what to do", "[unit]") {
    auto status = running();
    status.state = State::overloaded;
    status.load = 0.97;
    status.hop = 1.28;
    status.droppedChunks = 3;
    const auto text = ui::statusText(status);
    REQUIRE(text.tone == Tone::busy);
    REQUIRE_THAT(text.text, ContainsSubstring("97 % CPU"));
    REQUIRE_THAT(text.detail, ContainsSubstring("every 1.28 s instead of every 0.32 s"));
    REQUIRE_THAT(text.detail, ContainsSubstring("lost"));
    REQUIRE_THAT(text.detail, ContainsSubstring("longer hop"));
}

TEST_CASE("a recording tells how much of it was heard", "[unit]") {
    auto status = running();
    status.progress = 0.425;
    REQUIRE(ui::statusText(status).text == "Analysing the recording · 42 %");
}

TEST_CASE("a recording that was heard tells its length as people say it", "[unit]") {
    auto status = running();
    status.state = State::finished;
    status.heard = 12.34;
    REQUIRE(ui::statusText(status).text == "Finished · 12.3 s analysed");
    status.heard = 200.0;
    REQUIRE(ui::statusText(status).text == "Finished · 3 min 20 s analysed");
    status.heard = 7265.0;
    REQUIRE(ui::statusText(status).text == "Finished · 2 h 01 min analysed");
}

TEST_CASE("a recording that ended early is incomplete, and the reason is told", "[unit]") {
    auto status = running();
    status.state = State::finished;
    status.heard = 22.6;
    status.incomplete = true;
    status.message = "breaks off at 22.61 s";
    const auto text = ui::statusText(status);
    REQUIRE(text.tone == ui::Tone::busy);
    REQUIRE(text.text == "Incomplete · 22.6 s analysed");
    REQUIRE(text.detail == "breaks off at 22.61 s");
}

TEST_CASE("a message about a file is told without its path where the file is named", "[unit]") {
    REQUIRE(ui::withoutPath("/a/b c/d.wav: is empty: record it again", "d.wav") ==
            "is empty: record it again");
    REQUIRE(ui::withoutPath("d.wav: is empty", "d.wav") == "is empty");
    REQUIRE(ui::withoutPath("bad.wav: is empty", "d.wav") == "bad.wav: is empty");
    REQUIRE(ui::withoutPath("x.ckpt: is empty", "") == "x.ckpt: is empty");
    REQUIRE(ui::withoutPath("Stopped after 3 s", "d.wav") == "Stopped after 3 s");
}

TEST_CASE("every state has words for much and for little room", "[unit]") {
    auto status = running();
    status.state = GENERATE(State::stopped, State::loading, State::running, State::overloaded, State::failed,
                            State::finished);
    const auto text = ui::statusText(status);
    REQUIRE_FALSE(text.text.empty());
    REQUIRE_FALSE(text.detail.empty());
    REQUIRE_FALSE(text.brief.empty());
    REQUIRE(text.brief.size() < text.text.size());
}

TEST_CASE("a message is what the tooltip says", "[unit]") {
    auto status = running();
    status.state = State::failed;
    status.message = "model.ckpt is not a model of this kind: choose another";
    const auto text = ui::statusText(status);
    REQUIRE(text.tone == Tone::trouble);
    REQUIRE(text.detail == status.message);
}

TEST_CASE("the model's name comes with the number of its sounds", "[unit]") {
    auto status = running();
    REQUIRE(ui::modelText(status) == "earshot-default · 50 sounds");
    status.classes = 1;
    REQUIRE(ui::modelText(status) == "earshot-default · 1 sound");
    status.model.clear();
    REQUIRE(ui::modelText(status) == "No model");
    status.state = State::loading;
    REQUIRE(ui::modelText(status) == "Loading…");
}

TEST_CASE("how far back the history reaches is said once something is gone", "[unit]") {
    auto status = running();
    status.heard = 30'000.0;
    status.kept = {.limit = 128 << 20,
                   .columns = {.bytes = 60 << 20, .since = 0.0},
                   .spectrogram = {.bytes = 20 << 20, .since = 0.0},
                   .vectors = {},
                   .audio = {}};
    REQUIRE_THAT(ui::statusText(status).detail, !ContainsSubstring("drawn; events"));
    REQUIRE(ui::keptText(status.kept) == "Cells take 60 MB; the spectrogram 20 MB.");
    status.kept.columns.since = 4'320.0;
    REQUIRE_THAT(ui::statusText(status).detail,
                 ContainsSubstring("The last 7 h 08 min can be drawn; events stay."));
    REQUIRE(ui::keptText(status.kept) ==
            "Cells take 60 MB, without the first 1 h 12 min; the spectrogram 20 MB.");
    status.kept.vectors = {.bytes = 30 << 20, .since = 0.0};
    REQUIRE_THAT(ui::keptText(status.kept), ContainsSubstring("what words are compared with 30 MB."));
}

TEST_CASE("a bounce that ended early says what is missing", "[unit]") {
    Status status = running();
    status.state = State::finished;
    status.incomplete = true;
    status.heard = 40.0;
    status.notAnalysed = 12.34;
    const auto text = ui::statusText(status);
    REQUIRE(text.tone == Tone::busy);
    REQUIRE(text.detail == "It ended early. The last 12.3 s were not analysed.");
    status.notAnalysed = 0.0;
    status.skippedWindows = 3;
    REQUIRE(ui::statusText(status).detail == "It ended early. Some stretches were skipped.");
}

TEST_CASE("while the input is silent the status says so, unless there is something to know", "[unit]") {
    streaming::Status status;
    status.state = streaming::State::running;
    status.hop = 0.32;
    const auto silent = ui::silenceText(status);
    REQUIRE(silent.text == "Silence");
    REQUIRE(silent.brief == "Silence");
    REQUIRE(silent.tone == ui::Tone::idle);
    REQUIRE(silent.detail == "The input is silent. " + ui::statusText(status).detail);
    status.progress = 0.5; // a recording is analysed
    REQUIRE(ui::silenceText(status).text == ui::statusText(status).text);
    status.progress.reset();
    status.state = streaming::State::failed;
    REQUIRE(ui::silenceText(status).text == ui::statusText(status).text);
}

TEST_CASE("the level is that of the newest audio, and silence is what stays quiet for as long", "[unit]") {
    streaming::SpectrogramHistory history;
    REQUIRE(ui::newestDecibels(history, 0.3) == streaming::SpectrogramHistory::minDecibels);
    REQUIRE_FALSE(ui::isSilent(history, 3.0));
    history.reset(2, 0.01, 50.0, 14000.0);
    const auto add = [&](double seconds, float decibels) {
        for (int i = 0; i < static_cast<int>(seconds * 100.0); ++i)
            history.append(std::vector<float>{-80.0f, decibels});
    };
    add(2.0, -79.0f);
    REQUIRE_FALSE(ui::isSilent(history, 3.0)); // not for long enough yet
    add(1.0, -79.0f);
    REQUIRE(ui::isSilent(history, 3.0));
    add(0.1, 10.0f);
    REQUIRE(ui::newestDecibels(history, 0.3) == Approx(10.0).margin(0.5));
    REQUIRE_FALSE(ui::isSilent(history, 3.0));
    add(1.0, -79.0f);
    REQUIRE(ui::newestDecibels(history, 0.3) == Approx(-79.0).margin(0.5));
    REQUIRE_FALSE(ui::isSilent(history, 3.0));
    add(2.1, -79.0f);
    REQUIRE(ui::isSilent(history, 3.0));
}

TEST_CASE("the level stands in the top bar for live audio alone", "[unit]") {
    test::FakeController controller({"Dog"});
    controller.live.addScene(20.0);
    ui::MainView view(controller);
    view.setSize(1200, 720);
    view.refresh();
    auto* level = test::find<ui::InputLevel>(view, "Input level");
    REQUIRE(level != nullptr);
    const auto picture = test::snapshot(*level);
    const auto& palette = ui::Theme::palette(ui::ThemeChoice::dark);
    REQUIRE(picture.getPixelAt(3, 3) == palette.fine);
    REQUIRE(picture.getPixelAt(ui::InputLevel::width - 4, 3) == palette.raised);
    controller.playback().open(juce::File("/tmp/a.wav"));
    view.refresh();
    REQUIRE(test::find<ui::InputLevel>(view, "Input level") == nullptr);
    controller.playback().close();
    view.refresh();
    REQUIRE(test::find<ui::InputLevel>(view, "Input level") != nullptr);
    view.setSize(640, 360); // there is no room
    REQUIRE(test::find<ui::InputLevel>(view, "Input level") == nullptr);
}
