// Where the build put what tests of the command line start and preload. Any thread.
#pragma once

#include <string>

namespace earshot::test {

const std::string& programPath();        // the earshot program, or a script that starts it in an emulator
const std::string& killLibraryPath();    // kill_at_rename.c
const std::string& delayLibraryPath();   // delay_lock.c
const std::string& noLocksLibraryPath(); // no_locks.c

} // namespace earshot::test
