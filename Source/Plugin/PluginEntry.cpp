// Every plugin format calls createPluginFilter() to create an instance.
#include "Plugin/PluginEntry.h"

#include "Plugin/EarshotProcessor.h"

namespace earshot::plugin {

EarshotProcessor*& newestProcessor() {
    thread_local EarshotProcessor* newest = nullptr;
    return newest;
}

} // namespace earshot::plugin

juce::AudioProcessor* JUCE_CALLTYPE createPluginFilter() {
    return earshot::plugin::newestProcessor() = new earshot::plugin::EarshotProcessor;
}
