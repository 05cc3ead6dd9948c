#include "Core/Detection/Windows/Analyzer.h"

#include "Core/Detection/FakeModels.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

using namespace earshot;
using namespace earshot::detection;
using namespace earshot::fake;

TEST_CASE("A window that equals the one before costs no pass and says the same", "[unit][threads]") {
    auto clip = test::testSignal(60 * 32000);
    std::fill(clip.begin() + 15 * 32000, clip.begin() + 45 * 32000, 0.0f);
    // The same by hand, every window through the model.
    const auto frames = frontend::logMelSpectrogram({}, clip);
    const auto known = static_cast<std::int64_t>(frames.size() / 64);
    WindowSchedule schedule({}, Mode::crop, 1, false);
    Timeline expected(2, 0.32);
    ContextModel model;
    std::vector<float> image(1024 * 64), tokens(32 * 2), columns(32 * 2), weights(32);
    int windows = 0;
    const auto hear = [&](const Window& window) {
        tile(window, std::span(frames).subspan(static_cast<std::size_t>(window.firstFrame) * 64, 1024 * 64),
             64, image);
        model.run(image, tokens);
        foldTokens(window, {}, tokens, columns);
        weighColumns(window, {}, 0.32, weights);
        expected.add(window.firstFrame / 32, columns, weights);
        ++windows;
    };
    while (const auto window = schedule.next(known)) hear(*window);

    for (const int threads : {1, 3}) {
        const auto passes = std::make_shared<std::atomic<int>>(0);
        Analyzer subject(std::make_unique<CountedModel<ContextModel>>(passes), {},
                         {.mode = Mode::crop, .hopTokens = 1, .threads = threads});
        std::vector<float> observed;
        const auto observe = [&] {
            const auto logMel = subject.takeFrames();
            observed.insert(observed.end(), logMel.begin(), logMel.end());
        };
        for (std::size_t i = 0; i < clip.size(); i += 1000) {
            if (i > 0) observe(); // those of the last push are taken with those of finish()
            subject.push(std::span(clip).subspan(i, 1000));
        }
        subject.finish();
        observe();
        // 30 s of silence hold the window of 10.24 s at 61 or 62 places, of which one costs a pass.
        REQUIRE(*passes == subject.passes());
        REQUIRE(*passes <= windows - 59);
        REQUIRE(*passes >= windows - 62);
        const auto heard = columnsOf(expected, 0, expected.columns());
        const auto told = allColumns(subject);
        // The last window is aligned to the end and reaches over the last 32 columns again.
        REQUIRE(std::equal(told.begin(), told.end() - 2 * 33, heard.begin()));
        REQUIRE(observed == frames); // each computed once, whichever windows it is in
    }
}

TEST_CASE("Silence costs one pass, whatever the mode", "[unit]") {
    for (const Mode mode : modes) {
        auto subject = analyzer<ContextModel>({.mode = mode, .hopTokens = 1, .provisional = true});
        subject.push(std::vector<float>(40 * 32000));
        REQUIRE(subject.passes() == 1);
        subject.reset();
        subject.push(test::testSignal(12 * 32000));
        const auto before = subject.passes();
        subject.push(std::vector<float>(40 * 32000));
        const auto between = subject.passes() - before;
        subject.push(std::vector<float>(40 * 32000));
        REQUIRE(subject.passes() - before == between); // once the sound has left the window
    }
}
