#include "Cli/Commands.h"
#include "Cli/EventChoice.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Options.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/TableDocument.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Folders.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Detector.h"
#include "Core/Detection/Kept/Activations.h"
#include "Core/Formats/TopDocuments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace earshot::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* eventsExamples =
    "Examples:\n"
    "  earshot analyze archive/ --output-dir results --keep-activations\n"
    "  earshot events results/ --threshold 0.3 --format csv --output sounds.csv\n"
    "  earshot events results/ --only Dog --min-duration 0.5 --format raven \\\n"
    "      --output-dir dogs\n"
    "  earshot events results/ --confidence auto --format json --output sure.json\n"
    "  earshot events results/night.flac.activations.safetensors --explain\n";

struct EventsOptions : DecidingOptions {
    std::vector<std::string> files; // files and folders
    std::string format = "table";
    std::optional<int> top; // as in AnalyzeOptions
    std::optional<TimeZone> zone;
    bool explain = false;
    std::optional<std::string> output;
    std::optional<std::string> outputDirectory;
    bool overwrite = false;
    bool quiet = false;
};

void declareOptions(CLI::App& command, EventsOptions& options) {
    command.footer(eventsExamples);
    const OptionGroup general(command);
    general
        .add("FILE", options.files, "", "Files of 'earshot analyze --keep-activations', or folders of them")
        ->required();
    addDecidingOptions(command, options);

    const OptionGroup results(command, "Results");
    auto names = formats::formatNames();
    const auto help = fmt::format("table for people (default); for programs {}", fmt::join(names, ", "));
    names.insert(names.begin(), "table");
    results.add("--format", options.format, "F", help, oneOf(names));
    addTopOption(results, options.top);
    addTimeZoneOption(results, options.zone);
    addExplainOption(results, options.explain);
    addOutputOption(results, options.output);
    results.add("--output-dir", options.outputDirectory, "DIR",
                "Write a file for each recording into this folder, laid out as the input folder");
    addOverwriteOption(results, options.overwrite);
    results.flag("--quiet", options.quiet, "No progress; errors still show");
}

struct KeptFile {
    std::filesystem::path path;
    // The name of its recording's results: the path below the folder given, without the suffix and shards.
    std::string name;
    std::optional<std::string> problem; // found before the file is opened
};

const std::string keptSuffix = detection::suffix(detection::ActivationKind::safetensors);

std::string recordingName(const fs::path& file) {
    std::string name = file.generic_string();
    if (name.ends_with(keptSuffix)) name.resize(name.size() - keptSuffix.size());
    return name;
}

bool isBatch(const fs::path& folder) {
    std::error_code notThere;
    return fs::is_regular_file(batch::Journal::fileIn(folder), notThere);
}

// The name of the recording's results. The folder of a shard is no part of it. Nothing if the shard was
// merged: a merge leaves shards in place.
std::optional<std::string> nameBelow(const fs::path& folder, const fs::path& file) {
    fs::path at = folder, name;
    for (const fs::path& part : file.lexically_relative(folder)) {
        const bool isShard = batch::shardOfFolder(part) && isBatch(at / part);
        if (isShard && isBatch(at)) return std::nullopt;
        at /= part;
        if (!isShard) name /= part;
    }
    return recordingName(name);
}

// Leaves one file of each recording. A recording that went from one shard to another between two runs has
// files in both, of which the newer one counts.
void leaveNewest(std::vector<KeptFile>& files) {
    std::map<std::string, fs::path> newest;
    const auto time = [](const fs::path& file) {
        std::error_code unknown;
        return fs::last_write_time(file, unknown);
    };
    for (const KeptFile& file : files) {
        const auto [at, isFirst] = newest.emplace(file.name, file.path);
        if (!isFirst && time(file.path) > time(at->second)) at->second = file.path;
    }
    std::erase_if(files,
                  [&](const KeptFile& file) { return !file.problem && newest.at(file.name) != file.path; });
}

std::vector<KeptFile> keptBelow(const fs::path& folder) {
    std::vector<KeptFile> found;
    batch::walk(
        folder,
        [&](const fs::path& file) {
            if (!file.filename().string().ends_with(keptSuffix)) return;
            if (auto name = nameBelow(folder, file)) found.push_back({file, *std::move(name), {}});
        },
        [&](const fs::path& unreadable, const std::string& why) {
            found.push_back({unreadable, {}, displayName(unreadable) + ": " + why});
        });
    leaveNewest(found);
    if (found.empty())
        throw Error(displayName(folder) + ": no kept activations in this folder (*" + keptSuffix +
                    "); 'earshot analyze --keep-activations' makes them");
    return found;
}

