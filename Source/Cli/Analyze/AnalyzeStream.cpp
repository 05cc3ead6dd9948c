#include "Cli/Analyze/BatchReport.h"
#include "Cli/Analyze/OpenDetector.h"
#include "Cli/Analyze/PlotOutput.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/TableDocument.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Batch/Continuous.h"
#include "Core/Formats/TopDocuments.h"

namespace earshot::cli {

namespace {

std::string topFormat(const AnalyzeOptions& options) {
    return options.formats.empty() ? "table" : options.formats.front();
}

// A run over all files, with one analyzer and one writer.
class StreamRun {
  public:
    StreamRun(const AnalyzeOptions& options, const formats::EventFormat* format)
        : options_(options)
        , detector_(openDetector(options))
        , analyzer_(detector_.makeAnalyzer(options.threads))
        , rows_(format != nullptr && (format->name == "csv" || format->name == "jsonl"))
        , output_(options.output)
        , document_(options.top ? formats::makeTopDocument(topFormat(options), *options.top)
                                : makeDocument(format, options.explain, output_)) {}

    int run(const batch::Inputs& inputs) {
        base_ = inputs.base;
        output_.write(document_->begin());
        if (options_.continuous)
            analyzeRecorders(inputs.recordings);
        else
            for (const batch::Input& input : inputs.recordings) {
                analyze(input);
                if (interrupted()) break;
            }
        output_.write(document_->end());
        if (const auto passed = passedOverText(passedOver_, seconds_); !passed.empty() && !options_.quiet)
            printNote(passed);
        if (interrupted()) {
            output_.finishInterrupted();
            return interruption;
        }
        output_.finish();
        return failed_ ? failure : success;
    }

  private:
    void analyze(const batch::Input& input) {
        std::optional<formats::RecordingEvents> result;
        try {
            if (input.problem) throw Error(*input.problem);
            audio::AudioFile audio = open(input);
            result = listen(input, audio);
        } catch (const Error& error) {
            // Ctrl-C while the program waits for standard input is no failure of this input.
            if (!interrupted()) fail(error.what());
        }
        if (result) output_.write(document_->add(*result));
    }

    // A pipe on standard input is read as it comes where results can be written so: it may have no end.
    audio::AudioFile open(const batch::Input& input) {
        constexpr int standardInput = 0;
        const auto status = platform::statusOf(standardInput);
        const bool isFile = status && status->kind == platform::FileKind::regular;
        live_ = false;
        if (!input.isStandardInput() || isFile || !rows_ || options_.top || options_.plot)
            return openAudio(input, options_.reading);
        std::shared_ptr<audio::PipeInput> pipe;
        if (auto live = openLiveInput(pipe, options_.reading)) {
            live_ = true;
            analyzer_ = detector_.makeLiveAnalyzer();
            return std::move(*live);
        }
        return audio::AudioFile::copyOf(*pipe, options_.reading);
    }

    void analyzeRecorders(const std::vector<batch::Input>& inputs) {
        for (const auto& takes : batch::takesOf(inputs, options_.starts)) {
            std::span<const batch::Take> rest(takes);
            while (!rest.empty() && !interrupted()) rest = rest.subspan(analyzeJoined(rest));
        }
    }

    // Analyses takes as long as they continue each other. Returns how many.
    std::size_t analyzeJoined(std::span<const batch::Take> takes) {
        ProgressLine progress(!options_.quiet);
        std::vector<std::string> notes;
        const batch::JoinedAnalysis how{.analyzer = *analyzer_,
                                        .detector = detector_,
                                        .nearMisses = options_.explain,
                                        .progress =
                                            [&](std::size_t take, double done, std::optional<double> total) {
                                                progress.show(takes[take].input.path.string(), done, total);
                                                return !interrupted();
                                            },
                                        .note = [&](const std::string& note) { notes.push_back(note); }};
        try {
            const auto results = batch::analyzeJoined(
                takes, [this](const batch::Take& take) { return openTake(take); }, how);
            progress.clear();
            if (!options_.quiet)
                for (const std::string& note : notes) printNote(note);
            for (const auto& each : results) writeTake(takes[each.take], each);
            return results.size();
        } catch (const Error& error) {
            progress.clear();
            if (!interrupted()) fail(error.what());
            return 1;
        }
    }

    std::unique_ptr<audio::AudioFile> openTake(const batch::Take& take) const {
        if (take.input.problem) throw Error(*take.input.problem);
        return std::make_unique<audio::AudioFile>(openAudio(take.input, options_.reading));
    }

    void writeTake(const batch::Take& take, const batch::TakeResult& each) {
        report(take.input.path.string(), each.result.summary);
        auto recording = describe(take.input, each.sampleRate, each.channels);
        recording.start = options_.starts.shown(each.start);
        output_.write(
            document_->add(detection::recordingEvents(std::move(recording), each.result, detector_.labels)));
    }

