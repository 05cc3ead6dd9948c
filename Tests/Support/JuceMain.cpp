// The main of tests that use JUCE: its message manager exists, and no display is needed.
#include "Support/Runner.h"

#include <juce_events/juce_events.h>

int main(int argc, char* argv[]) {
    const juce::ScopedJuceInitialiser_GUI juce;
    return earshot::test::runTests(argc, argv);
}
