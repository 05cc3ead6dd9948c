#include "Cli/Events/EventsCommand.h"

#include "Cli/Analyze/EventChoice.h"
#include "Cli/CommonOptions.h"
#include "Cli/DecidingOptions.h"
#include "Cli/Events/KeptFiles.h"
#include "Cli/ExitCode.h"
#include "Cli/Output/OutputRules.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/ResultWriter.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Kept/ActivationReader.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  earshot analyze archive/ --output-dir results --keep-activations\n"
    "  earshot events results/ --threshold 0.3 --format csv --output sounds.csv\n"
    "  earshot events results/ --only Dog --min-duration 0.5 --format raven --output-dir dogs\n"
    "  earshot events results/ --confidence auto --format json --output sure.json\n"
    "  earshot events results/night.flac.activations.safetensors --explain\n";

struct EventsOptions : DecidingOptions {
    std::vector<std::string> files; // folders too
    std::string format = "table";
    bool explain = false;
    std::optional<std::string> output;
    std::optional<std::string> outputDirectory;
    bool overwrite = false;
    bool quiet = false;
};

void declareOptions(CLI::App& command, EventsOptions& options) {
    command.footer(examples);
    command
        .add_option("FILE", options.files,
                    "Files that 'earshot analyze --keep-activations' made, and folders that hold such")
        ->required()
        ->type_name("");
    declareDecidingOptions(command, options);

    const std::string results = "Results";
    std::string shown;
    std::vector<std::string> names = {"table"};
    for (const auto& format : formats::allFormats()) {
        names.emplace_back(format.name);
        shown += (shown.empty() ? "" : ", ") + names.back();
    }
    command.add_option("--format", options.format, "table for people (default); for programs " + shown)
        ->check(CLI::IsMember(names).description(""))
        ->type_name("F")
        ->group(results);
    addExplainOption(command, options.explain)->group(results);
    addOutputOption(command, options.output)->group(results);
    command
        .add_option("--output-dir", options.outputDirectory,
                    "Write a file for each recording into this folder, in folders as theirs")
        ->type_name("DIR")
        ->group(results);
    addOverwriteOption(command, options.overwrite)->group(results);
    command.add_flag("--quiet", options.quiet, "No progress; errors still show")->group(results);
}

formats::RecordingEvents recordingEvents(const detection::ActivationReader& reader,
                                         const detection::EventList& found) {
    const auto& [info, recording, secondsPerColumn, duration] = reader.facts();
    return {.file = recording.name,
            .seconds = recording.seconds,
            .sampleRate = recording.sampleRate,
            .channels = recording.channels,
            .complete = recording.complete,
            .lowestHz = info.lowestHz,
            .highestHz = info.highestHz,
            .events = detection::timedEvents(found.events, reader.labels().names())};
}

class Run {
  public:
    Run(const EventsOptions& options, const formats::EventFormat* format)
        : options_(options)
        , format_(format) {}

    int run(const std::vector<KeptFile>& files) {
        checkFiles(files);
        ProgressLine progress(!options_.quiet);
        if (!options_.outputDirectory) {
            output_.emplace(options_.output);
            writer_ = makeResultWriter(format_, options_.explain, *output_, labels_);
            writer_->begin();
        }
        for (std::size_t i = 0; i < files.size() && !interrupted(); ++i) {
            progress.show("recordings", i, files.size());
            try {
                const auto result = judge(files[i]);
                if (!result) break;
                progress.clear();
                write(files[i], *result);
            } catch (const WriteError& error) {
                // One file of many concerns its recording alone.
                if (writer_ || error.reach() == WriteError::Reach::allResults) throw;
                progress.clear();
                fail(error.what());
            } catch (const Error& error) {
                progress.clear();
                fail(error.what());
            }
        }
        const bool stopped = interrupted();
        if (writer_) {
            writer_->end();
            if (stopped)
                output_->finishInterrupted();
            else
                output_->finish();
        }
        if (stopped) return interruption;
        return failed_ ? failure : success;
    }

  private:
    std::filesystem::path resultFile(const KeptFile& file) const {
        return batch::outputFile(*options_.outputDirectory, file.name,
                                 batch::documentKind(*format_)->suffix());
    }

    void checkFiles(const std::vector<KeptFile>& kept) const {
        OutputCheck files;
        addOutput(files, options_.output);
        for (const KeptFile& file : kept) {
            if (options_.outputDirectory && !file.problem) files.writes(resultFile(file));
            files.reads(file.path, "kept activations");
        }
        requireSafe(files, options_.overwrite);
    }

    void fail(const std::string& message) {
        printError(message);
        failed_ = true;
    }

    std::optional<FileResult> judge(const KeptFile& file) {
        if (file.problem) throw Error(*file.problem);
        detection::ActivationReader reader(file.path);
        labels_ = reader.labels().names();
        EventChoice choice = chooseEvents(options_, reader.labels());
        if (options_.confidence) {
            if (!reader.boxes())
                throw Error(displayName(file.path) +
                            ": keeps nothing to know by how sure its model is; if 'earshot info' names a "
                            "confidence for that model, keep the recording's activations again, else use "
                            "thresholds");
            chooseByConfidence(options_, reader.boxes(), reader.labels(), choice.settings);
        }
        detection::RecordingQuestion question;
        question.settings = choice.settings;
        for (int i = 0; i < reader.classes(); ++i) question.reported.push_back(choice.reports(i));
        question.nearMisses = options_.explain;
        auto found = detection::judgeActivations(reader, question, [] { return !interrupted(); });
        if (!found) return std::nullopt;
        return FileResult{.recording = recordingEvents(reader, found->found),
                          .found = std::move(found->found),
                          .nearest = found->nearest};
    }

    void write(const KeptFile& file, const FileResult& result) {
        if (writer_) {
            writer_->write(result);
            return;
        }
        const auto kind = batch::documentKind(*format_);
        WholeFile whole(resultFile(file), WholeFile::MissingFolders::made);
        kind->write(whole)->finish(result.recording);
        whole.commit();
    }

    const EventsOptions& options_;
    const formats::EventFormat* format_; // null: a table
    std::vector<std::string> labels_;    // of the file at hand
    std::optional<OutputStream> output_;
    std::unique_ptr<ResultWriter> writer_;
    bool failed_ = false;
};

int deriveEvents(const EventsOptions& options) {
    const auto files = findKeptFiles(options.files);
    const auto* const format = formats::formatNamed(options.format);
    if (options.explain && format != nullptr)
        throw UsageError("--explain has its place in the table for people; use --format table");
    if (options.output && options.outputDirectory) throw UsageError("--output and --output-dir: choose one");
    if (options.outputDirectory) {
        if (format == nullptr)
            throw UsageError("--format table is for people to read at once; with --output-dir use csv, "
                             "for example");
        requireOwnNames(files);
    } else if (format != nullptr && !format->joins && files.size() > 1) {
        throw UsageError("--format " + options.format +
                         " holds one recording; --output-dir makes a file for each of several");
    }
    return Run(options, format).run(files);
}

} // namespace

Command makeEventsCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("events", "Make events from kept activations again, without the network");
    const auto options = std::make_shared<EventsOptions>();
    declareOptions(*command, *options);
    return {command, [options] { return deriveEvents(*options); }};
}

} // namespace earshot::cli
