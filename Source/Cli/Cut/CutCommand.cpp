#include "Cli/Commands.h"
#include "Cli/Cut/EventTables.h"
#include "Cli/ExitCode.h"
#include "Cli/Options.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace earshot::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* cutExamples =
    "Examples:\n"
    "  earshot analyze archive/ --output-dir results\n"
    "  earshot cut results/ --output-dir clips --handles 0.5\n"
    "  earshot cut sounds.csv --base archive/ --output-dir clips --only Dog --max 50\n"
    "  earshot cut results/ --output-dir clips --table clips/index.csv \\\n"
    "      --name '{label}/{peak}_{recording}_{onset}'\n"
    "  earshot cut walk.Table.1.selections.txt --output-dir clips --format flac\n";

constexpr double maxHandles = 3600.0; // seconds

struct CutOptions {
    std::vector<std::string> events; // tables, databases and folders
    std::optional<std::string> base;
    std::string labelColumn;
    std::vector<std::string> only; // comma-separated labels
    std::optional<double> threshold, confidence;
    std::optional<int> max;
    std::string outputDirectory;
    std::string rule{batch::ClipRule::standard};
    std::optional<std::string> table;
    double handles = 0.0; // seconds
    batch::ClipFormat format = batch::ClipFormat::asRecording;
    audio::ReadOptions reading;
    bool overwrite = false, quiet = false;
};

void declareCutOptions(CLI::App& command, CutOptions& options) {
    command.footer(cutExamples);
    const OptionGroup general(command);
    general
        .add("EVENTS", options.events, "",
             "Folders of 'earshot analyze --output-dir', and tables of events: csv, json, jsonl, raven,\n"
             "audacity, dcase, kaleidoscope and sqlite of Earshot, and those of other programs")
        ->required();
    general.add("--base", options.base, "DIR",
                "Where the recordings lie (default: where the results say, else beside the table)");
    addLabelColumnOption(general, options.labelColumn);

    const OptionGroup choosing(command, "Choosing events");
    const auto probability = numberBetween(0.0, 1.0, "a probability");
    choosing.add("--only", options.only, "LABEL,...", "Cut these sounds only")->allow_extra_args(false);
    choosing.add("--threshold", options.threshold, "P",
                 "Only events with a peak (where a table has none, a confidence) of P or more", probability);
    choosing.add("--confidence", options.confidence, "P", "Only events with a confidence of P or more",
                 probability);
    choosing.add("--max", options.max, "N", "The N likeliest events of each sound at most",
                 wholeNumberBetween(1, 1000000000));

    const OptionGroup clips(command, "Clips");
    clips.add("--output-dir", options.outputDirectory, "DIR", "Where the clips go; made if it is not there")
        ->required();
    clips.add("--handles", options.handles, "SECONDS",
              "Audio before and after each event, as far as the recording has it (default: 0)",
              numberBetween(0.0, maxHandles, "a number of seconds"));
    clips.choose(
        "--format", options.format,
        Choices<batch::ClipFormat>{{"flac", batch::ClipFormat::flac}, {"wav", batch::ClipFormat::wav}},
        "Kind of the clips (default: flac of FLAC recordings, else wav)");
    clips.add(
        "--name", options.rule, "RULE",
        "Names of the clips, of {recording}, {label}, {onset}, {offset}, {peak}, {number} and {clock};\n"
        "a slash makes folders (default: " +
            options.rule + ")");
    clips.add("--table", options.table, "FILE", "Write a table (CSV) of the clips");
    addOverwriteOption(clips, options.overwrite);
    clips.flag("--quiet", options.quiet, "No progress and no summary; errors still show");

    const OptionGroup reading(command, "Reading");
    reading.add("--channel", options.reading.channel, "N", "Cut this channel alone, from 1 (default: all)",
                wholeNumberBetween(1, audio::ReadOptions::maxChannel));
    reading.add("--speed", options.reading.speed, "X",
                "Recordings were slowed down X times: events' times are those of the sound, and the clips'\n"
                "sample rate is X times the recording's (default: as GUANO metadata say (TE), else 1)",
                numberBetween(audio::ReadOptions::minSpeed, audio::ReadOptions::maxSpeed, "a number"));
    addDecoderOption(reading);
}

