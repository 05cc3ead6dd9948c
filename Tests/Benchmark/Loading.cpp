#include "Benchmark/Loading.h"

#include "Benchmark/Processes.h"
#include "Benchmark/Report.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/Reading/SafetensorsWriter.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/Threads.h"
#include "Support/ProceduralWeights.h"

#include <algorithm>
#include <chrono>

namespace earshot::benchmark {

namespace {

enum Number : std::size_t { seconds, busySeconds, resident, peak, further, count };

// Everything an instance needs to listen, as a session has it.
std::unique_ptr<detection::Analyzer> instance(const std::filesystem::path& file) {
    const auto weights = model::loadWeights(file);
    auto analyzer = std::make_unique<detection::Analyzer>(
        detection::makeNetworkTokenModel(weights), detection::logMelSettings(*weights),
        detection::AnalyzerSettings{.mode = detection::Mode::automatic, .hopTokens = 1});
    return analyzer;
}

// A whole window and one hop: what is allocated late counts too.
void listen(detection::Analyzer& analyzer) {
    analyzer.push(std::vector<float>(static_cast<std::size_t>(11.0 * 32000.0), 1e-3f));
}

std::vector<double> loadOnce(const std::filesystem::path& file) {
    tensor::setThreadCount(1);
    std::vector<double> numbers(count);
    const double before = residentMemory();
    const double busyBefore = processSeconds();
    const auto start = std::chrono::steady_clock::now();
    const auto first = instance(file);
    numbers[seconds] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    numbers[busySeconds] = processSeconds() - busyBefore;
    numbers[peak] = peakMemory() - before;
    listen(*first);
    const double loaded = residentMemory();
    numbers[resident] = loaded - before;
    const auto second = instance(file);
    listen(*second);
    numbers[further] = residentMemory() - loaded;
    return numbers;
}

} // namespace

std::vector<Goal> measureLoading(const std::string& name, const std::filesystem::path& file,
                                 const LoadingGoals& goals, int rounds) {
    std::vector<std::vector<double>> measured(count);
    for (int round = 0; round < rounds; ++round) {
        const auto numbers = inFork([&] { return loadOnce(file); });
        for (std::size_t i = 0; i < count; ++i) measured[i].push_back(numbers.at(i));
    }
    const auto middle = [&](Number number) { return percentile(measured[number], 0.5); };
    return {
        {name + ": load, p50", middle(seconds) * 1e3, "ms", goals.milliseconds, {}},
        {name + ": load, best round", percentile(measured[seconds], 0.0) * 1e3, "ms", {}, {}},
        {name + ": load, processor time, p50", middle(busySeconds) * 1e3, "ms", {}, {}},
        {name + ": memory that loading and listening add",
         middle(resident) * 1e-6,
         "MB",
         goals.megabytes,
         {}},
        {name + ": most memory while loading", middle(peak) * 1e-6, "MB", {}, {}},
        {name + ": memory of each further instance",
         middle(further) * 1e-6,
         "MB",
         goals.instanceMegabytes,
         {}},
    };
}

void writeFullModel(const std::filesystem::path& file, bool half) {
    // What making it leaves in the heap must not be there when memory is measured.
    inFork([&]() -> std::vector<double> {
        const auto checkpoint = test::proceduralCheckpoint(test::fullModel());
        std::vector<tensor::Tensor> values;
        std::vector<model::NamedTensor> tensors;
        for (const auto& [tensorName, info] : checkpoint->tensors()) {
            values.push_back(checkpoint->read(tensorName));
            tensors.push_back({tensorName, info.shape, values.back().values(),
                               half ? model::DType::float16 : model::DType::float32});
        }
        model::writeSafetensors(file, tensors, checkpoint->metadata());
        return {};
    });
}

} // namespace earshot::benchmark
