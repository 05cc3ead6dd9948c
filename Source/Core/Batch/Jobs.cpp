#include "Core/Batch/Jobs.h"

#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Tensor/Team.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

// The recording exists but cannot be decoded.
class UnreadableError : public Error {
  public:
    using Error::Error;
};

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
    Ledger* ledger = nullptr; // its functions are called under `mutex`
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

    void runJob(std::size_t job);
    void leave();
    void hear(const Work& item, std::size_t job, detection::Analyzer& analyzer);
    bool tryToHear(const Work& item, std::size_t job, detection::Analyzer& analyzer, JournalEntry& entry);
    formats::RecordingEvents listen(const Work& item, std::size_t job, detection::Analyzer& analyzer,
                                    Files& files, JournalEntry& entry);
    void note(std::size_t job, const Running& now);
    void wait(const Tick& tick);
};

void Jobs::Impl::runJob(std::size_t job) {
    try {
        const auto analyzer = detector.makeAnalyzer(settings.threadsEach);
        for (std::size_t i = next++; i < work.size() && !stop; i = next++) {
            hear(work[i], job, *analyzer);
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

void Jobs::Impl::hear(const Work& item, std::size_t job, detection::Analyzer& analyzer) {
    JournalEntry entry;
    entry.name = item.input.name;
    // Read the stamp before the file is opened, so that the next run notices a change during the analysis.
    entry.stamp = FileStamp::of(item.input.path);
    note(job, {&item});
    if (!tryToHear(item, job, analyzer, entry)) return;
    const std::lock_guard lock(mutex);
    ++report.tried;
    if (entry.result) ++report.heard;
    if (entry.result) report.secondsHeard += entry.result->seconds;
    workDone += workOf(entry.stamp);
}

// Analyses a recording and reports its result or error to the ledger. Returns false without a report if the
// batch stops. Throws errors that the recording did not cause.
bool Jobs::Impl::tryToHear(const Work& item, std::size_t job, detection::Analyzer& analyzer,
                           JournalEntry& entry) {
    try {
        Files files(settings.folder, entry.name, settings.outputs);
        entry.result = listen(item, job, analyzer, files, entry);
        if (stop) return false;
        files.finish(*entry.result);
        const auto targets = files.targets();
        {
            const std::lock_guard lock(mutex);
            ledger->claim(targets);
        }
        files.commit();
        const std::lock_guard lock(mutex);
        ledger->record(entry);
    } catch (const WriteError& error) {
        // On a full or missing disk, all following recordings would fail, too.
        if (error.reach() == WriteError::Reach::allResults) throw;
        const std::lock_guard lock(mutex);
        ledger->noteFailure(entry.name, error.what());
    } catch (const UnreachableError& error) {
        const std::lock_guard lock(mutex);
        ledger->noteUnreachable(entry.name, error.what());
    } catch (const UnreadableError& error) {
        entry.failure = error.what();
        const std::lock_guard lock(mutex);
        ledger->recordUnreadable(entry);
    }
    return true;
}

formats::RecordingEvents Jobs::Impl::listen(const Work& item, std::size_t job, detection::Analyzer& analyzer,
                                            Files& files, JournalEntry& entry) {
    const Input& input = item.input;
    try {
        if (input.problem) throw UnreachableError(*input.problem);
        audio::AudioFile audio(input.path, Pipes::refused, detector.reading);
        const detection::RecordingQuestion question{.settings = detector.settings,
                                                    .reported = detector.reported,
                                                    .observers = files.observers(),
                                                    .nearMisses = false};
        const auto result = detection::analyzeRecording(
            audio, analyzer, detector.modelRate, question, [&](double seconds, std::optional<double> total) {
                note(job,
                     {&item, workOf(entry.stamp), total ? std::min(1.0, seconds / *total) : 0.0, seconds});
                return !stop;
            });
        if (result.summary.failure) {
            // A partial result replaces no result, but not an earlier complete one.
            if (audio.readFailed() && item.heardBefore) throw UnreachableError(*result.summary.failure);
            entry.failure = *result.summary.failure;
        }
        for (const std::string& warning : result.summary.warnings) {
            const std::lock_guard lock(mutex);
            report.warnings.push_back(fmt::format("{}: {}", displayName(input.path), warning));
        }
        return recordingEvents(input.name, audio, result, detector);
    } catch (const WriteError&) {
        throw;
    } catch (const UnreachableError&) {
        throw;
    } catch (const Error& error) {
        throw UnreadableError(error.what());
    }
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

JobReport Jobs::run(std::span<const Work> work, Ledger& ledger, const Tick& tick) {
    Impl& impl = *impl_;
    const auto jobs = static_cast<std::size_t>(std::max(1, impl.settings.jobs));
    impl.work = work;
    impl.ledger = &ledger;
    impl.runningNow.assign(jobs, {});
    impl.running = static_cast<int>(jobs);
    // If the user has stopped the batch already, begin nothing.
    if (tick && !tick(impl.report, 0.0)) {
        impl.report.stopped = true;
        return impl.report;
    }
    tensor::Team team(static_cast<int>(jobs) + 1);
    team.run([&](int member) {
        if (member == 0)
            impl.wait(tick);
        else
            impl.runJob(static_cast<std::size_t>(member) - 1);
    });
    return impl.report;
}

} // namespace earshot::batch
