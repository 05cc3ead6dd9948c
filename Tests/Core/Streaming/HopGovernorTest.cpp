#include "Core/Streaming/HopGovernor.h"

#include "Core/Model/Network/StripStage.h"
#include "Support/Catch.h"

#include <algorithm>
#include <functional>
#include <vector>

using namespace earshot;
using streaming::HopGovernor;

namespace {

constexpr double token = 0.32;
// tokens of a model with a finer clock
constexpr double fineToken = 0.08;

// A machine on which a pass takes so many seconds at a time of the stream; audio comes at one second a
// second.
struct Machine {
    HopGovernor governor;
    double token = ::token;
    std::function<double(double now)> passSeconds;
    double now = 0.0;
    double reached = 0.0; // audio analysed
    int changes = 0;
    int skipped = 0;
    double mostLate = 0.0;

    void run(double until) {
        while (now < until) {
            const auto hopSeconds = [&] { return governor.hop() * token - 1e-9; };
            if (now - reached < hopSeconds())
                now = reached + governor.hop() * token; // sleeps until there is enough
            const auto late = [&] { return now - reached - hopSeconds(); };
            const int before = governor.hop();
            governor.decide(std::max(0.0, late()));
            changes += governor.hop() != before;
            if (now - reached < hopSeconds()) continue;
            while (governor.mustSkip(late())) {
                reached += governor.hop() * token;
                governor.skippedWindows();
                ++skipped;
            }
            const double cost = passSeconds(now);
            now += cost;
            reached += governor.hop() * token;
            governor.passed(cost);
            mostLate = std::max(mostLate, now - reached);
        }
    }
};

Machine machine(int wanted, int longest, std::function<double(double)> passSeconds) {
    Machine result;
    result.governor.set({wanted, longest, token});
    result.passSeconds = std::move(passSeconds);
    return result;
}

} // namespace

TEST_CASE("A machine that keeps up has the hop that is wanted", "[unit][streaming]") {
    for (const int wanted : {1, 3, 8, 32})
        for (const double share : {0.05, 0.5, 0.9}) {
            auto subject = machine(wanted, 32, [=](double now) {
                const bool spike = static_cast<int>(now) % 20 == 0; // something else wants the machine
                return wanted * token * share + (spike ? 0.2 : 0.0);
            });
            subject.run(600.0);
            CAPTURE(wanted, share);
            REQUIRE(subject.skipped == 0);
            if (share < 0.8) {
                REQUIRE(subject.governor.hop() == wanted);
                REQUIRE_FALSE(subject.governor.lengthened());
            }
        }
}

TEST_CASE("A slow machine settles on a hop that it can keep, and stays there", "[unit][streaming]") {
    for (const int wanted : {1, 2, 3, 5})
        for (const double cost : {0.4, 0.6, 0.9, 1.5, 3.0, 8.0}) {
            auto subject = machine(wanted, 32, [=](double) { return cost; });
            subject.run(300.0);
            CAPTURE(wanted, cost, subject.governor.hop());
            if (cost > wanted * token) {
                REQUIRE(subject.governor.lengthened());
                REQUIRE(subject.governor.tooSlow());
            }
            REQUIRE(cost <= subject.governor.hop() * token);
            const int changes = subject.changes;
            subject.mostLate = 0.0;
            subject.run(1200.0);
            REQUIRE(subject.changes <= changes + 1);
            REQUIRE(subject.mostLate <= 2.0 * subject.governor.hop() * token + cost);
            REQUIRE(subject.skipped == 0);
        }
}

TEST_CASE("Windows are skipped only when even the longest hop is too much", "[unit][streaming]") {
    auto subject = machine(1, 8, [](double) { return 4.0; });
    subject.run(600.0);
    REQUIRE(subject.governor.atMaxHop());
    REQUIRE(subject.governor.skips());
    REQUIRE(subject.skipped > 20);
    REQUIRE(subject.mostLate <= 4.0 * 5 + 8 * token); // the backlog does not grow
}

