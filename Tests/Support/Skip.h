// For tests that cannot run here, or not all of them: what is needed is not installed, or the system cannot
// do it. They say so and go on with what they can; CTest then shows the test as skipped. (Catch2 2.13 has no
// word for it.)
//
//     if (!available()) return test::skip("not with sanitizers");
#pragma once

#include <string>

namespace earshot::test {

// Within a test, on its thread.
void skip(const std::string& why);

} // namespace earshot::test
