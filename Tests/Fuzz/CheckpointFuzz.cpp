// Fuzzes everything that reads a model file: it opens the file, reads all tensors, infers the architecture,
// the frontend and the labels, and embeds a text where there is a text half. Any end except values or an
// earshot::Error is a finding, and so is a file of some kilobytes that takes a gigabyte. Seeds are model
// files, bare pickles (the data.pkl of a PyTorch file), and narrow text halves and two small networks of its
// own.
//
// With libFuzzer (clang++ -fsanitize=fuzzer,address,undefined):
//   checkpoint_fuzz CORPUS_FOLDER
// Built without -fsanitize=fuzzer (EARSHOT_FUZZ_MAIN) it runs the given files, and then mutations of them:
//   checkpoint_fuzz [--seconds N] FILE...
#include "Core/Base/Error.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Frontend/MelFilterBank.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Text/TextEncoder.h"
#include "Support/CombinedCheckpoint.h"
#include "Support/FileBreaker.h"
#include "Support/ProceduralWeights.h"
#include "Support/TorchMaker.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#ifdef EARSHOT_FUZZ_MAIN
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <sys/resource.h>
#endif

namespace {

using namespace earshot;

// One file of its own for this process, removed at the end.
class ScratchFile {
  public:
    ScratchFile()
        : path_(std::filesystem::temp_directory_path() /
                ("earshot-fuzz-" + std::to_string(std::random_device{}()) + ".model")) {}
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

void readLabels(const std::filesystem::path& file) {
    try {
        const auto checkpoint = model::Checkpoint::open(file);
        const auto layout = model::openLayout(*checkpoint);
        detection::Labels::read(checkpoint->metadata(), file, layout.config.classes);
        detection::SebbScorer::read(checkpoint->metadata(), file, layout.config.classes);
    } catch (const Error&) { // the expected end of broken files
    }
}

void embed(const std::filesystem::path& file) {
    try {
        const auto checkpoint = model::Checkpoint::open(file);
        if (!text::findTextHalf(*checkpoint)) return;
        text::TextEncoder encoder(*checkpoint);
        const std::vector<std::string> texts = {"rain", "a dog barks"};
        encoder.embed(texts);
    } catch (const Error&) { // the expected end of broken files
    }
}

} // namespace

// libFuzzer gives the name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const ScratchFile scratch;
    std::string bytes(reinterpret_cast<const char*>(data), size);
    // A bare pickle is wrapped into an archive, because the checksum of a given archive would hide every
    // change.
    if (bytes.starts_with('\x80')) bytes = test::torchFile(bytes, {{"0", std::string(64, '\0')}});
    if (test::readToTheEnd(scratch.path(), bytes)) {
        readLabels(scratch.path());
        embed(scratch.path());
    }
    return 0;
}

#ifdef EARSHOT_FUZZ_MAIN

namespace {

std::string readBytes(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void runOne(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

// Narrow text halves, of some megabytes.
std::vector<std::string> textHalves() {
    std::vector<std::string> halves;
    for (const bool isMicrosoft : {true, false}) {
        auto text = test::tinyText(isMicrosoft);
        text.layers = 1;
        text.width = 16;
        const ScratchFile file;
        test::writeProceduralModel(file.path(), text);
        halves.push_back(readBytes(file.path().string()));
    }
    return halves;
}

// Two copies of a network with mel matrices, whose rate is not stated.
std::string twoNetworks() {
    auto model = test::smallModel();
    const frontend::LogMelSettings settings{
        .sampleRate = 16000, .fftSize = 256, .melBands = 16, .highHz = 8000.0, .filters = {}};
    model.config.fftSize = settings.fftSize;
    model.melFilters = frontend::melFilterMatrix(settings);
    const ScratchFile file;
    test::writeProceduralModel(
        file.path(), std::make_unique<test::CombinedCheckpoint>(
                         std::vector{test::under("model.", model), test::under("model_ema.", model)}));
    return readBytes(file.path().string());
}

// In a long file most changes would be of numbers, so only its beginning is changed: names and shapes.
std::string mutatedHead(const std::string& bytes, std::uint32_t seed) {
    const std::size_t head = bytes.size() < 100'000 ? bytes.size() : 6000;
    return test::mutated(bytes.substr(0, head), seed) + bytes.substr(head);
}

} // namespace

int main(int argc, char* argv[]) {
    double seconds = 0.0;
    std::vector<std::string> seeds;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--seconds" && i + 1 < argc) {
            seconds = std::strtod(argv[++i], nullptr);
            continue;
        }
        seeds.push_back(readBytes(argv[i]));
    }
    if (seeds.empty()) {
        std::fprintf(stderr, "usage: checkpoint_fuzz [--seconds N] FILE...\n");
        return 2;
    }
    for (auto& half : textHalves()) seeds.push_back(std::move(half));
    seeds.push_back(twoNetworks());
    for (const auto& seed : seeds) runOne(seed);

    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    std::uint32_t runs = 0;
    for (; Clock::now() < end; ++runs) {
        // Damage on damage reaches further than a single change.
        std::string bytes = seeds[runs % seeds.size()];
        for (std::uint32_t round = 0; round <= runs % 3; ++round)
            bytes = mutatedHead(bytes, runs * 3 + round);
        runOne(bytes);
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    constexpr long maxMemory = 1 << 20; // kB
    std::printf("%zu files and %u mutations read, in %ld MB\n", seeds.size(), runs, usage.ru_maxrss / 1024);
    return usage.ru_maxrss > maxMemory ? 1 : 0;
}

#endif
