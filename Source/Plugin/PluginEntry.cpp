// Every plugin format calls this function to create an instance.
#include "Plugin/EarshotProcessor.h"

juce::AudioProcessor* JUCE_CALLTYPE createPluginFilter() { return new earshot::plugin::EarshotProcessor; }
