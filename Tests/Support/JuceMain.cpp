// The main of tests that use JUCE. It creates the message manager and needs no display.
#include "Support/Runner.h"

#include <juce_events/juce_events.h>

int main(int argc, char* argv[]) {
    const juce::ScopedJuceInitialiser_GUI juce;
    return earshot::test::runTests(argc, argv);
}
