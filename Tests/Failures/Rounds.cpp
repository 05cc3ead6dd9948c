#include "Failures/Rounds.h"

#include "Failures/Comparison.h"
#include "Failures/FaultReport.h"
#include "Failures/Faults.h"
#include "Failures/Outcome.h"
#include "Support/AudioMaker.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace earshot::faults {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double maxRound = 60.0; // seconds; a round takes well under one
constexpr int exitFine = 0;
constexpr int exitFault = 1;
constexpr int exitElsewhere = 3; // the point was not reached

// With the times of the files, by which a batch knows its recordings.
void copyFolder(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::create_directories(to);
    fs::copy(from, to, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(from))
        if (entry.is_regular_file())
            fs::last_write_time(to / entry.path().lexically_relative(from), entry.last_write_time());
}

int openFiles() {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

template <typename Item>
void store(const fs::path& file, const std::vector<Item>& items) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(items.data()),
               static_cast<std::streamsize>(items.size() * sizeof(Item)));
}

template <typename Item>
std::vector<Item> load(const fs::path& file) {
    const std::string bytes = test::readBytes(file);
    std::vector<Item> items(bytes.size() / sizeof(Item));
    std::memcpy(items.data(), bytes.data(), items.size() * sizeof(Item));
    return items;
}

class Rounds {
  public:
    Rounds(const Scenario& scenario, const RoundSettings& settings)
        : scenario_(scenario)
        , settings_(settings)
        , template_(settings.folder / "template") {}

