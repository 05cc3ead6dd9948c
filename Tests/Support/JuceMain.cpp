// Catch2's main for tests that use JUCE: its message manager exists, and no display is needed.
#define CATCH_CONFIG_RUNNER
#include "Support/Catch.h"

#include <juce_events/juce_events.h>

int main(int argc, char* argv[]) {
    const juce::ScopedJuceInitialiser_GUI juce;
    return Catch::Session().run(argc, argv);
}
