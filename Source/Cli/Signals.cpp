#include "Cli/Signals.h"

#include "Core/Base/Platform/System.h"

#include <csignal>

namespace earshot::cli {

namespace {

volatile std::sig_atomic_t interruptFlag = 0;

void onInterrupt() { interruptFlag = 1; }

} // namespace

void prepareSignals() { platform::catchInterrupts(onInterrupt); }

bool interrupted() { return interruptFlag != 0; }

} // namespace earshot::cli