// The labels that a list names, which may hold commas themselves ("Gunshot, explosion"): the longest run of
// parts that is a label counts.
void takeLabels(const std::map<std::string, std::string>& known, const std::string& list,
                std::set<std::string>& labels) {
    const auto bare = [](std::string text) {
        while (text.starts_with(' ')) text.erase(0, 1);
        while (text.ends_with(' ')) text.pop_back();
        return lowerCase(composed(text));
    };
    for (std::size_t begin = 0; begin <= list.size();) {
        std::size_t end = list.size();
        auto found = known.find(bare(list.substr(begin)));
        while (found == known.end()) {
            const auto comma = end > begin ? list.rfind(',', end - 1) : std::string::npos;
            if (comma == std::string::npos || comma < begin)
                throw UsageError(fmt::format("--only: no event is called '{}'",
                                             printable(bare(list.substr(begin, end - begin)))));
            end = comma;
            found = known.find(bare(list.substr(begin, end - begin)));
        }
        labels.insert(found->second);
        begin = end + 1;
    }
}

double likelihood(const batch::CutEvent& event) {
    return event.confidence.value_or(event.peak.value_or(-1.0));
}

class CutRun {
  public:
    explicit CutRun(const CutOptions& options)
        : options_(options) {}

    int run() {
        const batch::ClipRule rule = namingRule();
        tables_ = readEventTables(options_.events, options_.base, options_.labelColumn);
        for (const auto& problem : tables_.problems) fail(problem);
        if (!options_.quiet)
            for (const auto& note : tables_.notes) printNote(note);
        chooseEvents();
        requireOutputs();
        batch::Cutter cutter({.folder = options_.outputDirectory,
                              .rule = rule,
                              .handles = options_.handles,
                              .format = options_.format,
                              .reading = options_.reading,
                              .overwrite = options_.overwrite,
                              .inputs = inputs()});
        const bool whole = cutAll(cutter);
        progress_.clear();
        if (whole) writeTable();
        if (!options_.quiet) summarise();
        if (!whole) return interruption;
        return failed_ ? failure : success;
    }

  private:
    batch::ClipRule namingRule() const {
        try {
            return batch::ClipRule(options_.rule);
        } catch (const Error& error) {
            throw UsageError(std::string("--name: ") + error.what());
        }
    }

    void fail(const std::string& message) {
        progress_.clear();
        printError(message);
        failed_ = true;
    }

    template <typename Keep>
    void keepEvents(Keep keep) {
        for (ListedRecording& recording : tables_.recordings)
            std::erase_if(recording.events, [&](const auto& event) { return !keep(event); });
    }

    void chooseEvents() {
        if (!options_.only.empty()) {
            std::map<std::string, std::string> known;
            for (const auto& recording : tables_.recordings)
                for (const auto& event : recording.events) known.emplace(lowerCase(event.label), event.label);
            std::set<std::string> labels;
            for (const std::string& list : options_.only) takeLabels(known, list, labels);
            keepEvents([&](const auto& event) { return labels.contains(known.at(lowerCase(event.label))); });
        }
        leaveLikely("--threshold", options_.threshold,
                    [](const auto& event) { return event.peak ? event.peak : event.confidence; });
        leaveLikely("--confidence", options_.confidence, [](const auto& event) { return event.confidence; });
        if (options_.max) leaveLikeliest(static_cast<std::size_t>(*options_.max));
        std::erase_if(tables_.recordings, [](const auto& recording) { return recording.events.empty(); });
        for (const auto& recording : tables_.recordings) total_ += recording.events.size();
    }

    template <typename Number>
    void leaveLikely(const char* option, const std::optional<double>& least, Number number) {
        if (!least) return;
        std::size_t without = 0;
        keepEvents([&](const auto& event) {
            const auto value = number(event);
            if (!value) ++without;
            return value && *value >= *least;
        });
        if (without > 0)
            fail(fmt::format("{}: {} without such a number {} left out; leave the option out to cut them",
                             option, counted(without, "event"), without == 1 ? "is" : "are"));
    }

    // Of equal ones the first.
    void leaveLikeliest(std::size_t count) {
        std::map<std::string, std::vector<const batch::CutEvent*>> byLabel;
        for (const auto& recording : tables_.recordings)
            for (const auto& event : recording.events) byLabel[event.label].push_back(&event);
        std::set<const batch::CutEvent*> kept;
        for (auto& [label, events] : byLabel) {
            std::ranges::stable_sort(events, std::greater(),
                                     [](const auto* event) { return likelihood(*event); });
            events.resize(std::min(events.size(), count));
            kept.insert(events.begin(), events.end());
        }
        for (auto& recording : tables_.recordings) {
            std::vector<batch::CutEvent> left;
            for (const auto& event : recording.events)
                if (kept.contains(&event)) left.push_back(event);
            recording.events = std::move(left);
        }
    }

