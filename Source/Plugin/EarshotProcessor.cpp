#include "Plugin/EarshotProcessor.h"
namespace earshot::plugin {
juce::AudioProcessorEditor* EarshotProcessor::createEditor() {
    return new juce::GenericAudioProcessorEditor(*this);
}
} // namespace earshot::plugin
