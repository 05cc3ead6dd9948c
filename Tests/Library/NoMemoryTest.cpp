#include "Library/Client.h"

#include "Cli/NamedModel.h"
#include "Support/FailingNew.h"
#include "Support/Skip.h"

#include <functional>

using namespace earshot;

namespace {

// Lets single allocations of the call fail, the first ones and then ever fewer, until it succeeds without
// one. Returns how many times it failed for lack of memory.
int failEach(const std::function<earshot_status()>& call) {
    int failures = 0;
    for (int nth = 1;; nth += 1 + nth / 20) {
        auto status = EARSHOT_OK;
        bool failed = false;
        {
            const test::FailingNew failing(nth);
            status = call();
            failed = failing.failed();
        }
        if (!failed) {
            CHECK(status == EARSHOT_OK);
            return failures;
        }
        // What can do without some memory does.
        if (status == EARSHOT_OK) continue;
        CAPTURE(nth);
        CHECK(status == EARSHOT_OUT_OF_MEMORY);
        CHECK(std::string(earshot_last_error()).size() > 10);
        ++failures;
    }
}

} // namespace

TEST_CASE("every lack of memory becomes an error, and leaves all as it was", "[unit]") {
    if (!test::FailingNew::available()) return test::skip("not available in this build");
    const test::TemporaryDirectory folder;
    const auto file = test::writeNamedModel(folder / "small.safetensors", {"Dog", "Cat"});
    // Opening is left out: nlohmann's JSON allocates in its destructor, and ends the program where it cannot.
    const auto model = test::openModel(file);
    const test::Clip clip{.samples = test::noise(16000, 1, 0.3f), .channels = 1, .rate = 16000};
    const auto audio = clip.audio();
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    analysis.live = 1;
    const auto expected = test::activationsOf(test::analyzeSamples(model, audio, analysis), model);
    CHECK(failEach([&] {
              earshot_result* made = nullptr;
              const auto status = earshot_analyze_samples(model.get(), &audio, &analysis, &made);
              CHECK((made != nullptr) == (status == EARSHOT_OK));
              earshot_result_free(made);
              return status;
          }) > 10);
    CHECK(failEach([&] {
              earshot_stream* made = nullptr;
              auto status = earshot_stream_open(model.get(), clip.rate, 1, &analysis, &made);
              if (status == EARSHOT_OK)
                  status = earshot_stream_push(made, clip.samples.data(), clip.frames());
              if (status == EARSHOT_OK) status = earshot_stream_finish(made);
              earshot_stream_close(made);
              return status;
          }) > 10);
    CHECK(test::same(test::activationsOf(test::analyzeSamples(model, audio, analysis), model), expected));
}
