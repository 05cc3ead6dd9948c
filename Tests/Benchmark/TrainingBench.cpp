// earshot_train_bench: how many windows a second training takes forward and back, beside the floor of bare
// matrix products of the same shapes and arithmetic, round by round in the same run. As in training, every
// thread works on windows of its own and gives oneDNN one thread.
#include "Benchmark/Floor.h"
#include "Benchmark/Products.h"
#include "Benchmark/Program.h"
#include "Benchmark/Report.h"
#include "Core/Base/Error.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Network/TrainingNetwork.h"
#include "Support/Compare.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <functional>

using namespace earshot;
using namespace earshot::benchmark;
using training::Arithmetic;

namespace {

struct Options {
    int threads = tensor::availableCores();
    int microBatch = 4;
    int rounds = 10;
    int width = 48;
    std::vector<int> depths = {2, 2, 2, 2};
    std::string blocks = "v1";
    std::string arithmetic = "auto";
    std::string json;
};

// What one thread repeats: a forward and a backward pass, and their products bare.
class Worker {
  public:
    Worker(const training::ParameterLayout& layout, std::span<const float> values, const Options& options,
           Arithmetic arithmetic)
        : network_(layout, options.microBatch, arithmetic)
        , gradients_(layout.size()) {
        const auto& config = layout.config();
        const auto samples = static_cast<std::size_t>(options.microBatch);
        const auto frames = static_cast<std::size_t>(config.windowFrames() * config.melBands);
        const auto tokens = static_cast<std::size_t>(config.stepsPerWindow() * config.classes);
        logMel_ = test::randomValues(samples * frames, 2, -80.0f, 10.0f);
        logitGradients_ = test::randomValues(samples * tokens, 3, -1e-3f, 1e-3f);
        training::BandMoments moments(config.melBands);
        moments.add(logMel_);
        statistics_ = moments.result();
        network_.setParameters(values);
        for (const auto& [name, products] : productsOfPass(config))
            for (const auto& product : products) addFloor(product, options.microBatch, arithmetic);
    }

    void pass() {
        network_.forward({.logMel = logMel_, .statistics = &statistics_});
        network_.backward(logitGradients_, gradients_);
    }
    void floor() {
        for (auto& product : floor_) product.run();
    }

  private:
    // A product of the forward pass and the two of its backward pass.
    void addFloor(Product p, int samples, Arithmetic arithmetic) {
        (p.batch == 1 ? p.rows : p.batch) *= samples;
        const auto number =
            arithmetic == Arithmetic::bfloat16 ? tensor::Number::bfloat16 : tensor::Number::float32;
        floor_.emplace_back(p, number);
        floor_.emplace_back(Product{p.batch, p.rows, p.columns, p.inner}, number);
        floor_.emplace_back(Product{p.batch, p.columns, p.rows, p.inner}, number);
    }

    training::TrainingNetwork network_;
    training::BandStatistics statistics_;
    std::vector<float> logMel_, logitGradients_, gradients_;
    std::vector<BareProduct> floor_;
};

// Seconds until every thread has done its part.
double together(tensor::ThreadPool& team, std::span<const std::unique_ptr<Worker>> workers,
                void (Worker::*work)()) {
    const auto start = std::chrono::steady_clock::now();
    team.run([&](int index) { (workers[static_cast<std::size_t>(index)].get()->*work)(); });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Arithmetic chooseArithmetic(const std::string& name) {
    if (name == "float32") return Arithmetic::float32;
    const auto best = training::bestArithmetic();
    if (name == "bfloat16" && best != Arithmetic::bfloat16)
        throw Error("this CPU does not multiply bfloat16; use --arithmetic auto or float32");
    return best;
}

nlohmann::json measure(const Options& options) {
    model::Config config;
    config.embedDim = options.width;
    config.depths = options.depths;
    config.heads.clear();
    for (std::size_t stage = 0; stage < config.depths.size(); ++stage)
        config.heads.push_back(std::max(options.width / 24, 1) << stage);
    config.classes = 50;
    config.block = options.blocks == "v2" ? model::BlockKind::v2 : model::BlockKind::v1;
    config.validate();
    const training::ParameterLayout layout(config);
    const auto values = training::initialParameters(layout, 1);
    const auto arithmetic = chooseArithmetic(options.arithmetic);

    tensor::setThreadCount(1);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < options.threads; ++i)
        workers.push_back(std::make_unique<Worker>(layout, values, options, arithmetic));
    tensor::ThreadPool team(options.threads);
    std::vector<double> passes, floors;
    // The first round warms up code and caches; it does not count.
    for (int round = -1; round < options.rounds; ++round) {
        const double pass = together(team, workers, &Worker::pass);
        const double floor = together(team, workers, &Worker::floor);
        if (round < 0) continue;
        passes.push_back(pass);
        floors.push_back(floor);
    }

    double flops = 0.0; // of one window, forward and back
    for (const auto& [name, products] : productsOfPass(config))
        for (const auto& product : products) flops += 3.0 * product.flops();
    const double windows = static_cast<double>(options.threads) * options.microBatch;
    const double pass = percentile(passes, 0.5), floor = percentile(floors, 0.5);
    return {{"library", describeLibrary()},
            {"arithmetic", arithmetic == Arithmetic::bfloat16 ? "bfloat16" : "float32"},
            {"threads", options.threads},
            {"windows_a_pass", options.microBatch},
            {"width", options.width},
            {"blocks", options.blocks},
            {"gflop_a_window", flops * 1e-9},
            {"windows_a_second", windows / pass},
            {"gflop_a_second", windows * flops / pass * 1e-9},
            {"floor_gflop_a_second", windows * flops / floor * 1e-9},
            {"share_of_floor", floor / pass}};
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Times training's forward and backward pass beside the floor of bare matrix products.");
    app.add_option("--threads", options.threads, "threads, each with windows of its own")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_option("--micro-batch", options.microBatch, "windows of a pass")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_option("--rounds", options.rounds, "measured rounds")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--width", options.width, "of the first stage")
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
    app.add_option("--depths", options.depths, "blocks in each stage")->delimiter(',')->capture_default_str();
    app.add_option("--blocks", options.blocks, "Swin's or Swin V2's")
        ->check(CLI::IsMember({"v1", "v2"}))
        ->capture_default_str();
    app.add_option("--arithmetic", options.arithmetic, "of the products")
        ->check(CLI::IsMember({"auto", "float32", "bfloat16"}))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    const auto result = measure(options);
    fmt::print("{}, {}, {} threads x {} windows, width {}, blocks {}: {:.2f} GFLOP a window\n",
               result["library"].get<std::string>(), result["arithmetic"].get<std::string>(), options.threads,
               options.microBatch, options.width, options.blocks, result["gflop_a_window"].get<double>());
    fmt::print("forward and backward: {:.1f} windows a second, {:.0f} GFLOP/s\n",
               result["windows_a_second"].get<double>(), result["gflop_a_second"].get<double>());
    fmt::print("bare products:        {:.0f} GFLOP/s; share reached: {:.0f} %\n",
               result["floor_gflop_a_second"].get<double>(), 100.0 * result["share_of_floor"].get<double>());
    writeJson(options.json, result);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_train_bench", [&] { return run(argc, argv); });
}
