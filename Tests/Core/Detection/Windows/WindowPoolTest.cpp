#include "Core/Detection/Windows/WindowPool.h"

#include "Core/Base/Error.h"
#include "Core/Detection/FakeModels.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

using namespace earshot;
using namespace earshot::detection;
using namespace earshot::fake;

TEST_CASE("Windows on several threads give what one at a time gives", "[unit][threads]") {
    const auto clip = test::testSignal(900'000);
    std::mt19937 random(5);
    for (const Mode mode : modes) {
        auto alone = analyzer<ContextModel>({.mode = mode, .hopTokens = 2, .provisional = true});
        alone.push(clip);
        alone.finish();
        for (const int threads : {2, 3, 5}) {
            const auto passes = std::make_shared<std::atomic<int>>(0);
            Analyzer subject(std::make_unique<CountedModel<ContextModel>>(passes), {},
                             {.mode = mode, .hopTokens = 2, .provisional = true, .threads = threads});
            for (const std::size_t most : {900'000, 40'000}) {
                subject.reset();
                *passes = 0;
                for (std::size_t i = 0; i < clip.size();) {
                    const auto block =
                        std::min(most == clip.size() ? most : random() % most, clip.size() - i);
                    subject.push(std::span(clip).subspan(i, block));
                    i += block;
                }
                subject.finish();
                CAPTURE(name(mode), threads, most);
                REQUIRE(allColumns(subject) == allColumns(alone));
                REQUIRE(subject.passes() == alone.passes());
                REQUIRE(*passes == alone.passes());
            }
            subject.reset();
            subject.push(clip); // and left in the middle of it
        }
    }
}

TEST_CASE("What a model throws on another thread comes out, and the next recording is heard",
          "[unit][threads]") {
    class FailingModel : public ContextModel {
      public:
        explicit FailingModel(std::shared_ptr<std::atomic<int>> left)
            : left_(std::move(left)) {}
        void run(std::span<const float> logMel, std::span<float> probabilities) override {
            if (--*left_ == 0) throw Error("no more");
            ContextModel::run(logMel, probabilities);
        }
        std::unique_ptr<TokenModel> clone() const override { return std::make_unique<FailingModel>(left_); }

      private:
        std::shared_ptr<std::atomic<int>> left_;
    };
    const auto clip = test::testSignal(900'000);
    const auto expected = analyse<ContextModel>({.hopTokens = 2}, clip);
    for (const int failsAt : {1, 2, 7, 25}) {
        const auto left = std::make_shared<std::atomic<int>>(failsAt);
        Analyzer subject(std::make_unique<FailingModel>(left), {}, {.hopTokens = 2, .threads = 3});
        REQUIRE_THROWS_WITH(
            [&] {
                subject.push(clip);
                subject.finish();
            }(),
            "no more");
        subject.reset();
        *left = 1'000'000;
        subject.push(clip);
        subject.finish();
        REQUIRE(allColumns(subject) == expected);
    }
}

TEST_CASE("Networks that keep what they found give the same on any number of threads",
          "[unit][network][no-emulator][threads]") {
    tensor::setThreadCount(1);
    const auto weights =
        std::make_shared<const model::Weights>(*test::proceduralCheckpoint(test::tinyModel()));
    const auto clip = test::testSignal(1'500'000);
    const auto columns = [&](Mode mode, int hop, int threads) {
        Analyzer subject(makeNetworkTokenModel(weights), logMelSettings(*weights),
                         {.mode = mode, .hopTokens = hop, .threads = threads});
        subject.push(clip);
        subject.finish();
        return allColumns(subject);
    };
    for (const auto& [mode, hop] : {std::pair(Mode::automatic, 8), {Mode::automatic, 2}, {Mode::repeat, 4}}) {
        CAPTURE(name(mode), hop);
        const auto alone = columns(mode, hop, 1);
        REQUIRE(columns(mode, hop, 2) == alone);
        REQUIRE(columns(mode, hop, 3) == alone);
    }
}

TEST_CASE("A thread takes windows that follow one another, and helps another from the end",
          "[unit][threads]") {
    // Notes the windows it hears, which say which they are; the pool's waits at its first until it may go on.
    struct Log {
        std::mutex mutex;
        std::condition_variable changed;
        std::vector<int> own, others;
        bool go = false;
    };
    class NotingModel : public FakeModel {
      public:
        NotingModel(Log& log, bool isOwn)
            : log_(log)
            , isOwn_(isOwn) {}
        void run(std::span<const float> logMel, std::span<float>) override {
            std::unique_lock lock(log_.mutex);
            (isOwn_ ? log_.own : log_.others).push_back(static_cast<int>(logMel.front()));
            log_.changed.notify_all();
            if (!isOwn_) log_.changed.wait(lock, [&] { return log_.go; });
            log_.go = log_.go || log_.own.size() == 15;
            log_.changed.notify_all();
        }

      private:
        Log& log_;
        bool isOwn_;
    };
    Log log;
    NotingModel own(log, true);
    std::vector<std::unique_ptr<TokenModel>> others;
    others.push_back(std::make_unique<NotingModel>(log, false));
    WindowPool pool(own, std::move(others));
    std::vector<float> image(static_cast<std::size_t>(own.windowFrames() * own.melBands()));
    for (int i = 0; i < 16; ++i) {
        image.front() = static_cast<float>(i);
        pool.add(image, 32);
        std::unique_lock lock(log.mutex);
        if (i == 0) log.changed.wait(lock, [&] { return !log.others.empty(); });
    }
    std::vector<float> tokens(static_cast<std::size_t>(32 * own.classes()));
    for (int i = 0; i < 16; ++i) pool.take(tokens);
    REQUIRE(log.others == std::vector<int>{0});
    REQUIRE(log.own == std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15, 7, 6, 5, 4, 3, 2, 1});
}

TEST_CASE("Windows of a run that overlap lie in one array, others in their own", "[unit][threads]") {
    struct Log {
        std::mutex mutex;
        std::vector<std::uintptr_t> places; // where windows begin in memory
        std::vector<float> firsts;          // and their first values, which are their places in `frames`
    };
    class PlaceModel : public FakeModel {
      public:
        explicit PlaceModel(Log& log)
            : log_(log) {}
        void run(std::span<const float> logMel, std::span<float>) override {
            const std::lock_guard lock(log_.mutex);
            log_.places.push_back(reinterpret_cast<std::uintptr_t>(logMel.data()));
            log_.firsts.push_back(logMel.front());
        }

      private:
        Log& log_;
    };
    Log log;
    PlaceModel own(log);
    const auto bands = static_cast<std::size_t>(own.melBands());
    const auto size = static_cast<std::size_t>(own.windowFrames()) * bands;
    constexpr std::size_t hop = 256, windows = 8;
    std::vector<float> frames(size + windows * hop * bands);
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = static_cast<float>(i);
    for (const bool overlap : {true, false}) {
        CAPTURE(overlap);
        std::vector<std::unique_ptr<TokenModel>> others;
        others.push_back(std::make_unique<PlaceModel>(log));
        WindowPool pool(own, std::move(others));
        log.places.clear();
        log.firsts.clear();
        for (std::size_t i = 0; i < windows; ++i)
            pool.add(std::span(frames).subspan(i * hop * bands, size), overlap ? static_cast<int>(hop) : 0);
        std::vector<float> tokens(static_cast<std::size_t>(32 * own.classes()));
        for (std::size_t i = 0; i < windows; ++i) pool.take(tokens);
        REQUIRE(log.places.size() == windows);
        for (std::size_t i = 1; i < windows; ++i) {
            const auto moved = static_cast<std::ptrdiff_t>(log.firsts[i] - log.firsts[0]);
            const auto apart = static_cast<std::ptrdiff_t>(log.places[i] - log.places[0]);
            CHECK((apart == moved * static_cast<std::ptrdiff_t>(sizeof(float))) == overlap);
        }
    }
}
