#include "Core/Batch/Jobs.h"

#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Continuous.h"
#include "Core/Tensor/ThreadPool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

// The recording exists but cannot be decoded.
class UnreadableError : public Error {
  public:
    using Error::Error;
};

// Errors that its audio causes say that a recording cannot be decoded.
template <typename Make>
auto asUnreadable(Make make) {
    try {
        return make();
    } catch (const WriteError&) {
        throw;
    } catch (const UnreachableError&) {
        throw;
    } catch (const Error& error) {
        throw UnreadableError(error.what());
    }
}

// How much work a recording is, as bytes of audio. Opening it and writing its results takes as long as that
// of so many bytes.
double workOf(const FileStamp& stamp) {
    constexpr double eachRecording = 1e6;
    return eachRecording + static_cast<double>(std::max<std::int64_t>(0, stamp.size));
}

constexpr auto tickInterval = std::chrono::milliseconds(200);

// The files of one recording while they are written.
class Files {
  public:
    Files(const fs::path& folder, const std::string& name, const OutputKinds& kinds) {
        for (const auto& kind : kinds)
            files_.emplace_back(outputFile(folder, name, kind->suffix()), WholeFile::MissingFolders::made);
        for (std::size_t i = 0; i < kinds.size(); ++i) writers_.push_back(kinds[i]->write(files_[i]));
    }

    std::vector<detection::ColumnObserver*> observers() const {
        std::vector<detection::ColumnObserver*> wanted;
        for (const auto& writer : writers_)
            if (auto* observer = writer->observer()) wanted.push_back(observer);
        return wanted;
    }

    std::vector<fs::path> targets() const {
        std::vector<fs::path> all;
        for (const WholeFile& file : files_) all.push_back(file.target());
        return all;
    }

    void finish(const formats::RecordingEvents& recording) {
        for (const auto& writer : writers_) writer->finish(recording);
        for (WholeFile& file : files_) file.beginSync();
    }
    void place(std::set<fs::path>& folders) { WholeFile::place(files_, folders); }

  private:
    std::vector<WholeFile> files_; // outlive their writers
    std::vector<std::unique_ptr<OutputWriter>> writers_;
};

// What a job reports of a recording, and the files that are to be put into place.
struct Finished {
    enum class Outcome { result, unreadable, unreachable, failed };
    JournalEntry entry;
    Outcome outcome = Outcome::result;
    std::string why; // unless it is a result
    std::unique_ptr<Files> files;

    void fail(Outcome how, std::string cause) {
        outcome = how;
        why = std::move(cause);
        files.reset();
    }
    void report(ResultSink& sink) const {
        switch (outcome) {
        case Outcome::result:
            return sink.record(entry);
        case Outcome::unreadable:
            return sink.recordUnreadable(entry);
        case Outcome::unreachable:
            return sink.noteUnreachable(entry.name, why);
        case Outcome::failed:
            return sink.noteFailure(entry.name, why);
        }
    }
};

// On a full or missing disk, all following recordings would fail, too.
bool stopsAll(const WriteError& error) { return error.reach() == WriteError::Reach::allResults; }

constexpr std::size_t maxWaiting = 16; // recordings with open files
// So many of them, or those of that time, wait for the disk together.
constexpr std::size_t groupSize = maxWaiting / 2;
constexpr auto groupTime = std::chrono::milliseconds(100);

} // namespace

struct Jobs::Impl {
    Impl(JobSettings how, const detection::Detector& what)
        : settings(std::move(how))
        , detector(what) {}

    JobSettings settings;
    const detection::Detector& detector;

