// Handles Ctrl-C and SIGTERM (as Slurm and systemd send it) alike, and keeps closed pipes from ending the
// program. Main thread; the signal handler only sets a flag.
#pragma once

#include <exception>

namespace earshot::cli {

// Ctrl-C or SIGTERM arrived while the program waited for another one and had nothing to finish.
class Interrupted : public std::exception {};

// After this call, the first Ctrl-C or SIGTERM only sets the flag that interrupted() returns. The same signal
// a second time ends the program at once. Writing to a closed pipe, or beyond a file's size limit, gives an
// error code instead of a signal.
void prepareSignals();
bool interrupted();

} // namespace earshot::cli