// Finds the files in the order given; files of a folder, at any depth, are sorted by name. Throws
// earshot::Error for a folder without any.
std::vector<KeptFile> findKeptFiles(const std::vector<std::string>& arguments) {
    std::vector<KeptFile> files;
    for (const std::string& argument : arguments) {
        std::error_code notThere;
        if (!fs::is_directory(argument, notThere)) {
            files.push_back({argument, recordingName(fs::path(argument).filename()), {}});
            continue;
        }
        auto below = keptBelow(argument);
        std::ranges::move(below, std::back_inserter(files));
    }
    return files;
}

// Throws UsageError if the results of two files would have the same name.
void requireOwnNames(const std::vector<KeptFile>& files) {
    std::set<std::string> names;
    for (const KeptFile& file : files)
        if (!file.problem && !names.insert(file.name).second)
            throw UsageError("--output-dir: two recordings would both be " + printable(file.name) +
                             "; name the folder above them, or do one at a time");
}

formats::RecordingEvents recordingEvents(const detection::ActivationReader& reader,
                                         const detection::RecordingResult& result,
                                         const std::optional<TimeZone>& zone) {
    const auto& [info, recording, secondsPerColumn, duration] = reader.facts();
    return detection::recordingEvents(
        {.file = recording.name,
         .sampleRate = recording.sampleRate,
         .channels = recording.channels,
         .complete = recording.complete,
         .minHz = info.minHz,
         .maxHz = info.maxHz,
         .start = recording.start && zone ? zone->on(*recording.start) : recording.start,
         .folder = recording.folder,
         .path = recording.folder.empty() ? std::string()
                                          : (fs::path(recording.folder) / recording.name).generic_string()},
        result, reader.labels().names());
}

class EventsRun {
  public:
    EventsRun(const EventsOptions& options, const formats::EventFormat* format)
        : options_(options)
        , format_(format) {}

    int run(const std::vector<KeptFile>& files) {
        checkFiles(files);
        ProgressLine progress(!options_.quiet);
        if (!options_.outputDirectory) {
            output_.emplace(options_.output);
            document_ = options_.top ? formats::makeTopDocument(options_.format, *options_.top)
                                     : makeDocument(format_, options_.explain, *output_);
            output_->write(document_->begin());
        }
        for (std::size_t i = 0; i < files.size() && !interrupted(); ++i) {
            progress.show("recordings", i, files.size());
            try {
                const auto result = judge(files[i]);
                if (!result) break;
                progress.clear();
                write(files[i], *result);
            } catch (const WriteError& error) {
                // A file that cannot be written concerns one recording alone.
                if (document_ || error.reach() == WriteError::Reach::allResults) throw;
                progress.clear();
                fail(error.what());
            } catch (const Error& error) {
                progress.clear();
                fail(error.what());
            }
        }
        const bool stopped = interrupted();
        if (document_) {
            output_->write(document_->end());
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

    std::optional<formats::RecordingEvents> judge(const KeptFile& file) {
        if (file.problem) throw Error(*file.problem);
        detection::ActivationReader reader(file.path);
        EventChoice choice = chooseEvents(options_, reader.labels());
        if (options_.confidence) {
            if (!reader.labels().sebbs())
                throw Error(
                    displayName(file.path) +
                    ": holds no confidences; if 'earshot info' names a confidence for its model, keep "
                    "the recording's activations again, else use thresholds");
            chooseByConfidence(options_, reader.labels(), choice.settings);
        }
        detection::RecordingQuestion question;
        question.settings = choice.settings;
        for (int i = 0; i < reader.classes(); ++i) question.reported.push_back(choice.reports(i));
        question.nearMisses = options_.explain;
        auto found = detection::judgeActivations(reader, question, [] { return !interrupted(); });
        if (!found) return std::nullopt;
        return recordingEvents(reader, *found, options_.zone);
    }

    void write(const KeptFile& file, const formats::RecordingEvents& recording) {
        if (document_) return output_->write(document_->add(recording));
        const auto kind = batch::documentKind(*format_);
        WholeFile whole(resultFile(file), WholeFile::MissingFolders::made);
        kind->write(whole)->finish(recording);
        whole.commit();
    }

    const EventsOptions& options_;
    const formats::EventFormat* format_; // null: a table
    std::optional<OutputStream> output_;
    std::unique_ptr<formats::ResultDocument> document_;
    bool failed_ = false;
};

int deriveEvents(const EventsOptions& options) {
    const auto files = findKeptFiles(options.files);
    const auto* const format = formats::formatNamed(options.format);
    if (options.top) requireTopFormat(options.format);
    if (options.top && options.outputDirectory)
        throw UsageError("--top makes one file of all recordings; use --output instead of --output-dir");
    if (options.explain && options.top) throw UsageError("--explain is about events; leave --top out");
    if (options.explain && format != nullptr)
        throw UsageError("--explain is for the table alone; use --format table");
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
    return EventsRun(options, format).run(files);
}

} // namespace

Command makeEventsCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("events", "Derive events from kept activations, without the network");
    const auto options = std::make_shared<EventsOptions>();
    declareOptions(*command, *options);
    return {command, [options] { return deriveEvents(*options); }};
}

} // namespace earshot::cli
