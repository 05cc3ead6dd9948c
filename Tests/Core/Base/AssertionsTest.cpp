#include "Support/Assertions.h"
#include "Core/Tensor/ThreadPool.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

using namespace earshot;

TEST_CASE("assertions of the engine are on where its tests have them", "[unit]") {
    if (!test::assertionsAreOn) return test::skip("assertions are off in this build");
    REQUIRE_FALSE(test::endsProgram([] {}));
    REQUIRE(test::endsProgram([] { const tensor::ThreadPool none(0); }));
}
