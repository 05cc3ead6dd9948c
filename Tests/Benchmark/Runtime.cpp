#include "Benchmark/Runtime.h"

#include "Benchmark/Loading.h"
#include "Benchmark/Streams.h"
#include "Benchmark/Throughput.h"
#include "Support/Paths.h"

#include <unistd.h>

#include <algorithm>

namespace earshot::benchmark {

namespace {

// Gone when the run ends.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& name)
        : path_(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + "-" + name)) {}
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

const std::filesystem::path defaultModel = test::defaultModelFile();

std::vector<Goal> measureLoadings(const RuntimeOptions& options) {
    const int rounds = std::max(1, options.rounds / 10);
    const auto loadDefault = [&] {
        return measureLoading("default model", defaultModel, {50.0, {}, {}}, rounds);
    };
    if (options.model != "full") return loadDefault();
    auto goals = loadDefault();
    for (const bool half : {false, true}) {
        const TemporaryFile file(half ? "half.safetensors" : "full.safetensors");
        writeFullModel(file.path(), half);
        auto more =
            measureLoading(half ? "full model, float16 file" : "full model", file.path(),
                           {.milliseconds = 500.0, .megabytes = 250.0, .instanceMegabytes = 20.0}, rounds);
        std::ranges::move(more, std::back_inserter(goals));
    }
    return goals;
}

} // namespace

std::vector<Goal> measureRuntime(const RuntimeOptions& options, const WeightsMaker& makeWeights) {
    auto goals = measureLoadings(options);
    const auto weights = makeWeights();
    // Streams first: while no thread has an OpenMP team yet.
    for (auto& more :
         {measureStreams(defaultModel, options.seconds), measureFrontendShare(weights, options.rounds),
          measureStreamedPass(weights, options.rounds), measureThroughput(weights, options.rounds)})
        goals.insert(goals.end(), more.begin(), more.end());
    return goals;
}

} // namespace earshot::benchmark
