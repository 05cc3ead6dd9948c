// earshot_bench: the time of each part of a pass, beside the floor of bare matrix products of the same
// shapes. Both are measured in turns within one run, so that a noisy machine disturbs both alike.
#include "Benchmark/Floor.h"
#include "Benchmark/ModelChoice.h"
#include "Benchmark/Products.h"
#include "Benchmark/Program.h"
#include "Benchmark/Report.h"
#include "Benchmark/Runtime.h"
#include "Benchmark/ShiftedWindows.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"
#include "Support/Compare.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

using namespace earshot;
using namespace earshot::benchmark;

namespace {

struct Options {
    ModelChoice model;
    int threads = 1;
    int rounds = 40;
    bool detailed = false;
    bool passOnly = false;
    double seconds = 4.0;
    std::string json;
};

std::string cpuName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown CPU";
}

// One row per step of the pass, measured over all rounds.
std::vector<Row> measureSteps(model::Network& network, std::span<const float> logMel, int rounds) {
    const auto products = productsOfPass(network.config());
    const auto number = network.weights().network().activations;
    std::vector<Row> rows;
    std::vector<std::vector<BareProduct>> floors;
    for (const auto& step : network.steps()) {
        Row row;
        row.name = step.name;
        auto& bare = floors.emplace_back();
        if (const auto found = products.find(step.name); found != products.end())
            for (const auto& product : found->second) {
                row.flops += product.flops();
                bare.emplace_back(product, number);
            }
        rows.push_back(std::move(row));
    }
    // The first round warms up code, caches and threads, and does not count.
    for (int round = -1; round < rounds; ++round) {
        network.setInput(logMel);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double seconds = timed(network.steps()[i].run);
            if (round >= 0) rows[i].seconds.push_back(seconds);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (floors[i].empty()) continue;
            const double seconds = timed([&] {
                for (auto& product : floors[i]) product.run();
            });
            if (round >= 0) rows[i].floorSeconds.push_back(seconds);
        }
    }
    return rows;
}

// "stage2.block3.mlp" -> "stage2 mlp"
std::string groupName(const std::string& step) {
    const auto first = step.find('.'), last = step.rfind('.');
    return first == std::string::npos ? step : step.substr(0, first) + " " + step.substr(last + 1);
}

std::vector<Row> grouped(const std::vector<Row>& steps) {
    std::vector<Row> groups;
    for (const auto& step : steps) {
        const auto name = groupName(step.name);
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&](const Row& row) { return row.name == name; });
        auto& group = found == groups.end() ? groups.emplace_back(Row{name, 0.0, {}, {}}) : *found;
        group.accumulate(step);
    }
    return groups;
}

Row measureFrontend(const model::Weights& weights, int rounds) {
    const auto& config = weights.config();
    const auto settings = detection::logMelSettings(weights);
    const auto samples =
        test::randomValues(static_cast<std::size_t>(config.windowFrames() * config.hopSize), 1);
    frontend::LogMel logMel(settings);
    std::vector<float> frames;
    Row row{"log-mel, one window", 0.0, {}, {}};
    for (int round = -1; round < rounds; ++round) {
        frames.clear();
        logMel.reset();
        const double seconds = timed([&] { logMel.push(samples, frames); });
        if (round >= 0) row.seconds.push_back(seconds);
    }
    return row;
}

// The instruction set of our own loops in such a pass.
const char* kernelsOf(const model::Weights& weights) {
    return weights.network().activations == tensor::Number::bfloat16
               ? tensor::kernels<tensor::BFloat16>().name
               : tensor::kernels<float>().name;
}

Report measure(const Options& options) {
    tensor::setThreadCount(options.threads);
    const auto weights = makeWeights(options.model);
    model::Network network(weights);
    const auto& config = weights->config();
    const auto logMel = test::randomValues(static_cast<std::size_t>(config.windowFrames() * config.melBands),
                                           2, -80.0f, 10.0f);

    Report report;
    report.machine = fmt::format("{}, {}, {} kernels", cpuName(), describeLibrary(), kernelsOf(*weights));
    report.model =
        fmt::format("model {}: {:.1f} M parameters, one window of {:.2f} s, {}", options.model.model,
                    static_cast<double>(weights->parameterCount()) * 1e-6,
                    config.windowFrames() * config.secondsPerFrame(), model::plainName(weights->precision()));
    report.threads = options.threads;
    report.rows.push_back(measureFrontend(*weights, options.rounds));
    const auto steps = measureSteps(network, logMel, options.rounds);
    const auto shown = options.detailed ? steps : grouped(steps);
    report.rows.insert(report.rows.end(), shown.begin(), shown.end());
    Row pass{"whole pass", 0.0, {}, {}};
    for (const auto& step : steps) pass.accumulate(step);
    report.rows.push_back(std::move(pass));
    return report;
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Times each part of a pass beside the floor of bare oneDNN matrix products.");
    addModelOptions(app, options.model);
    app.add_option("--threads", options.threads, "threads of the pass and of the floor")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_option("--rounds", options.rounds, "measured rounds")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_flag("--detailed", options.detailed,
                 "one row for each block, and the ways to shift attention windows");
    app.add_flag("--pass-only", options.passOnly, "nothing of loading, threads, memory and streams");
    app.add_option("--seconds", options.seconds, "of each sound that several instances hear")
        ->check(CLI::Range(0.1, 60.0))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    std::vector<Goal> goals;
    if (!options.passOnly)
        goals = measureRuntime({options.model.model, options.rounds, options.seconds},
                               [&] { return makeWeights(options.model); });
    const auto report = measure(options);
    if (options.detailed) {
        const auto weights = makeWeights(options.model);
        const auto ways =
            measureShiftedWindows(weights->config(), weights->network().activations, options.rounds);
        goals.insert(goals.end(), ways.begin(), ways.end());
    }
    fmt::print("{}\n{}", asTable(report), asTable(goals));
    auto numbers = asJson(report);
    numbers["goals"] = asJson(goals);
    writeJson(options.json, numbers);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_bench", [&] { return run(argc, argv); });
}
