// The main of tests that use JUCE. It creates the message manager and needs no display.
#include "Support/Runner.h"

#include <juce_gui_basics/juce_gui_basics.h>

int main(int argc, char* argv[]) {
    const juce::ScopedJuceInitialiser_GUI juce;
#if defined(__SANITIZE_ADDRESS__)
    // It forks (findings/juce-desktop-forks-its-host.sh): before another thread may allocate.
    juce::Desktop::getInstance();
#endif
    return earshot::test::runTests(argc, argv);
}