TEST_CASE("The hop comes back once there is room", "[unit][streaming]") {
    for (const double busyCost : {1.0, 20.0}) {
        auto subject = machine(1, 32, [=](double now) { return now < 100.0 ? busyCost : 0.05; });
        subject.run(100.0);
        REQUIRE(subject.governor.lengthened());
        subject.run(250.0);
        REQUIRE(subject.governor.hop() == 1);
        REQUIRE_FALSE(subject.governor.skips());
        const int changes = subject.changes;
        subject.run(600.0);
        REQUIRE(subject.changes == changes);
    }
}

TEST_CASE("A backlog is worked off within a few seconds", "[unit][streaming]") {
    auto subject = machine(1, 32, [](double) { return 0.25; });
    subject.now = 6.0; // waited for the model
    subject.run(12.0);
    REQUIRE(subject.now - subject.reached <= 1.5);
    subject.run(60.0);
    REQUIRE(subject.skipped == 0);
}

TEST_CASE("An automatic hop is the shortest that takes at most 15 % of a core", "[unit][streaming]") {
    for (const double cost : {0.002, 0.011, 0.02, 0.05, 0.2, 0.7, 5.0}) {
        Machine subject;
        subject.token = fineToken;
        subject.governor.set({4, 128, fineToken, true});
        REQUIRE(subject.governor.hop() == 4); // until passes are measured
        subject.passSeconds = [=](double) { return cost; };
        subject.run(300.0);
        const int hop = subject.governor.hop();
        CAPTURE(cost, hop);
        if (!subject.governor.atMaxHop()) {
            REQUIRE(cost <= 0.15 * hop * fineToken);
            REQUIRE_FALSE(subject.governor.lengthened()); // it is as wanted
        }
        if (hop > 1) REQUIRE(cost > 0.1 * (hop / 2) * fineToken);
        const int changes = subject.changes;
        subject.run(900.0);
        REQUIRE(subject.changes == changes);
        REQUIRE(subject.skipped == 0);
    }
}

TEST_CASE("An automatic hop that turned out too short is tried less and less often", "[unit][streaming]") {
    Machine subject;
    subject.token = fineToken;
    subject.governor.set({4, 128, fineToken, true});
    // Passes take longer at shorter hops.
    subject.passSeconds = [&](double) { return subject.governor.hop() < 4 ? 0.06 : 0.015; };
    subject.run(600.0);
    const int changes = subject.changes;
    REQUIRE(changes <= 20); // the waits between attempts double from 3 s on
    subject.run(1800.0);
    REQUIRE(subject.changes <= changes + 8);
    REQUIRE(subject.governor.hop() >= 4);
    REQUIRE(subject.skipped == 0);
}

TEST_CASE("Passes that find nothing kept yet do not make a hop too short", "[unit][streaming]") {
    Machine subject;
    subject.token = fineToken;
    subject.governor.set({4, 128, fineToken, true});
    int hop = 4, passes = 0;
    subject.passSeconds = [&](double) {
        if (subject.governor.hop() != hop) passes = 0;
        hop = subject.governor.hop();
        // 11.9 and 15.6 % of the shortest hop
        return ++passes > model::StripStage::maxPhases ? 0.0095 : 0.0125;
    };
    subject.run(600.0);
    REQUIRE(subject.governor.hop() == 1);
    REQUIRE(subject.changes == 2);
}

TEST_CASE("An automatic hop follows a machine that becomes busy and calm again", "[unit][streaming]") {
    Machine subject;
    subject.token = fineToken;
    subject.governor.set({4, 128, fineToken, true});
    subject.passSeconds = [](double now) { return now > 100.0 && now < 200.0 ? 0.1 : 0.008; };
    subject.run(100.0);
    REQUIRE(subject.governor.hop() == 1);
    subject.run(200.0);
    REQUIRE(subject.governor.hop() == 16);
    subject.run(400.0);
    REQUIRE(subject.governor.hop() == 1);
}
