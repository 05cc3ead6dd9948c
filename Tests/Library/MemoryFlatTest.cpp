#include "Library/Client.h"

#include "Cli/NamedModel.h"

#include <fstream>
#include <string>

using namespace earshot;

namespace {

// Kilobytes that this process has in memory.
long residentKilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    return 0;
}

} // namespace

TEST_CASE("memory stays as it is over many clips, streams and errors", "[unit]") {
    if (residentKilobytes() == 0) return; // no Linux
    const test::TemporaryDirectory folder;
    const auto model =
        test::openModel(test::writeNamedModel(folder / "small.safetensors", {"Dog", "Cat", "Rain"}));
    const test::Clip clip{.samples = test::noise(3200, 1, 0.3f), .channels = 1, .rate = 32000};
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    const auto round = [&] {
        test::analyzeSamples(model, clip.audio(), analysis);
        earshot_stream* stream = nullptr;
        REQUIRE(earshot_stream_open(model.get(), 44100.0, 1, &analysis, &stream) == EARSHOT_OK);
        const test::Stream owner(stream);
        REQUIRE(earshot_stream_push(stream, clip.samples.data(), clip.samples.size()) == EARSHOT_OK);
        earshot_result* none = nullptr;
        REQUIRE(earshot_analyze_file(model.get(), "/nowhere.wav", nullptr, &none) == EARSHOT_FILE_ERROR);
    };
    for (int i = 0; i < 50; ++i) round();
    const long before = residentKilobytes();
    for (int i = 0; i < 1500; ++i) round();
    const long after = residentKilobytes();
    CAPTURE(before, after);
    CHECK(after - before < 4096);
}
