// `earshot listen`: analyses audio that has no end and writes each event as soon as it is settled. Where a
// device goes away, what sounds ends there, and the command waits until the device is back.
#include "Cli/Analyze/OpenDetector.h"
#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Listen/LiveInput.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Clock.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Platform/Udp.h"
#include "Core/Formats/EventLog.h"
#include "Core/Formats/OscMessage.h"
#include "Core/Formats/TextTable.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace earshot::cli {

namespace {

constexpr const char* instance = "listen"; // in log and messages, beside those of plugins

// Now, in UTC.
WallTime currentTime() {
    using namespace std::chrono;
    const auto since = system_clock::now().time_since_epoch();
    return {.milliseconds = duration_cast<milliseconds>(since).count(), .offset = 0};
}

// Rows on standard output: a table that grows, CSV or JSON lines.
class LiveRows {
  public:
    LiveRows(ListenFormat format, const std::vector<std::string>& labels)
        : document_(
              format == ListenFormat::table
                  ? nullptr
                  : formats::formatNamed(format == ListenFormat::csv ? "csv" : "jsonl")->makeDocument({})) {
        constexpr std::size_t widest = 30; // columns
        for (const auto& label : labels) width_ = std::clamp(label.size(), width_, widest);
        output_.write(document_ ? document_->begin() : formats::tableLines({}, width_));
    }

    void add(const formats::RecordingEvents& events) {
        if (document_) return output_.write(document_->add(events));
        const std::string table = formats::tableLines(events.events, width_);
        output_.write(table.substr(table.find('\n') + 1)); // without its headings
    }

  private:
    OutputStream output_;
    std::unique_ptr<formats::ResultDocument> document_; // null: a table
    std::size_t width_ = 5;                             // columns of names
};

class ListenRun {
  public:
    explicit ListenRun(const ListenOptions& options)
        : options_(options)
        , detector_(openDetector(options.analysis))
        , analyzer_(detector_.makeLiveAnalyzer())
        , rows_(options.format, detector_.labels)
        , log_(options.eventLog.value_or(std::string()), "--event-log") {
        if (const auto receiver = options.oscReceiver()) {
            osc_.emplace(receiver->first, receiver->second);
            if (!osc_->problem().empty())
                throw Error("--osc " + *options.osc + ": cannot be sent to (" + osc_->problem() +
                            "); check the address and the network");
        }
    }

    int run() {
        log_.begin();
        std::optional<LiveInput> input;
        input.emplace(options_);
        begun_ = std::chrono::steady_clock::now();
        start_ = options_.analysis.starts.shown(options_.analysis.starts.stated.value_or(currentTime()));
        note("listening to " + input->name());
        while (true) {
            listen(*input);
            if (interrupted() || options_.fromStandardInput()) break;
            input.reset();
            if (!waitFor(input)) break;
        }
        finish();
        return failed_ ? failure : success;
    }

  private:
    void listen(LiveInput& input) {
        auto question = detector_.question();
        question.settled = [this](std::span<const detection::Event> events) { write(events); };
        const auto heard = detection::analyzeRecording(input.audio(), *analyzer_, detector_.modelRate,
                                                       question, [this](double, std::optional<double>) {
                                                           tellLogProblem();
                                                           return !interrupted();
                                                       });
        heard_ += heard.summary.seconds;
        lost_ += static_cast<double>(input.lostFrames()) / input.audio().sampleRate();
        if (heard.summary.failure && !interrupted()) {
            printError(*heard.summary.failure);
            failed_ = options_.fromStandardInput();
        }
        if (!options_.analysis.quiet) printWarnings(options_.input, heard.summary.warnings);
    }

    void write(std::span<const detection::Event> events) {
        formats::RecordingEvents result;
        result.file = options_.input;
        result.start = start_;
        result.events = detection::timedEvents(events, detector_.labels);
        for (formats::TimedEvent& event : result.events) {
            event.onset += offset_;
            event.offset += offset_;
        }
        count_ += events.size();
        log_.add(result, instance); // first: standard output may have gone
        if (osc_)
            for (const formats::TimedEvent& event : result.events)
                osc_->send(formats::oscMessage(event, instance));
        rows_.add(result);
    }

    // Waits until the device is there again. False: Ctrl-C came first.
    bool waitFor(std::optional<LiveInput>& input) {
        const double gone = secondsSince(begun_);
        sayAndLog(fmt::format("{} gives no audio any more, at {}; waiting for it", options_.input,
                              clockTime(gone)));
        constexpr std::chrono::milliseconds rest{250};
        while (!interrupted()) {
            std::this_thread::sleep_for(rest);
            const double now = secondsSince(begun_);
            try {
                input.emplace(options_);
            } catch (const Error&) {
                logCaught("waiting for a device");
                continue; // not yet
            }
            offset_ = now;
            ++gaps_;
            sayAndLog(
                fmt::format("{} is back, at {}, after {:.0f} s", options_.input, clockTime(now), now - gone));
            return true;
        }
        return false;
    }

    void tellLogProblem() {
        const std::string problem = log_.problem();
        if (problem == logProblem_) return;
        if (!problem.empty()) printError(problem);
        if (problem.empty()) note("the event log is written again");
        logProblem_ = problem;
    }

    void finish() {
        const auto summary = fmt::format("{} in {}, {}, {:.2f} s lost", counted(count_, "event"),
                                         clockTime(heard_), counted(gaps_, "gap"), lost_);
        log_.note(summary);
        log_.finish();
        if (log_.dropped() > 0) {
            printError(fmt::format("{} of the events could not be written to the event log: {}",
                                   log_.dropped(), log_.problem()));
            failed_ = true;
        }
        note(summary);
    }

    void sayAndLog(const std::string& text) {
        log_.note(text);
        note(text);
    }

    void note(const std::string& text) const {
        if (!options_.analysis.quiet) printNote(text);
    }

    const ListenOptions& options_;
    detection::Detector detector_;
    std::unique_ptr<detection::Analyzer> analyzer_;
    LiveRows rows_;
    formats::EventLog log_;
    std::string logProblem_;
    std::optional<platform::UdpSender> osc_;
    std::chrono::steady_clock::time_point begun_;
    std::optional<WallTime> start_;
    double offset_ = 0.0; // seconds from the start to the first sample of this stretch
    double heard_ = 0.0, lost_ = 0.0;
    std::size_t count_ = 0;
    int gaps_ = 0;
    bool failed_ = false;
};

} // namespace

Command makeListenCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("listen", "Detect sound events live, from a device or standard input");
    const auto options = std::make_shared<ListenOptions>();
    addListenOptions(*command, *options);
    return {command, [options]() -> int {
                if (options->input.empty())
                    throw UsageError("INPUT is required: -, jack or alsa; see 'earshot listen --help'");
                if (interrupted()) return interruption;
                return ListenRun(*options).run();
            }};
}

} // namespace earshot::cli
