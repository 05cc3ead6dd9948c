// earshot_failures [SCENARIO...] [--seconds N] [--jobs N] [--seed N] [--show N] [--only TEXT]: makes every
// allocation and every file call of the scenarios fail once, in turn, for each stack that calls it, and
// compares the result with an undisturbed run. With --seconds it tries a seeded choice that fits into the
// time, otherwise all. Exit code 0: nothing is wrong; 4: it cannot run here.
#include "Failures/Faults.h"
#include "Failures/Rounds.h"
#include "Failures/Scenarios.h"
#include "Support/AudioMaker.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int exitFault = 1;
constexpr int exitUsage = 2;
constexpr int exitSkipped = 4;

// In a process of its own, in which nothing was used before.
bool succeeds(const earshot::faults::Scenario& scenario, const earshot::faults::RoundSettings& settings) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::size_t faults = 1;
        try {
            faults = earshot::faults::tryAll(scenario, settings);
        } catch (const std::exception& error) {
            std::cerr << "earshot_failures: " << error.what() << '\n';
        }
        std::cout.flush();
        ::_exit(faults == 0 ? 0 : exitFault);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

} // namespace

int main(int argc, char* argv[]) {
    using namespace earshot::faults;
    if (!available()) {
        std::cout << "skipped: this build has sanitizers, or a C library other than glibc\n";
        return exitSkipped;
    }
    // OpenMP's threads would not survive a fork.
    if (const char* set = std::getenv("OMP_NUM_THREADS"); set == nullptr || std::string(set) != "1") {
        ::setenv("OMP_NUM_THREADS", "1", 1);
        ::execv("/proc/self/exe", argv);
        return exitUsage;
    }
    // Files are made and removed by the hundred thousand: in memory, where there is room for them.
    const char* memory = "/dev/shm";
    if (std::getenv("TMPDIR") == nullptr && ::access(memory, W_OK) == 0) ::setenv("TMPDIR", memory, 1);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    RoundSettings settings;
    settings.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<const Scenario*> chosen;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const auto value = [&] { return i + 1 < arguments.size() ? arguments[++i] : std::string("0"); };
        if (argument == "--seconds")
            settings.seconds = std::stod(value());
        else if (argument == "--jobs")
            settings.jobs = std::max(1, std::stoi(value()));
        else if (argument == "--seed")
            settings.seed = std::stoull(value());
        else if (argument == "--show")
            settings.shown = std::stoull(value());
        else if (argument == "--only")
            settings.only = value();
        else {
            for (const Scenario& scenario : allScenarios())
                if (argument == scenario.name) chosen.push_back(&scenario);
            if (chosen.empty() || argument != chosen.back()->name) {
                std::cerr << argument << ": no such scenario; there are";
                for (const Scenario& scenario : allScenarios()) std::cerr << ' ' << scenario.name;
                std::cerr << '\n';
                return exitUsage;
            }
        }
    }
    if (chosen.empty())
        for (const Scenario& scenario : allScenarios()) chosen.push_back(&scenario);
    std::cout << "left alone:";
    for (const Excluded& each : excludedCalls())
        std::cout << "\n  " << (each.object[0] == '\0' ? "this program" : each.object)
                  << (each.function[0] == '\0' ? "" : ", ") << each.function << ": " << each.reason;
    std::cout << "\nseed " << settings.seed << '\n';
    if (settings.seconds) *settings.seconds /= static_cast<double>(chosen.size());
    std::cout.flush();
    const earshot::test::TemporaryDirectory folder;
    bool fine = true;
    for (const Scenario* scenario : chosen) {
        settings.folder = folder / scenario->name;
        std::filesystem::create_directories(settings.folder);
        fine = succeeds(*scenario, settings) && fine;
    }
    return fine ? 0 : exitFault;
}
