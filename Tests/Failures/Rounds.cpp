#include "Failures/Rounds.h"

#include "Core/Base/Error.h"
#include "Failures/Faults.h"
#include "Support/AudioMaker.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <new>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace earshot::faults {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Tree = std::map<std::string, std::string>; // of a folder: contents by path, with folders as "path/"

constexpr double longestRound = 60.0; // seconds; a round takes well under one
constexpr int exitFine = 0;
constexpr int exitFault = 1;
constexpr int exitElsewhere = 3; // the point was not reached

// How one run ended. Plain memory: nothing of it may count among what the run has left.
struct Outcome {
    enum Kind { success, error, memory, foreign } kind = success;
    std::array<char, 4000> message{}; // or what a success listed of single recordings
    std::uint64_t text = 0;           // a hash

    void say(std::string_view what) {
        const std::size_t count = std::min(what.size(), message.size() - 1);
        std::copy_n(what.begin(), count, message.begin());
        message[count] = '\0';
    }
    std::string_view said() const { return message.data(); }
};

__attribute__((noinline)) void invoke(const Scenario& scenario, Outcome& outcome) {
    beginStackAt(__builtin_frame_address(0));
    try {
        const Found found = scenario.run();
        outcome.kind = Outcome::success;
        outcome.text = hashOf(found.text);
        std::string failures;
        for (const auto& failure : found.failures) failures += failure + '\n';
        outcome.say(failures);
    } catch (const Error& error) {
        outcome.kind = Outcome::error;
        outcome.say(error.what());
    } catch (const std::bad_alloc&) {
        outcome.kind = Outcome::memory;
    } catch (const std::exception& error) {
        outcome.kind = Outcome::foreign;
        outcome.say(error.what());
    } catch (...) {
        outcome.kind = Outcome::foreign;
        outcome.say("something that is no std::exception");
    }
}

Tree treeOf(const fs::path& folder) {
    Tree tree;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto name = entry.path().lexically_relative(folder).generic_string();
        tree[entry.is_directory() ? name + '/' : name] =
            entry.is_directory() ? std::string() : test::readBytes(entry.path());
    }
    return tree;
}

// The journal and what SQLite keeps beside it: only that they are there can be compared.
bool isJournal(std::string_view name) { return name.find(".earshot/") != std::string_view::npos; }

bool isTemporary(std::string_view name) {
    const auto file = name.substr(name.rfind('/') + 1);
    return file.starts_with(".earshot") || file.ends_with(".part") || file.ends_with(".partial") ||
           file.ends_with(".tmp");
}

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

std::string describe(const Point& point) {
    std::ostringstream text;
    text << point.function << " (" << name(point.failure) << "), thread " << point.thread << ", call "
         << point.call;
    return text.str();
}

// What an undisturbed run leaves.
struct Reference {
    Tree before, after;
    std::set<std::string> namesAgain; // after a second run
    Outcome found;
    std::int64_t leftLive = 0; // objects that live after two runs, and did not before
    int leftOpen = 0;
    std::map<std::string, std::set<std::uint64_t>> whole; // contents that a name was given
    std::set<std::string> unsteady;                       // files that are never the same twice
};

class Rounds {
  public:
    Rounds(const Scenario& scenario, const RoundSettings& settings)
        : scenario_(scenario)
        , settings_(settings)
        , template_(settings.folder / "template") {}