    std::span<const Work> work;
    ResultSink* sink = nullptr; // commitAll()'s thread calls it
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};

    std::mutex mutex; // guards the members below
    std::condition_variable ended;
    int running = 0; // threads: the jobs, and the one that commits
    std::condition_variable queueChanged;
    std::vector<Finished> waiting; // for commitAll(), at most maxWaiting
    JobReport report;
    double workDone = 0.0;
    struct Running {
        const Work* item = nullptr; // null: none
        double work = 0.0;
        double share = 0.0; // 0 to 1, what was heard of it
        double seconds = 0.0;
    };
    std::vector<Running> runningNow; // (jobs)

    // What each job takes next: all takes of a recorder, if they are joined.
    std::vector<std::vector<Take>> recorders;
    std::map<std::string, const Work*> works; // by name, for takes

    using Make = std::function<formats::RecordingEvents(Files& files, JournalEntry& entry)>;

    std::size_t queued() const { return settings.continuous ? recorders.size() : work.size(); }
    void runJob(std::size_t job);
    void leave();
    void analyse(const Work& item, std::size_t job, detection::Analyzer& analyzer);
    void hearRecorder(std::span<const Take> takes, std::size_t job, detection::Analyzer& analyzer);
    std::size_t hearJoined(std::span<const Take> takes, std::size_t job, detection::Analyzer& analyzer);
    void finish(const Work& item, const FileStamp& stamp, const Make& make);
    void queue(Finished finished);
    void commitAll();
    void commit(std::vector<Finished>& group);
    formats::RecordingEvents listen(const Work& item, std::size_t job, detection::Analyzer& analyzer,
                                    Files& files, JournalEntry& entry);
    formats::RecordingEvents resultOf(const Work& item, const TakeResult& take, JournalEntry& entry);
    void judge(const Work& item, const detection::FileSummary& summary, bool readFailed, JournalEntry& entry);
    formats::RecordingEvents describe(const Work& item, int sampleRate, int channels) const;
    void note(std::size_t job, const Running& now);
    void wait(const Tick& tick);
};

void Jobs::Impl::runJob(std::size_t job) {
    try {
        const auto analyzer = detector.makeAnalyzer(settings.threadsEach);
        for (std::size_t i = next++; i < queued() && !stop; i = next++) {
            if (settings.continuous)
                hearRecorder(recorders[i], job, *analyzer);
            else
                analyse(work[i], job, *analyzer);
            note(job, {});
        }
    } catch (...) {
        stop = true;
        leave();
        throw;
    }
    leave();
}

void Jobs::Impl::leave() {
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_all();
    queueChanged.notify_all();
}

void Jobs::Impl::note(std::size_t job, const Running& now) {
    const std::lock_guard lock(mutex);
    runningNow[job] = now;
}

void Jobs::Impl::analyse(const Work& item, std::size_t job, detection::Analyzer& analyzer) {
    // Read the stamp before the file is opened, so that the next run notices a change during the analysis.
    const auto stamp = FileStamp::of(item.input.path);
    note(job, {&item});
    finish(item, stamp, [&](Files& files, JournalEntry& entry) {
        return asUnreadable([&] { return listen(item, job, analyzer, files, entry); });
    });
}

void Jobs::Impl::hearRecorder(std::span<const Take> takes, std::size_t job, detection::Analyzer& analyzer) {
    while (!takes.empty() && !stop) takes = takes.subspan(hearJoined(takes, job, analyzer));
}

// Analyses takes as long as they join, and reports each. Returns how many.
std::size_t Jobs::Impl::hearJoined(std::span<const Take> takes, std::size_t job,
                                   detection::Analyzer& analyzer) {
    std::map<std::string, FileStamp> stamps;
    const auto open = [&](const Take& take) {
        stamps[take.input.name] = FileStamp::of(take.input.path);
        if (take.input.problem) throw UnreachableError(*take.input.problem);
        return std::make_unique<audio::AudioFile>(take.input.path, Pipes::refused, detector.how.reading);
    };
    const JoinedAnalysis how{.analyzer = analyzer,
                             .detector = detector,
                             .nearMisses = false,
                             .progress =
                                 [&](std::size_t take, double seconds, std::optional<double> length) {
                                     const std::string& name = takes[take].input.name;
                                     note(job, {works.at(name), workOf(stamps[name]),
                                                length ? std::min(1.0, seconds / *length) : 0.0, seconds});
                                     return !stop;
                                 },
                             .note =
                                 [&](const std::string& text) {
                                     const std::lock_guard lock(mutex);
                                     report.warnings.push_back(text);
                                 }};
    std::vector<TakeResult> results;
    std::exception_ptr problem; // of the first take
    try {
        results = analyzeJoined(takes, open, how);
    } catch (const Error&) {
        problem = std::current_exception();
    }
    const std::size_t count = std::max<std::size_t>(1, results.size());
    for (std::size_t i = 0; i < count && !stop; ++i) {
        const Work& item = *works.at(takes[i].input.name);
        finish(item, stamps[item.input.name], [&](Files&, JournalEntry& entry) {
            return asUnreadable([&] {
                if (problem) std::rethrow_exception(problem);
                return resultOf(item, results[i], entry);
            });
        });
    }
    return count;
}

