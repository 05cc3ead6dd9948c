// Catch2's own code, which compiles slowly: once for all tests.
#include "Support/Runner.h"

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/interfaces/catch_interfaces_capture.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "Support/Environment.h"
#include "Support/Skip.h"

#include <iostream>
#include <set>

namespace earshot::test {

namespace {

constexpr int exitSkipped = 4; // Catch2 3.x tells CTest that this code is a skipped test

int testsRun = 0;
std::set<std::string> skipped; // names

#if __has_include(<catch2/catch_session.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class Counter : public Listener {
  public:
    using Listener::Listener;
    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        Listener::testCaseEnded(stats);
        ++testsRun;
    }
};

} // namespace

CATCH_REGISTER_LISTENER(Counter)

void skip(const std::string& why) {
    const auto name = Catch::getResultCapture().getCurrentTestName();
    std::cerr << "skipped: " << name << ": " << why << '\n';
    skipped.insert(name);
}

int runTests(int argc, char* argv[]) {
    setEnvironment("EARSHOT_LOG", "off"); // no test writes to the log of who runs it
    Catch::Session session;
#if !__has_include(<catch2/catch_session.hpp>)
    session.configData().warnings = Catch::WarnAbout::NoTests; // no test is an error, as with Catch2 3
#endif
    const int result = session.run(argc, argv);
    const bool all = testsRun > 0 && static_cast<int>(skipped.size()) == testsRun;
    if (result == 0 && all) return exitSkipped;
    // Catch2 2.13 returns how many assertions failed, which may be four.
    return result == 0 ? 0 : 1;
}

} // namespace earshot::test
