#include "Core/Tensor/Threads.h"

#include "Support/Catch.h"

#include <atomic>
#include <vector>

using namespace earshot;

TEST_CASE("a parallel loop visits every index once, on threads it may use", "[unit][threads]") {
    for (const int threads : {1, 2, 3})
        for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
            tensor::setThreadCount(threads);
            std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
            std::atomic<bool> inRange = true;
            tensor::parallelFor(count, [&](std::int64_t i, int thread) {
                ++visits[static_cast<std::size_t>(i)];
                if (thread < 0 || thread >= tensor::threadCount()) inRange = false;
            });
            REQUIRE(inRange);
            for (const auto& v : visits) REQUIRE(v == 1);
        }
    tensor::setThreadCount(0);
    REQUIRE(tensor::threadCount() == 1);
    REQUIRE(tensor::availableCores() >= 1);
}