// Writes the files of a recording under temporary names, and passes it on. Throws errors that the recording
// did not cause.
void Jobs::Impl::finish(const Work& item, const FileStamp& stamp, const Make& make) {
    Finished finished;
    JournalEntry& entry = finished.entry;
    entry.name = item.input.name;
    entry.stamp = stamp;
    try {
        finished.files = std::make_unique<Files>(settings.folder, entry.name, settings.outputs);
        entry.result = make(*finished.files, entry);
        if (stop) return;
        auto shown = *entry.result;
        shown.start = settings.starts.shown(shown.start);
        finished.files->finish(shown);
    } catch (const WriteError& error) {
        if (stopsAll(error)) throw;
        finished.fail(Finished::Outcome::failed, error.what());
    } catch (const UnreachableError& error) {
        finished.fail(Finished::Outcome::unreachable, error.what());
    } catch (const UnreadableError& error) {
        entry.failure = error.what();
        finished.fail(Finished::Outcome::unreadable, entry.failure);
    }
    queue(std::move(finished));
}

void Jobs::Impl::queue(Finished finished) {
    std::unique_lock lock(mutex);
    queueChanged.wait(lock, [&] { return waiting.size() < maxWaiting || stop; });
    waiting.push_back(std::move(finished));
    queueChanged.notify_all();
}

// Commits what jobs have finished, until they have ended. What waits when a batch stops is committed, too.
void Jobs::Impl::commitAll() {
    try {
        for (;;) {
            std::unique_lock lock(mutex);
            queueChanged.wait(lock, [&] { return !waiting.empty() || running == 1; });
            queueChanged.wait_for(lock, groupTime,
                                  [&] { return waiting.size() >= groupSize || running == 1; });
            auto group = std::exchange(waiting, {});
            lock.unlock();
            if (group.empty()) break;
            queueChanged.notify_all();
            commit(group);
        }
    } catch (...) {
        stop = true;
        leave();
        throw;
    }
    leave();
}

void Jobs::Impl::commit(std::vector<Finished>& group) {
    const auto eachResult = [&](const auto& work) {
        for (Finished& finished : group) {
            if (finished.outcome != Finished::Outcome::result) continue;
            try {
                work(*finished.files);
            } catch (const WriteError& error) {
                if (stopsAll(error)) throw;
                finished.fail(Finished::Outcome::failed, error.what());
            }
        }
    };
    sink->together([&] { eachResult([&](const Files& files) { sink->claim(files.targets()); }); });
    std::set<fs::path> folders;
    eachResult([&](Files& files) { files.place(folders); });
    WholeFile::syncFolders(folders);
    sink->together([&] {
        for (const Finished& finished : group) finished.report(*sink);
    });
    const std::lock_guard lock(mutex);
    for (const auto& [entry, outcome, why, files] : group) {
        const bool isResult = outcome == Finished::Outcome::result;
        ++report.tried;
        if (isResult) ++report.heard;
        if (isResult) report.secondsHeard += entry.result->seconds;
        workDone += workOf(entry.stamp);
    }
}

