#include "Plugin/EarshotProcessor.h"
#include "Support/Catch.h"

TEST_CASE("the plugin adds neither delay nor tail", "[unit]") {
    earshot::plugin::EarshotProcessor processor;
    REQUIRE(processor.getLatencySamples() == 0);
    REQUIRE(processor.getTailLengthSeconds() == 0.0);
}
