// For tests that cannot run here, or only in part, because something is not installed or the system cannot do
// it. The test prints the reason and does the rest; CTest counts it as skipped. (Catch2 2.13 has no SKIP.)
//
//     if (!available()) return test::skip("not with sanitizers");
#pragma once

#include <string>

namespace earshot::test {

// Call it within a test, on its thread.
void skip(const std::string& why);

} // namespace earshot::test