    // Before any work is done.
    void requireOutputs() const {
        requireWritableFolder(options_.outputDirectory);
        if (!options_.table) return;
        OutputCheck files;
        files.writes(*options_.table);
        for (const auto& recording : tables_.recordings)
            if (!recording.file.empty()) files.reads(recording.file, "a recording");
        for (const auto& table : tables_.files) files.reads(table, "a table of events");
        requireSafe(files, true); // a table that is there is compared once it can be
        requireWritable(*options_.table);
    }

    static void requireWritableFolder(const fs::path& folder) {
        std::error_code why;
        fs::create_directories(folder, why);
        if (why) failToWrite(folder, why.value());
        requireWritable(folder / "clip");
    }

    std::vector<fs::path> inputs() const {
        std::vector<fs::path> files = tables_.files;
        for (const auto& recording : tables_.recordings)
            if (!recording.file.empty()) files.push_back(recording.file);
        return files;
    }

    bool cutAll(batch::Cutter& cutter) {
        for (const ListedRecording& recording : tables_.recordings) {
            if (interrupted()) return false;
            if (recording.file.empty()) {
                fail(fmt::format("{}: names the recording {}, which is not found; say where the recordings "
                                 "lie with --base",
                                 displayName(recording.table), printable(recording.name)));
                done_ += recording.events.size();
                continue;
            }
            const std::size_t before = done_;
            try {
                if (!cutOne(cutter, recording)) return false;
            } catch (const WriteError&) {
                throw;
            } catch (const Error& error) {
                fail(error.what());
                done_ = before + recording.events.size();
            }
        }
        return true;
    }

    bool cutOne(batch::Cutter& cutter, const ListedRecording& recording) {
        const bool whole = cutter.cut(
            recording.file, recording.events, [] { return !interrupted(); },
            [&](const batch::Clip& clip) {
                ++done_;
                if (clip.state == batch::Clip::State::failed) {
                    fail(clip.problem);
                } else {
                    ++(clip.state == batch::Clip::State::written ? written_ : present_);
                    if (options_.table) rows_ += row(recording, clip);
                }
                progress_.show("clips", done_, total_);
                return !interrupted();
            });
        if (!options_.quiet) {
            if (!cutter.remarks().empty()) progress_.clear();
            printWarnings(displayName(recording.file), cutter.remarks());
        }
        return whole;
    }

    // Its first columns are those of a table of labels of the clips.
    std::string row(const ListedRecording& recording, const batch::Clip& clip) const {
        const auto& event = *clip.event;
        const auto number = [](const std::optional<double>& value) {
            return value ? fmt::format("{:.6f}", *value) : std::string();
        };
        const fs::path folder = batch::tidied(fs::path(*options_.table)).parent_path();
        const auto file = batch::tidied(clip.file).lexically_proximate(folder);
        return fmt::format("{},{:.6f},{:.6f},{},{},{},{},{:.6f},{:.6f},{}\n", csvField(file.generic_string()),
                           std::max(event.onset - clip.begin, 0.0),
                           std::min(event.offset, clip.end) - clip.begin, csvField(event.label),
                           number(event.peak), number(event.confidence), csvField(recording.name), clip.begin,
                           clip.end, clip.start ? isoText(*clip.start) : std::string());
    }

    void writeTable() {
        if (!options_.table) return;
        const std::string text =
            "file,onset_s,offset_s,label,peak,confidence,recording,clip_onset_s,clip_offset_s,start_time\n" +
            rows_;
        const fs::path file = *options_.table;
        std::error_code notThere;
        if (fs::exists(file, notThere) && fs::file_size(file, notThere) > 0 && !options_.overwrite) {
            if (readWholeFile(file, std::numeric_limits<std::uint64_t>::max(), "table of clips") == text)
                return;
            return fail(displayName(file) +
                        ": is there already and holds something else; name another --table, or --overwrite");
        }
        writeWholeFile(file, text);
    }

    void summarise() const {
        std::string text = interrupted() ? "stopped: " : "";
        text += counted(written_, "clip") + " cut into " + displayName(options_.outputDirectory);
        if (present_ > 0) text += fmt::format(", {} there already", present_);
        if (const auto missed = done_ - written_ - present_; missed > 0)
            text += fmt::format(", {} not cut", missed);
        if (interrupted()) text += "; the same command goes on";
        printNote(text);
    }

    const CutOptions& options_;
    EventTables tables_;
    ProgressLine progress_{!options_.quiet};
    std::string rows_; // of the table of clips
    std::size_t total_ = 0, done_ = 0, written_ = 0, present_ = 0;
    bool failed_ = false;
};

} // namespace

Command makeCutCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("cut", "Cut events out of recordings as audio files");
    const auto options = std::make_shared<CutOptions>();
    declareCutOptions(*command, *options);
    return {command, [options]() -> int { return CutRun(*options).run(); }};
}

} // namespace earshot::cli
