// What each plugin format calls to make an instance.
#include "Plugin/EarshotProcessor.h"

juce::AudioProcessor* JUCE_CALLTYPE createPluginFilter() { return new earshot::plugin::EarshotProcessor; }
