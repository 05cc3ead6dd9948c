#include "Core/Detection/WindowPool.h"

#include "Core/Base/Error.h"
#include "Core/Detection/FakeModels.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <vector>

using namespace earshot;
using namespace earshot::detection;
using namespace earshot::fake;

TEST_CASE("Windows on several threads give what one at a time gives", "[unit]") {
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

TEST_CASE("What a model throws on another thread comes out, and the next recording is heard", "[unit]") {
    class FailingModel : public ContextModel {
      public:
        explicit FailingModel(std::shared_ptr<std::atomic<int>> left)
            : left_(std::move(left)) {}
        void run(std::span<const float> logMel, std::span<float> probabilities) override {
            if (--*left_ == 0) throw Error("no more");
            ContextModel::run(logMel, probabilities);
        }
        std::unique_ptr<TokenModel> another() const override { return std::make_unique<FailingModel>(left_); }

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
