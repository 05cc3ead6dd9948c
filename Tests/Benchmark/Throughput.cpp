#include "Benchmark/Throughput.h"

#include "Benchmark/Processes.h"
#include "Benchmark/Report.h"
#include "Core/Audio/Resampler.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Tensor/Threads.h"
#include "Support/Compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

namespace earshot::benchmark {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<float> window(const model::Config& config) {
    return test::randomValues(static_cast<std::size_t>(config.windowFrames() * config.melBands), 2, -80.0f,
                              10.0f);
}

// Log-mel frames without end, and windows of them that begin at tokens.
class Stream {
  public:
    explicit Stream(const model::Config& config)
        : token_(static_cast<std::size_t>(config.framesPerToken() * config.melBands))
        , window_(static_cast<std::size_t>(config.windowFrames() * config.melBands))
        , tokens_(config.stepsPerWindow())
        , frames_(test::randomValues(8 * window_, 2, -80.0f, 10.0f)) {}

    // They begin anew after seven windows.
    std::span<const float> window(int token) const {
        const auto first = static_cast<std::size_t>(token % (7 * tokens_)) * token_;
        return std::span(frames_).subspan(first, window_);
    }
    // Tokens from one window to the next that has none of its frames.
    int apart() const { return tokens_; }

  private:
    std::size_t token_, window_; // values
    int tokens_;
    std::vector<float> frames_;
};

// Two threads begin each step of their passes together.
class Lockstep {
  public:
    void meet() {
        const int round = round_.load();
        if (arrived_.fetch_add(1) == 1) {
            arrived_.store(0);
            round_.store(round + 1);
            return;
        }
        for (int spins = 0; round_.load() == round; ++spins)
            if (spins > 1000) std::this_thread::yield();
    }

  private:
    std::atomic<int> arrived_{0}, round_{0};
};

// Seconds of each step, by round.
class StepTimes {
  public:
    void add(std::vector<double> steps) { rounds_.push_back(std::move(steps)); }

    // Of a whole pass.
    double median() const {
        std::vector<double> passes;
        for (const auto& steps : rounds_) passes.push_back(std::accumulate(steps.begin(), steps.end(), 0.0));
        return percentile(passes, 0.5);
    }
    // Of a pass that nothing else on the machine disturbs: each step's best round.
    double undisturbed() const {
        double sum = 0.0;
        for (std::size_t step = 0; step < rounds_.front().size(); ++step) {
            double best = rounds_.front()[step];
            for (const auto& steps : rounds_) best = std::min(best, steps[step]);
            sum += best;
        }
        return sum;
    }

  private:
    std::vector<std::vector<double>> rounds_;
};

template <typename Before>
std::vector<double> passBySteps(model::Network& network, std::span<const float> logMel, Before&& before) {
    network.setInput(logMel);
    std::vector<double> seconds;
    for (const auto& step : network.steps()) {
        before();
        const auto start = Clock::now();
        step.run();
        seconds.push_back(since(start));
    }
    return seconds;
}

std::vector<double> passBySteps(model::Network& network, std::span<const float> logMel) {
    return passBySteps(network, logMel, [] {});
}

// The same on two threads, each with a network of its own: the slower one's steps. work(network, which,
// meet) gives the seconds of its steps, and meets the other one before each.
template <typename Work>
std::vector<double> together(model::Network& first, model::Network& second, Work&& work) {
    Lockstep lockstep;
    const auto meet = [&] { lockstep.meet(); };
    std::vector<double> there;
    std::thread thread([&] {
        tensor::setThreadCount(1);
        there = work(second, 1, meet);
    });
    tensor::setThreadCount(1);
    auto here = work(first, 0, meet);
    thread.join();
    for (std::size_t step = 0; step < there.size(); ++step) here[step] = std::max(here[step], there[step]);
    return here;
}

// Windows of a recording that one thread hears in a row, a quarter of their length apart.
class Run {
  public:
    static constexpr int windows = 8;

    explicit Run(const model::Config& config)
        : stream_(config)
        , hop_(config.stepsPerWindow() / 4) {}

    // Those of a run that shares nothing with the one before or after it, nor with the other thread's.
    template <typename Before>
    std::vector<double> hear(model::Network& network, int round, int thread, Before&& before) const {
        const int first = (2 * round + thread) % 3 * windows * hop_;
        std::vector<double> seconds;
        for (int i = 0; i < windows; ++i) {
            before();
            const auto start = Clock::now();
            network.run(stream_.window(first + i * hop_));
            seconds.push_back(since(start));
        }
        return seconds;
    }

  private:
    Stream stream_;
    int hop_; // tokens
};

} // namespace