formats::RecordingEvents Jobs::Impl::listen(const Work& item, std::size_t job, detection::Analyzer& analyzer,
                                            Files& files, JournalEntry& entry) {
    const Input& input = item.input;
    if (input.problem) throw UnreachableError(*input.problem);
    audio::AudioFile audio(input.path, Pipes::refused, detector.how.reading);
    auto question = detector.question();
    question.observers = files.observers();
    const auto result = detection::analyzeRecording(
        audio, analyzer, detector.modelRate, question, [&](double seconds, std::optional<double> total) {
            note(job, {&item, workOf(entry.stamp), total ? std::min(1.0, seconds / *total) : 0.0, seconds});
            return !stop;
        });
    judge(item, result.summary, audio.readFailed(), entry);
    auto recording = describe(item, audio.sampleRate(), audio.channels());
    recording.start = settings.starts.found(input.path);
    return recordingEvents(std::move(recording), result, detector.labels);
}

formats::RecordingEvents Jobs::Impl::resultOf(const Work& item, const TakeResult& take, JournalEntry& entry) {
    judge(item, take.result.summary, take.readFailed, entry);
    auto recording = describe(item, take.sampleRate, take.channels);
    recording.start = take.start;
    return recordingEvents(std::move(recording), take.result, detector.labels);
}

void Jobs::Impl::judge(const Work& item, const detection::FileSummary& summary, bool readFailed,
                       JournalEntry& entry) {
    if (summary.failure) {
        // A partial result replaces no result, but not an earlier complete one.
        if (readFailed && item.heardBefore) throw UnreachableError(*summary.failure);
        entry.failure = *summary.failure;
    }
    const std::lock_guard lock(mutex);
    report.secondsPassedOver += summary.passedOver;
    for (const std::string& warning : summary.warnings)
        report.warnings.push_back(fmt::format("{}: {}", displayName(item.input.path), warning));
}

formats::RecordingEvents Jobs::Impl::describe(const Work& item, int sampleRate, int channels) const {
    return {.file = item.input.name,
            .sampleRate = sampleRate,
            .channels = channels,
            .minHz = detector.minHz,
            .maxHz = detector.maxHz,
            .folder = settings.base.generic_string(),
            .path = (settings.base / item.input.name).generic_string()};
}

void Jobs::Impl::wait(const Tick& tick) {
    double workTotal = 0.0;
    for (const Work& item : work) workTotal += workOf(FileStamp::of(item.input.path));
    std::unique_lock lock(mutex);
    while (running > 0) {
        ended.wait_for(lock, tickInterval, [&] { return running == 0; });
        JobReport soFar = report;
        double workSoFar = workDone;
        for (const Running& each : runningNow) {
            workSoFar += each.share * each.work;
            soFar.secondsHeard += each.seconds;
            if (each.item != nullptr) soFar.hearing.push_back({each.item->input.name, each.share});
        }
        lock.unlock();
        if (tick && !tick(soFar, std::min(1.0, workSoFar / workTotal)) && !stop.exchange(true)) {
            lock.lock();
            report.stopped = true;
            lock.unlock();
        }
        lock.lock();
    }
}

Jobs::Jobs(JobSettings settings, const detection::Detector& detector)
    : impl_(std::make_unique<Impl>(std::move(settings), detector)) {}
Jobs::~Jobs() = default;

JobReport Jobs::run(std::span<const Work> work, ResultSink& sink, const Tick& tick) {
    Impl& impl = *impl_;
    const auto jobs = static_cast<std::size_t>(std::max(1, impl.settings.jobs));
    impl.work = work;
    impl.sink = &sink;
    if (impl.settings.continuous) {
        std::vector<Input> inputs;
        for (const Work& item : work) {
            inputs.push_back(item.input);
            impl.works.emplace(item.input.name, &item);
        }
        impl.recorders = takesOf(inputs, impl.settings.starts);
    }
    impl.runningNow.assign(jobs, {});
    impl.running = static_cast<int>(jobs) + 1;
    // If the user has stopped the batch already, begin nothing.
    if (tick && !tick(impl.report, 0.0)) {
        impl.report.stopped = true;
        return impl.report;
    }
    tensor::ThreadPool team(static_cast<int>(jobs) + 2);
    team.run([&](int member) {
        if (member == 0)
            impl.wait(tick);
        else if (member == 1)
            impl.commitAll();
        else
            impl.runJob(static_cast<std::size_t>(member) - 2);
    });
    return impl.report;
}

} // namespace earshot::batch
