// What the entry points of single formats share. Message thread, or whichever makes an instance.
#pragma once

namespace earshot::plugin {

class EarshotProcessor;

// The processor that was made last on this thread, for the entry point whose call to JUCE made it; null:
// none.
EarshotProcessor*& newestProcessor();

} // namespace earshot::plugin