std::vector<Goal> measureThroughput(const std::shared_ptr<const model::Weights>& weights, int rounds) {
    const auto logMel = window(weights->config());
    const auto& config = weights->config();
    model::Network network(weights), other(weights), hearing(weights), otherHearing(weights);
    for (auto* each : {&hearing, &otherHearing})
        each->expectHop(config.windowFrames() / 4, config.windowFrames());
    const Run run(config);
    StepTimes one, two, both, recording;
    for (int round = -1; round < rounds; ++round) {
        tensor::setThreadCount(1);
        auto alone = passBySteps(network, logMel);
        tensor::setThreadCount(2);
        auto split = passBySteps(network, logMel);
        auto apart = together(network, other, [&](model::Network& each, int, const auto& meet) {
            return passBySteps(each, logMel, meet);
        });
        auto heard = together(hearing, otherHearing, [&](model::Network& each, int thread, const auto& meet) {
            return run.hear(each, round + 1, thread, meet);
        });
        if (round < 0) continue; // warms up
        one.add(std::move(alone));
        two.add(std::move(split));
        both.add(std::move(apart));
        recording.add(std::move(heard));
    }
    tensor::setThreadCount(1);
    const double alone = one.undisturbed();
    constexpr double inARun = 2.0 * Run::windows; // of both threads
    return {
        {"one pass, 2 threads against 1 (best round of each step)", alone / two.undisturbed(), "x", {}, 1.8},
        {"one pass, 2 threads against 1 (p50 of whole passes)", one.median() / two.median(), "x", {}, {}},
        {"a window a thread, 2 against 1 (best of each step)", 2.0 * alone / both.undisturbed(), "x", {}, {}},
        {"a window a thread, 2 against 1 (p50)", 2.0 * one.median() / both.median(), "x", {}, {}},
        {"windows of a recording, 2 threads against 1 pass (best)",
         inARun * alone / recording.undisturbed(),
         "x",
         {},
         2.0},
        {"windows of a recording, 2 threads against 1 pass (p50)",
         inARun * one.median() / recording.median(),
         "x",
         {},
         {}},
    };
}

namespace {

// A pass of a stream whose windows advance by `tokens`, beside one of windows that have nothing in common.
std::vector<Goal> measureHop(const std::shared_ptr<const model::Weights>& weights, const Stream& stream,
                             int tokens, int rounds) {
    const auto& config = weights->config();
    model::Network streaming(weights), other(weights);
    streaming.expectHop(tokens * config.framesPerToken(), config.windowFrames());
    constexpr int warmUp = 6; // until what the stream keeps is there
    std::vector<double> moved, whole;
    for (int round = -warmUp; round < rounds; ++round) {
        const auto timed = [&](model::Network& network, std::span<const float> logMel) {
            const double start = threadSeconds();
            network.run(logMel);
            return threadSeconds() - start;
        };
        const double movedSeconds = timed(streaming, stream.window((round + warmUp) * tokens));
        const double wholeSeconds = timed(other, stream.window(round % 2 == 0 ? 0 : stream.apart()));
        if (round < 0) continue;
        moved.push_back(movedSeconds);
        whole.push_back(wholeSeconds);
    }
    const double movedSeconds = percentile(moved, 0.5), wholeSeconds = percentile(whole, 0.5);
    const double hop = tokens * config.secondsPerToken();
    return {{fmt::format("a pass where the window moved by {:.2f} s", hop), 1e3 * movedSeconds, "ms", {}, {}},
            {"a pass where nothing is as it was", 1e3 * wholeSeconds, "ms", {}, {}},
            {"the one against the other", movedSeconds / wholeSeconds, "x", {}, {}}};
}

} // namespace

std::vector<Goal> measureStreamedPass(const std::shared_ptr<const model::Weights>& weights, int rounds) {
    const auto& config = weights->config();
    const Stream stream(config);
    tensor::setThreadCount(1);
    std::vector<Goal> goals;
    for (const int tokens : std::set{1, config.stepsPerWindow() / config.gridColumns()}) {
        auto own = measureHop(weights, stream, tokens, rounds);
        goals.insert(goals.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    }
    return goals;
}

std::vector<Goal> measureFrontendShare(const std::shared_ptr<const model::Weights>& weights, int rounds) {
    const auto& config = weights->config();
    const auto settings = detection::logMelSettings(*weights);
    const Stream stream(config);
    model::Network network(weights);
    network.expectHop(config.framesPerToken(), config.windowFrames());
    tensor::setThreadCount(1);
    std::vector<Goal> goals;
    for (const double rate : {44100.0, 48000.0}) {
        const double hopSeconds = config.framesPerToken() * config.secondsPerFrame();
        const auto audio = test::randomValues(static_cast<std::size_t>(hopSeconds * rate), 1);
        audio::Resampler resampler(rate, settings.sampleRate);
        frontend::LogMel logMel(settings);
        std::vector<float> resampled, frames;
        std::vector<double> front, pass;
        constexpr int warmUp = 3;
        for (int round = -warmUp; round < rounds; ++round) {
            double start = threadSeconds();
            resampled.clear();
            frames.clear();
            resampler.push(audio, resampled);
            logMel.push(resampled, frames);
            const double frontSeconds = threadSeconds() - start;
            start = threadSeconds();
            network.run(stream.window(round + warmUp));
            if (round < 0) continue;
            front.push_back(frontSeconds);
            pass.push_back(threadSeconds() - start);
        }
        const double share = percentile(front, 0.5);
        goals.push_back({fmt::format("frontend's share of a hop of {:.2f} s, {:g} Hz", hopSeconds, rate),
                         100.0 * share / (share + percentile(pass, 0.5)),
                         "%",
                         5.0,
                         {}});
    }
    return goals;
}

} // namespace earshot::benchmark