    formats::RecordingEvents listen(const batch::Input& input, audio::AudioFile& audio) {
        const std::string file = input.path.string();
        ProgressLine progress(!options_.quiet);
        auto question = detector_.question(options_.explain);
        std::optional<PlotFile> plot;
        if (live_)
            question.settled = [&](std::span<const detection::Event> events) {
                progress.clear();
                auto recording = describe(input);
                recording.events = detection::timedEvents(events, detector_.labels);
                output_.write(document_->add(recording));
            };
        if (options_.plot)
            question.observers.push_back(plot.emplace(*options_.plot, detector_, file).observer());
        const auto result = detection::analyzeRecording(audio, *analyzer_, detector_.modelRate, question,
                                                        [&](double done, std::optional<double> total) {
                                                            progress.show(file, done, total);
                                                            return !interrupted();
                                                        });
        progress.clear();
        report(file, result.summary);
        auto recording = detection::recordingEvents(describe(input, audio.sampleRate(), audio.channels()),
                                                    result, detector_.labels);
        if (plot) finish(*plot, recording);
        return recording;
    }

    // What is odd about a recording, and what of it was heard.
    void report(const std::string& file, const detection::FileSummary& summary) {
        seconds_ += summary.seconds;
        passedOver_ += summary.passedOver;
        if (summary.failure) fail(*summary.failure);
        if (!options_.quiet) printWarnings(file, summary.warnings);
    }

    // A recording, without what is in it. Rate and channels are 0 until it is read.
    formats::RecordingEvents describe(const batch::Input& input, int sampleRate = 0, int channels = 0) const {
        const audio::Starts& starts = options_.starts;
        formats::RecordingEvents recording{
            .file = input.path.string(),
            .sampleRate = sampleRate,
            .channels = channels,
            .minHz = detector_.minHz,
            .maxHz = detector_.maxHz,
            .start = starts.shown(input.isStandardInput() ? starts.stated : starts.found(input.path))};
        if (input.isStandardInput()) return recording;
        recording.folder = base_.generic_string();
        recording.path = batch::tidied(input.path).generic_string();
        return recording;
    }

    // A picture that cannot be written does not cost the results.
    void finish(PlotFile& plot, const formats::RecordingEvents& recording) {
        try {
            plot.finish(recording);
        } catch (const Error& error) {
            fail(error.what());
        }
    }

    void fail(const std::string& message) {
        printError(message);
        failed_ = true;
    }

    const AnalyzeOptions& options_;
    std::filesystem::path base_; // of the inputs
    detection::Detector detector_;
    std::unique_ptr<detection::Analyzer> analyzer_;
    bool rows_;         // whether the format has a row an event
    bool live_ = false; // events of the present recording are written as they are settled
    OutputStream output_;
    std::unique_ptr<formats::ResultDocument> document_;
    bool failed_ = false;
    double seconds_ = 0.0, passedOver_ = 0.0; // of all recordings
};

void checkFiles(const AnalyzeOptions& options, const std::vector<batch::Input>& inputs) {
    if (!options.output && !options.plot) return;
    OutputCheck files;
    addOutput(files, options.output);
    if (options.plot) files.writes(plotPath(*options.plot, inputs.front().path));
    addModel(files, locateModel(options.model).file);
    for (const auto& file : filesOf(options.queries.choice)) files.reads(file, "the queries");
    if (options.list == "-")
        files.readsStandardInput("the list");
    else if (options.list)
        files.reads(*options.list, "the list");
    addRecordings(files, inputs);
    requireSafe(files, options.overwrite);
}

// Returns null for a table.
const formats::EventFormat* chooseFormat(const AnalyzeOptions& options, std::size_t recordings) {
    if (options.formats.size() > 1)
        throw UsageError("--format: one at a time here; several need --output-dir, with a file for each");
    if (options.formats.empty() || options.formats.front() == "table") return nullptr;
    const auto* const format = formats::formatNamed(options.formats.front());
    if (format != nullptr && !format->joins && recordings > 1)
        throw UsageError("--format " + options.formats.front() +
                         " holds one recording; --output-dir makes a file for each of several");
    return format;
}

} // namespace

int analyzeToStream(const AnalyzeOptions& options, const batch::Inputs& inputs) {
    const auto& recordings = inputs.recordings;
    const auto* const format = chooseFormat(options, recordings.size());
    if (options.top) requireTopFormat(topFormat(options));
    if (options.explain && options.top) throw UsageError("--explain is about events; leave --top out");
    if (options.explain && format != nullptr)
        throw UsageError("--explain is for the table alone; use --format table");
    if (options.plot) checkPlotFile(recordings);
    checkFiles(options, recordings);
    return StreamRun(options, format).run(inputs);
}

} // namespace earshot::cli