    std::size_t run() {
        fs::create_directories(template_);
        inChild([&] {
            enter(template_);
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
        copyFolder(template_, settings_.folder / "made");
        enter(settings_.folder / "made");
        Outcome outcome;
        for (int i = 0; i < 2; ++i) {
            if (scenario_.writesTimes) setOwnClock(true);
            invoke(scenario_, outcome);
            setOwnClock(false);
        }
        fs::current_path(here);
        measure();
        tryPoints(warm_, until(all));
        showFaults();
        std::cout << "  " << tried_ << " tried: " << tolerated_ << " made no difference, " << refused_
                  << " ended in an error, " << listed_ << " in a recording that is listed, " << noMemory_
                  << " for want of memory, " << fatal_ << " where the program is known to end; " << missed_
                  << " were not reached again; " << faults_ << " faults\n"
                  << std::flush;
        return faults_;
    }

  private:
    static void enter(const fs::path& folder) { fs::current_path(folder); }

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

    void undisturbed(Outcome& outcome) const {
        if (scenario_.writesTimes) setOwnClock(true);
        invoke(scenario_, outcome);
        setOwnClock(false);
        if (outcome.kind != Outcome::success)
            throw std::runtime_error(std::string(scenario_.name) +
                                     ", undisturbed: " + std::string(outcome.said()));
    }

    // What an undisturbed run does, at the first use of everything and later.
    void learn() {
        reference_.before = treeOf(template_);
        inChild([&] {
            copyFolder(template_, slot(0));
            enter(slot(0));
            Outcome outcome;
            record();
            undisturbed(outcome);
            store(settings_.folder / "cold", recorded());
            store(settings_.folder / "wholes", renamed());
            store(settings_.folder / "found", std::vector<Outcome>{outcome});
            copyFolder(slot(0), settings_.folder / "after");
            enter(settings_.folder);
            copyFolder(template_, slot(0));
            enter(slot(0));
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
            copyFolder(template_, slot(0));
            enter(slot(0));
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
                    if (std::chrono::duration<double>(Clock::now() - round.started).count() > longestRound)
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
            isFatal(round.slot)) {
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
        ++faults_;
        // The same message for other numbers is the same fault.
        std::string same;
        for (const char c : text)
            if (std::isdigit(static_cast<unsigned char>(c)) == 0 || !same.ends_with('#'))
                same += std::isdigit(static_cast<unsigned char>(c)) == 0 ? c : '#';
        if (auto& group = groups_[same]; ++group.count == 1 && groups_.size() <= settings_.shown)
            group.text = "  FAULT: " + describe(round.point) + "\n    " + text + '\n' + stackText(round.slot);
    }

    void showFaults() const {
        for (const auto& [same, group] : groups_)
            if (!group.text.empty())
                std::cout << group.text << "      (" << group.count << " like this)\n";
            else
                std::cout << "  FAULT: " << same << " (" << group.count << ")\n";
    }

    fs::path stackFile(int number) const { return settings_.folder / ("stack" + std::to_string(number)); }

    std::vector<void*> stackOf(int number) const {
        return fs::exists(stackFile(number)) ? load<void*>(stackFile(number)) : std::vector<void*>();
    }

    // Whether the innermost function of Earshot's is one that is known to end the program.
    bool isFatal(int number) const {
        for (void* const address : stackOf(number)) {
            const std::string name = functionAt(address);
            if (name.empty() || name.find("faults") != std::string::npos || name.starts_with("_Zn")) continue;
            return std::ranges::any_of(fatalCalls(), [&](const Excluded& each) {
                return name.find(each.function) != std::string::npos;
            });
        }
        return false;
    }

    // The functions of this program on the way to the call, by addr2line where it is installed.
    std::string stackText(int number) const {
        std::ostringstream addresses;
        const auto base = programStart();
        for (void* const address : stackOf(number))
            addresses << " 0x" << std::hex << reinterpret_cast<std::size_t>(address) - base - 1;
        const std::string command = "addr2line -s -f -C -e /proc/" + std::to_string(::getpid()) + "/exe " +
                                    addresses.str() + " 2>/dev/null";
        std::string text;
        if (FILE* lines = ::popen(command.c_str(), "r")) {
            std::array<char, 4000> line{};
            for (int i = 0; std::fgets(line.data(), static_cast<int>(line.size()), lines) != nullptr; ++i) {
                std::string name = shortened(line.data());
                if (i % 2 == 0 && !name.starts_with("??") && !name.starts_with("faults::") && name != "read")
                    text += "      " + name + '\n';
            }
            ::pclose(lines);
        }
        return text;
    }

    // A function's name without its arguments.
    static std::string shortened(std::string name) {
        for (const std::string_view noise :
             {"earshot::", "(anonymous namespace)::", "__cxx11::", "[abi:cxx11]", "\n"})
            for (std::size_t at = 0; (at = name.find(noise)) != std::string::npos;)
                name.erase(at, noise.size());
        std::string kept;
        int depth = 0;
        for (const char c : name) {
            if (c == '<' || c == '(') ++depth;
            if (depth == 0) kept += c;
            if (c == '>' || c == ')') --depth;
        }
        return kept;
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
        const fs::path home = slot(round.slot);
        copyFolder(template_, home);
        enter(home);
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
            kind = check(round.point, disturbed, now, faults);
        }
        if (scenario_.writesTimes) setOwnClock(true);
        invoke(scenario_, again);
        setOwnClock(false);
        std::string later;
        checkAgain(again, later);
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

    // Where this program lies in memory, whose addresses count from there.
    static std::size_t programStart();

    // How the disturbed run ended; adds what is wrong with that.
    std::string check(const Point& point, const Outcome& outcome, const Tree& now, std::string& faults) {
        checkFiles(outcome, now, faults);
        switch (outcome.kind) {
        case Outcome::success:
            if (outcome.said() != reference_.found.said()) {
                for (const auto& line : newFailures(outcome)) checkMessage(point, line, faults);
                return "listed";
            }
            if (outcome.text != reference_.found.text)
                faults += "; it succeeded, and found something else than it should";
            for (const auto& [name, bytes] : reference_.after)
                if (!isJournal(name) && reference_.unsteady.count(name) == 0 && contentOf(now, name) != bytes)
                    faults += "; it succeeded, and " + name + " is not what it should be";
            return "tolerated";
        case Outcome::memory:
            if (point.isFileCall()) faults += "; a file call failed, and it says that memory is short";
            return "memory";
        case Outcome::error:
            checkMessage(point, std::string(outcome.said()), faults);
            return "refused";
        case Outcome::foreign:
            faults += "; an exception of another kind: " + std::string(outcome.said());
            return "foreign";
        }
        return "";
    }

    std::vector<std::string> newFailures(const Outcome& outcome) const {
        std::set<std::string> known;
        std::istringstream before{std::string(reference_.found.said())};
        for (std::string line; std::getline(before, line);) known.insert(line);
        std::vector<std::string> found;
        std::istringstream lines{std::string(outcome.said())};
        for (std::string line; std::getline(lines, line);)
            if (known.count(line) == 0) found.push_back(line);
        return found;
    }

    void checkMessage(const Point& point, const std::string& message, std::string& faults) const {
        const auto wrong = [&](const char* why) {
            faults += "; the message " + std::string(why) + ": " + message;
        };
        if (message.find('\n') != std::string::npos) wrong("has several lines");
        if (!point.isFileCall()) {
            if (message.find("memory") == std::string::npos)
                wrong("says nothing of the memory that is short");
            return;
        }
        if (message.find("; ") == std::string::npos) wrong("says nothing of what to do");
        bool named = false;
        for (const Tree* tree : {&reference_.before, &reference_.after})
            for (const auto& [name, bytes] : *tree)
                named = named || message.find(fs::path(name).filename().string()) != std::string::npos ||
                        (name.ends_with('/') &&
                         message.find(name.substr(0, name.size() - 1)) != std::string::npos);
        if (!named) wrong("names no file");
        if (message.find(".partial") != std::string::npos || message.find(".part:") != std::string::npos)
            wrong("names a temporary file");
    }

    static std::string contentOf(const Tree& tree, const std::string& name) {
        const auto found = tree.find(name);
        return found == tree.end() ? "(missing)" : found->second;
    }

    bool isWhole(const std::string& name, const std::string& bytes) const {
        if (const auto after = reference_.after.find(name);
            after != reference_.after.end() && after->second == bytes)
            return true;
        const auto given = reference_.whole.find(name);
        return given != reference_.whole.end() && given->second.count(hashOf(bytes)) != 0;
    }

    // Inputs are as they were, and files old or new, never in between.
    void checkFiles(const Outcome& outcome, const Tree& now, std::string& faults) const {
        for (const auto& [name, bytes] : reference_.before) {
            if (isJournal(name)) continue;
            const auto found = now.find(name);
            if (found == now.end()) {
                if (reference_.after.count(name) != 0) faults += "; " + name + " is lost";
            } else if (found->second != bytes && !isWhole(name, found->second) && !mayDiffer(name, outcome)) {
                faults += "; " + name + " is neither the old one nor the new one";
            }
        }
        for (const auto& [name, bytes] : now)
            if (reference_.before.count(name) == 0 && !isJournal(name) && !isTemporary(name) &&
                !name.ends_with('/') && !isWhole(name, bytes) && !mayDiffer(name, outcome))
                faults += "; " + name + " is not whole";
    }

    // Where another recording failed, what joins all of them differs; so do files that are never the same.
    bool mayDiffer(const std::string& name, const Outcome& outcome) const {
        if (reference_.unsteady.count(name) != 0) return true;
        if (outcome.kind == Outcome::foreign || outcome.said() == reference_.found.said()) return false;
        if (scenario_.joinsInputs && outcome.kind == Outcome::success) return true;
        const auto file = fs::path(name).filename().string();
        if (file.starts_with("events.") || file == "failed.csv") return true;
        // What could be read of a recording is kept, but never in place of what was there.
        if (reference_.before.count(name) != 0) return false;
        return std::ranges::any_of(newFailures(outcome), [&](const std::string& line) {
            return name.find(line.substr(0, line.find(": "))) != std::string::npos;
        });
    }

    void checkAgain(const Outcome& again, std::string& faults) const {
        if (again.kind != Outcome::success) {
            faults += "; done again, it fails: " + std::string(again.said());
            return;
        }
        if (again.said() != reference_.found.said() || again.text != reference_.found.text)
            faults += "; done again, it finds something else: " + std::string(again.said());
        const Tree now = treeOf(".");
        for (const auto& [name, bytes] : reference_.after)
            if (!isJournal(name) && reference_.unsteady.count(name) == 0 && contentOf(now, name) != bytes)
                faults += "; done again, " + name + " differs";
        for (const auto& [name, bytes] : now)
            if (reference_.namesAgain.count(name) == 0) faults += "; done again, " + name + " stays behind";
    }

    const Scenario& scenario_;
    const RoundSettings& settings_;
    fs::path template_;
    Reference reference_;
    std::vector<Point> first_, warm_;
    std::size_t tried_ = 0, tolerated_ = 0, refused_ = 0, listed_ = 0, noMemory_ = 0, fatal_ = 0, missed_ = 0,
                faults_ = 0;
    struct Group {
        std::size_t count = 0;
        std::string text;
    };
    std::map<std::string, Group> groups_; // of faults
    static inline const Rounds* dying_ = nullptr;
    static inline int dyingSlot_ = 0;
};

std::size_t Rounds::programStart() {
    std::ifstream maps("/proc/self/maps");
    std::size_t start = 0;
    maps >> std::hex >> start;
    return start;
}

} // namespace

std::size_t tryAll(const Scenario& scenario, const RoundSettings& settings) {
    return Rounds(scenario, settings).run();
}

} // namespace earshot::faults