    std::size_t run() {
        fs::create_directories(template_);
        inChild([&] {
            fs::current_path(template_);
            scenario_.prepare();
        });
        learn();
        const auto cold = load<Point>(settings_.folder / "cold");
        warm_ = load<Point>(settings_.folder / "warm");
        std::set<std::uint64_t> later;
        for (const Point& point : warm_) later.insert(point.stack);
        for (const Point& point : cold)
            if (later.count(point.stack) == 0) first_.push_back(point);
        std::cout << scenario_.name << " (" << scenario_.what << "): " << first_.size() + warm_.size()
                  << " points, " << first_.size() << " of them at the first use only, at "
                  << stacks(first_) + stacks(warm_) << " stacks\n"
                  << std::flush;
        choose(first_);
        choose(warm_);
        const auto start = Clock::now();
        const double all = static_cast<double>(std::max<std::size_t>(1, first_.size() + warm_.size()));
        const auto until = [&](double points) {
            if (!settings_.seconds) return Clock::time_point::max();
            return start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(*settings_.seconds * points / all));
        };
        tryPoints(first_, until(static_cast<double>(first_.size())));
        // From here on what is made once has been made.
        const fs::path here = fs::current_path();
        enterCopy(settings_.folder / "made");
        Outcome outcome;
        for (int i = 0; i < 2; ++i) invokeWithClock(outcome);
        fs::current_path(here);
        measure();
        tryPoints(warm_, until(all));
        report_.print();
        std::cout << "  " << tried_ << " tried: " << tolerated_ << " made no difference, " << refused_
                  << " ended in an error, " << listed_ << " in a recording that is listed, " << noMemory_
                  << " for want of memory, " << fatal_ << " where the program is known to end; " << missed_
                  << " were not reached again; " << report_.count() << " faults\n"
                  << std::flush;
        return report_.count();
    }

  private:
    static std::size_t stacks(const std::vector<Point>& points) {
        std::set<std::uint64_t> found;
        for (const Point& point : points) found.insert(point.stack);
        return found.size();
    }

    void choose(std::vector<Point>& points) const {
        if (!settings_.only.empty())
            std::erase_if(points, [&](const Point& point) {
                return describe(point).find(settings_.only) == std::string::npos;
            });
        if (!settings_.seconds) return;
        // std::shuffle differs between standard libraries.
        std::mt19937_64 random(settings_.seed);
        for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
    }

    // The process works there from now on.
    void enterCopy(const fs::path& folder) const {
        copyFolder(template_, folder);
        fs::current_path(folder);
    }

    fs::path slot(int number) const { return settings_.folder / ("slot" + std::to_string(number)); }

    template <typename Action>
    static void inChild(const Action& action) {
        std::cout.flush();
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                action();
            } catch (const std::exception& error) {
                std::fprintf(stderr, "%s\n", error.what());
                ::_exit(exitFault);
            }
            ::_exit(exitFine);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != exitFine)
            throw std::runtime_error("an undisturbed run failed");
    }

    void invokeWithClock(Outcome& outcome) const {
        if (scenario_.writesTimes) setOwnClock(true);
        invoke(scenario_, outcome);
        setOwnClock(false);
    }

    void undisturbed(Outcome& outcome) const {
        invokeWithClock(outcome);
        if (outcome.kind != Outcome::success)
            throw std::runtime_error(std::string(scenario_.name) +
                                     ", undisturbed: " + std::string(outcome.said()));
    }

    // What an undisturbed run does, at the first use of everything and later.
    void learn() {
        reference_.before = treeOf(template_);
        inChild([&] {
            enterCopy(slot(0));
            Outcome outcome;
            record();
            undisturbed(outcome);
            store(settings_.folder / "cold", recorded());
            store(settings_.folder / "wholes", renamed());
            store(settings_.folder / "found", std::vector<Outcome>{outcome});
            copyFolder(slot(0), settings_.folder / "after");
            fs::current_path(settings_.folder);
            enterCopy(slot(0));
            record();
            undisturbed(outcome);
            store(settings_.folder / "warm", recorded());
            copyFolder(slot(0), settings_.folder / "after2");
        });
        reference_.after = treeOf(settings_.folder / "after");
        reference_.found = load<Outcome>(settings_.folder / "found").front();
        for (const auto& [name, bytes] : treeOf(settings_.folder / "after2"))
            if (!isJournal(name) && reference_.after[name] != bytes) reference_.unsteady.insert(name);
        for (const auto& name : reference_.unsteady) std::cout << "  not the same twice: " << name << '\n';
        std::map<std::uint64_t, std::string> names;
        for (const auto& [name, bytes] : reference_.after) {
            names[hashOf(name)] = name;
            names[hashOf("./" + name)] = name;
        }
        for (const Whole& whole : load<Whole>(settings_.folder / "wholes"))
            if (const auto found = names.find(whole.name); found != names.end())
                reference_.whole[found->second].insert(whole.content);
        measure();
    }

    // What two undisturbed runs leave in memory, as this process is now.
    void measure() {
        inChild([&] {
            enterCopy(slot(0));
            std::array<std::int64_t, 2> left{};
            Outcome outcome;
            const std::int64_t live = liveObjects();
            const int open = openFiles();
            for (int i = 0; i < 2; ++i) undisturbed(outcome);
            left = {liveObjects() - live, openFiles() - open};
            store(settings_.folder / "left", std::vector<std::int64_t>{left[0], left[1]});
            copyFolder(slot(0), settings_.folder / "again");
        });
        const auto left = load<std::int64_t>(settings_.folder / "left");
        reference_.leftLive = left[0];
        reference_.leftOpen = static_cast<int>(left[1]);
        reference_.namesAgain.clear();
        for (const auto& [name, bytes] : treeOf(settings_.folder / "again"))
            reference_.namesAgain.insert(name);
    }

    struct Running {
        Point point;
        bool everyStack = false;
        int slot = 0;
        Clock::time_point started;
    };

    void tryPoints(const std::vector<Point>& points, Clock::time_point until) {
        std::map<pid_t, Running> running;
        std::vector<int> free;
        for (int i = settings_.jobs; i-- > 0;) free.push_back(i);
        std::vector<Running> again;
        std::size_t next = 0;
        while (true) {
            while (!free.empty()) {
                Running round;
                if (!again.empty()) {
                    round = again.back();
                    again.pop_back();
                } else if (next < points.size() && Clock::now() < until) {
                    round.point = points[next++];
                } else {
                    break;
                }
                round.slot = free.back();
                free.pop_back();
                round.started = Clock::now();
                const pid_t child = ::fork();
                if (child == 0) ::_exit(tryPointSafely(round));
                running[child] = round;
            }
            if (running.empty()) return;
            int status = 0;
            const pid_t child = ::waitpid(-1, &status, WNOHANG);
            if (child <= 0) {
                for (const auto& [id, round] : running)
                    if (std::chrono::duration<double>(Clock::now() - round.started).count() > maxRound)
                        ::kill(id, SIGKILL);
                std::this_thread::sleep_for(std::chrono::microseconds(300));
                continue;
            }
            const auto ended = running.find(child);
            if (ended == running.end()) continue;
            const Running round = ended->second;
            running.erase(ended);
            free.push_back(round.slot);
            if (WIFEXITED(status) && WEXITSTATUS(status) == exitElsewhere && !round.everyStack) {
                again.push_back(round);
                again.back().everyStack = true;
                continue;
            }
            conclude(round, status);
        }
    }

    fs::path reportFile(int number) const { return settings_.folder / ("report" + std::to_string(number)); }

    void conclude(const Running& round, int status) {
        ++tried_;
        std::string text;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !round.point.isFileCall() &&
            endsProgram(stackOf(round.slot))) {
            ++fatal_;
            return;
        }
        if (WIFSIGNALED(status)) {
            text = WTERMSIG(status) == SIGKILL
                       ? "it hung"
                       : std::string("it ended by a signal: ") + ::strsignal(WTERMSIG(status));
        } else if (WEXITSTATUS(status) == exitElsewhere) {
            ++missed_;
            return;
        } else {
            std::ifstream report(reportFile(round.slot));
            std::string kind;
            std::getline(report, kind);
            (kind == "tolerated" ? tolerated_
             : kind == "listed"  ? listed_
             : kind == "memory"  ? noMemory_
                                 : refused_) += 1;
            if (WEXITSTATUS(status) == exitFine) return;
            text.assign(std::istreambuf_iterator<char>(report), {});
        }
        report_.add(round.point, text, stackOf(round.slot));
    }

    fs::path stackFile(int number) const { return settings_.folder / ("stack" + std::to_string(number)); }

    std::vector<void*> stackOf(int number) const {
        return fs::exists(stackFile(number)) ? load<void*>(stackFile(number)) : std::vector<void*>();
    }

    int tryPointSafely(const Running& round) {
        try {
            return tryPoint(round);
        } catch (const std::exception& error) {
            disarm();
            setOwnClock(false);
            std::ofstream(reportFile(round.slot)) << "harness\nthe test itself failed: " << error.what();
            return exitFault;
        }
    }

    // One round, in a process of its own. Its report: a line that says how the run ended, then the faults.
    int tryPoint(const Running& round) {
        fs::remove(reportFile(round.slot));
        fs::remove(stackFile(round.slot));
        enterCopy(slot(round.slot));
        Outcome disturbed, again;
        const std::int64_t live = liveObjects();
        const int open = openFiles();
        if (scenario_.writesTimes) setOwnClock(true);
        // A process that dies leaves the stack all the same.
        std::set_terminate([] { std::abort(); });
        dying_ = this;
        dyingSlot_ = round.slot;
        ::signal(SIGABRT, onSignal);
        ::signal(SIGSEGV, onSignal);
        arm(round.point, round.everyStack);
        invoke(scenario_, disturbed);
        const Fired fired = disarm();
        setOwnClock(false);
        if (fired != Fired::yes) return exitElsewhere;
        std::string faults;
        std::string kind;
        {
            const Tree now = treeOf(".");
            kind = comparison_.check(round.point, disturbed, now, faults);
        }
        invokeWithClock(again);
        std::string later;
        comparison_.checkAgain(again, later);
        kind.reserve(100);
        const std::int64_t left = liveObjects() - live - strings(kind, faults, later);
        const int leftOpen = openFiles() - open;
        // Other data has layers of other sizes, which oneDNN keeps.
        if (left != reference_.leftLive && !(scenario_.joinsInputs && kind == "listed"))
            later += "; objects that were not released: " + std::to_string(left - reference_.leftLive);
        if (leftOpen != reference_.leftOpen)
            later += "; files that were not closed: " + std::to_string(leftOpen - reference_.leftOpen);
        faults += later;
        writeStack(round.slot);
        std::ofstream report(reportFile(round.slot));
        report << kind << '\n' << (faults.starts_with("; ") ? faults.substr(2) : faults);
        report.close();
        return faults.empty() ? exitFine : exitFault;
    }

    // Objects that strings of ours hold.
    template <typename... Text>
    static std::int64_t strings(const Text&... texts) {
        const std::size_t inside = std::string().capacity(); // strings need no memory up to there
        return ((texts.capacity() > inside ? 1 : 0) + ... + 0);
    }

    static void onSignal(int number) {
        dying_->writeStack(dyingSlot_);
        ::signal(number, SIG_DFL);
        ::raise(number);
    }

    void writeStack(int number) const {
        FILE* file = std::fopen(stackFile(number).c_str(), "w");
        if (file == nullptr) return;
        std::fwrite(failedStack().data(), sizeof(void*), failedStack().size(), file);
        std::fclose(file);
    }

    const Scenario& scenario_;
    const RoundSettings& settings_;
    fs::path template_;
    Reference reference_;
    const Comparison comparison_{scenario_, reference_};
    std::vector<Point> first_, warm_;
    std::size_t tried_ = 0, tolerated_ = 0, refused_ = 0, listed_ = 0, noMemory_ = 0, fatal_ = 0, missed_ = 0;
    FaultReport report_{settings_.shown};
    static inline const Rounds* dying_ = nullptr;
    static inline int dyingSlot_ = 0;
};

} // namespace

std::size_t tryAll(const Scenario& scenario, const RoundSettings& settings) {
    return Rounds(scenario, settings).run();
}

} // namespace earshot::faults
