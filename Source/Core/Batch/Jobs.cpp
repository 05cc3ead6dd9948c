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
    }
    void commit() { WholeFile::commit(files_); }

  private:
    std::vector<WholeFile> files_; // outlive their writers
    std::vector<std::unique_ptr<OutputWriter>> writers_;
};

} // namespace

struct Jobs::Impl {
    Impl(JobSettings how, const detection::Detector& what)
        : settings(std::move(how))
        , detector(what) {}

    JobSettings settings;
    const detection::Detector& detector;

    std::span<const Work> work;
    ResultSink* sink = nullptr; // its functions are called under `mutex`
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};

    std::mutex mutex; // guards the members below
    std::condition_variable ended;
    int running = 0;
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
    bool tryToFinish(JournalEntry& entry, const Make& make);
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

// Writes the files of a recording and counts it.
void Jobs::Impl::finish(const Work& item, const FileStamp& stamp, const Make& make) {
    JournalEntry entry;
    entry.name = item.input.name;
    entry.stamp = stamp;
    if (!tryToFinish(entry, make)) return;
    const std::lock_guard lock(mutex);
    ++report.tried;
    if (entry.result) ++report.heard;
    if (entry.result) report.secondsHeard += entry.result->seconds;
    workDone += workOf(entry.stamp);
}

// Makes a recording's result and reports it, or its error, to the ledger. Returns false without a report if
// the batch stops. Throws errors that the recording did not cause.
bool Jobs::Impl::tryToFinish(JournalEntry& entry, const Make& make) {
    try {
        Files files(settings.folder, entry.name, settings.outputs);
        entry.result = make(files, entry);
        if (stop) return false;
        auto shown = *entry.result;
        shown.start = settings.starts.shown(shown.start);
        files.finish(shown);
        const auto targets = files.targets();
        {
            const std::lock_guard lock(mutex);
            sink->claim(targets);
        }
        files.commit();
        const std::lock_guard lock(mutex);
        sink->record(entry);
    } catch (const WriteError& error) {
        // On a full or missing disk, all following recordings would fail, too.
        if (error.reach() == WriteError::Reach::allResults) throw;
        const std::lock_guard lock(mutex);
        sink->noteFailure(entry.name, error.what());
    } catch (const UnreachableError& error) {
        const std::lock_guard lock(mutex);
        sink->noteUnreachable(entry.name, error.what());
    } catch (const UnreadableError& error) {
        entry.failure = error.what();
        const std::lock_guard lock(mutex);
        sink->recordUnreadable(entry);
    }
    return true;
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
    impl.running = static_cast<int>(jobs);
    // If the user has stopped the batch already, begin nothing.
    if (tick && !tick(impl.report, 0.0)) {
        impl.report.stopped = true;
        return impl.report;
    }
    tensor::ThreadPool team(static_cast<int>(jobs) + 1);
    team.run([&](int member) {
        if (member == 0)
            impl.wait(tick);
        else
            impl.runJob(static_cast<std::size_t>(member) - 1);
    });
    return impl.report;
}

} // namespace earshot::batch
