#include "Core/Streaming/CatchUp.h"

#include "Support/Catch.h"

#include <cmath>
#include <cstddef>
#include <vector>

using namespace earshot;

TEST_CASE("what catches up hears what is kept, then what came meanwhile, each sample once and in order",
          "[unit]") {
    constexpr int rate = 100;
    streaming::KeptAudio kept;
    kept.reset(rate);
    kept.keep(true);
    std::vector<float> all(257);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i) / 512.0f;
    kept.add(all);
    streaming::CatchUp catchUp;
    REQUIRE_FALSE(catchUp.running());
    catchUp.begin(kept.stretch(0.0, 10.0));
    std::vector<float> heard, sizes;
    for (int round = 0; catchUp.running(); ++round) {
        REQUIRE(round < 10);
        const auto part = catchUp.next();
        REQUIRE(part.empty() != catchUp.running());
        sizes.push_back(static_cast<float>(part.size()));
        heard.insert(heard.end(), part.begin(), part.end());
        if (round >= 4) continue;
        const std::vector<float> more(7, 0.75f + 0.05f * static_cast<float>(round));
        catchUp.add(more);
        all.insert(all.end(), more.begin(), more.end());
    }
    // 2.57 s in parts of a second, what came in three rounds, what came in the fourth, and nothing more.
    CHECK(sizes == std::vector<float>{100.0f, 100.0f, 57.0f, 21.0f, 7.0f, 0.0f});
    REQUIRE(heard.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        REQUIRE(std::abs(heard[i] - all[i]) < 1.0f / 16384.0f); // kept in 16 bit
    CHECK(catchUp.next().empty());
}

TEST_CASE("two minutes that came meanwhile are more than is caught up with", "[unit]") {
    streaming::KeptAudio kept;
    kept.reset(10);
    kept.keep(true);
    kept.add(std::vector<float>(50));
    streaming::CatchUp catchUp;
    catchUp.begin(kept.stretch(0.0, 5.0));
    catchUp.add(std::vector<float>(1200));
    CHECK_FALSE(catchUp.tooSlow());
    catchUp.add(std::vector<float>(1));
    CHECK(catchUp.tooSlow());
    catchUp.stop();
    CHECK_FALSE(catchUp.running());
    CHECK_FALSE(catchUp.tooSlow());
}
