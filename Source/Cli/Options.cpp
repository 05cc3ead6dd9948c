#include "Cli/Options.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/Terminal.h"
#include "Core/Audio/ExternalDecoder.h"
#include "Core/Audio/LevelMeter.h"
#include "Core/Base/Error.h"
#include "Core/Base/Numbers.h"
#include "Core/Formats/TopDocuments.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace earshot::cli {

namespace {

// The default is at most this many threads; more of them gain little on one pass.
constexpr int defaultThreads = 4;
constexpr int maxThreads = 256;
constexpr const char* modelHelp = "Model file (else $EARSHOT_MODEL, else the default model)";

template <typename Accept>
CLI::Validator numberCheck(const std::string& expected, Accept accept) {
    return CLI::Validator(
        [expected, accept](std::string& text) {
            const auto value = parseNumber(text);
            return value && accept(*value) ? std::string() : fmt::format("'{}' is not {}", text, expected);
        },
        "");
}

} // namespace

CLI::Validator numberBetween(double low, double high, const std::string& what) {
    return numberCheck(fmt::format("{} from {} to {}", what, low, high),
                       [=](double value) { return value >= low && value <= high; });
}

CLI::Validator wholeNumberBetween(int low, int high, const std::string& what) {
    return numberCheck(fmt::format("{} from {} to {}", what, low, high), [=](double value) {
        return value >= low && value <= high && value == std::floor(value);
    });
}

CLI::Validator oddNumberUpTo(int high) {
    return numberCheck(fmt::format("an odd number from 1 to {}", high), [=](double value) {
        return value >= 1 && value <= high && std::fmod(value, 2.0) == 1.0;
    });
}

CLI::Validator oneOf(const std::vector<std::string>& words) {
    // Completions read the words from the name.
    return CLI::Validator(
               [words](std::string& text) {
                   return std::ranges::count(words, text) > 0
                              ? std::string()
                              : fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
               },
               "")
        .name(fmt::format("{}", fmt::join(words, "|")));
}

CLI::Validator wordOrProbability(const std::vector<std::string>& words) {
    return CLI::Validator(
        [words](std::string& text) {
            const auto value = parseNumber(text);
            if (std::ranges::count(words, text) > 0 || (value && *value >= 0.0 && *value <= 1.0))
                return std::string();
            return fmt::format("'{}' is not {} or a probability from 0 to 1", text, fmt::join(words, ", "));
        },
        "");
}

CLI::Validator notDash(const std::string& advice) {
    return CLI::Validator(
        [advice](std::string& text) { return text == "-" ? "'-' is no file; " + advice : std::string(); },
        "");
}

void addModelOptions(const OptionGroup& group, ModelOptions& model) {
    group.add("--model", model.file, "M", modelHelp);
    addModelReadingOptions(group, model.reading);
}

void addModelArgument(const OptionGroup& group, ModelOptions& model) {
    auto* const argument = group.add("MODEL", model.file, "", modelHelp);
    group.add("--model", model.file, "M", "The same")->excludes(argument);
    addModelReadingOptions(group, model.reading);
}

void addModelReadingOptions(const OptionGroup& group, model::ReadingChoice& reading) {
    using model::WeightsKind;
    Choices<WeightsKind> kinds;
    for (const auto kind : {WeightsKind::raw, WeightsKind::ema, WeightsKind::teacher})
        kinds.emplace_back(model::nameOf(kind), kind);
    group.choose("--weights", reading.weights, kinds,
                 "Of a file with several networks: the raw one, the averaged one (EMA, SWA) or the teacher\n"
                 "(default: an averaged one if its name leaves no doubt, else the raw one)");
    group.add("--sample-rate", reading.sampleRate, "HZ",
              "Sample rate of the model, where its file does not show it ('earshot info' says what it\n"
              "shows)",
              wholeNumberBetween(1000, 768000, "a whole number of Hz"));
    group.add("--hop-size", reading.hopSize, "N", "Samples between the model's spectra, likewise",
              wholeNumberBetween(1, 65536, "a whole number of samples"));
}

CLI::Option* addThreadsOption(const OptionGroup& group, int& threads) {
    threads = std::min(defaultThreads, tensor::availableCores());
    return group.add("--threads", threads, "N",
                     "Threads of the network (default: the available cores, at most 4)",
                     wholeNumberBetween(1, maxThreads));
}

void addReadOptions(const OptionGroup& group, audio::ReadOptions& options, const char* whyNotEach) {
    using audio::ReadOptions;
    const bool each = whyNotEach == nullptr;
    const auto takeChannel = [&options, whyNotEach](const std::string& text) {
        const auto channel = audio::parseChannel(text);
        const bool refused = channel == ReadOptions::eachChannel && whyNotEach != nullptr;
        if (refused) throw CLI::ValidationError("--channel", fmt::format("each: {}", whyNotEach));
        if (!channel)
            throw CLI::ValidationError(
                "--channel", fmt::format("'{}' is neither a number from 1 to {} nor {}", text,
                                         ReadOptions::maxChannel, whyNotEach ? "mix" : "mix or each"));
        options.channel = *channel;
    };
    group.parse(
        "--channel", takeChannel, each ? "N|each|mix" : "N|mix",
        fmt::format("The channel to analyse, from 1{}; mix (default) is the mean of all, without LFE;\n"
                    "of ambisonics W alone",
                    each ? ", or each by itself" : ""));
    const auto takeGain = [&options](const std::string& text) {
        const auto gain = parseNumber(text);
        options.autoGain = text == "auto";
        if (options.autoGain) return;
        if (!gain || std::abs(*gain) > ReadOptions::maxGain)
            throw CLI::ValidationError("--gain",
                                       fmt::format("'{}' is neither auto nor a number of dB from -{} to {}",
                                                   text, ReadOptions::maxGain, ReadOptions::maxGain));
        options.gain = *gain;
    };
    group.parse(
        "--gain", takeGain, "DB|auto",
        fmt::format("Amplify recordings before they are analysed; auto brings the loudest second of each\n"
                    "to {} dB (RMS), as suits quiet recordings in 32-bit float (default: 0)",
                    audio::autoLevel));
    group.add("--speed", options.speed, "X",
              "Read recordings X times faster than their files say, as for time expansion by 10; times,\n"
              "pitch and rate are those of the sound (default: as GUANO metadata say (TE), else 1)",
              numberBetween(ReadOptions::minSpeed, ReadOptions::maxSpeed, "a number"));
    addDecoderOption(group);
}

void addDecoderOption(const OptionGroup& group) {
    const auto take = [](const std::string& text) {
        if (text != "ffmpeg")
            throw CLI::ValidationError("--decode-with",
                                       "'" + text + "' is not ffmpeg, the only one there is");
        if (!audio::ffmpegIsInstalled())
            throw CLI::ValidationError("--decode-with",
                                       "ffmpeg cannot be started; install it (apt install ffmpeg)");
        audio::decodeWithFfmpeg(true);
    };
    group.parse("--decode-with", take, "ffmpeg",
                "Read with ffmpeg, if it is installed, what libsndfile does not read: M4A, WMA, WebM...");
}

void addLabelColumnOption(const OptionGroup& group, std::string& column) {
    group.add("--label-column", column, "NAME",
              "Column of the labels in tables of other programs (default: label, Annotation, MANUAL ID\n"
              "and the like)");
}

void addPrecisionOption(const OptionGroup& group, model::Precision& precision) {
    Choices<model::Precision> choices;
    for (const auto choice : model::allPrecisions) choices.emplace_back(model::optionName(choice), choice);
    group.choose(
        "--precision", precision, choices,
        fmt::format("Numbers the network computes with (default: {}); auto is one that is fast on this CPU",
                    model::optionName(precision)));
}

void addExplainOption(const OptionGroup& group, bool& explain) {
    group.flag("--explain", explain, "Also list near misses, and why each is no event (table only)");
}

void addOutputOption(const OptionGroup& group, std::optional<std::string>& output) {
    group.add("--output", output, "FILE",
              "Write the results to this file, which appears once it is whole. Ctrl-C keeps the results\n"
              "so far, unless the file existed before",
              notDash("leave --output out to write to standard output"));
}

void addTopOption(const OptionGroup& group, std::optional<int>& top) {
    group.add("--top", top, "N",
              "List what is in each recording instead of when: one row per recording with its N most likely "
              "sounds and their peak probabilities, whatever the thresholds (table, csv, json, jsonl)",
              wholeNumberBetween(1, formats::maxTopSounds));
}

void requireTopFormat(const std::string& format) {
    const auto all = formats::topFormats();
    if (std::ranges::count(all, format) == 0)
        throw UsageError(fmt::format("--top makes a row a recording, and --format {} holds events; use {}",
                                     format, fmt::join(all, ", ")));
}

void addStartOption(const OptionGroup& group, std::optional<WallTime>& start) {
    const auto take = [&start](const std::string& text) {
        start = parseWallTime(text);
        if (!start)
            throw CLI::ValidationError("--start", "'" + text +
                                                      "' is no date and time; write 2026-10-25T02:30:00, "
                                                      "perhaps with an offset from UTC as +02:00 or Z");
    };
    group.parse("--start", take, "TIME",
                "When the recording began, as 2026-10-25T02:30:00 or with an offset from UTC,\n"
                "2026-10-25T02:30:00+02:00 (default: what the recorder wrote into the file or its name)");
}

void addTimeZoneOption(const OptionGroup& group, std::optional<TimeZone>& zone) {
    const auto take = [&zone](const std::string& text) {
        try {
            zone.emplace(text);
        } catch (const Error& error) {
            throw CLI::ValidationError("--time-zone", error.what());
        }
    };
    group.parse("--time-zone", take, "ZONE",
                "The zone in which results give times of day, as Europe/Berlin, UTC or +02:00. Recordings\n"
                "that do not state an offset from UTC count as made by a clock of this zone");
}

void addLogOption(const OptionGroup& group, std::string& file) {
    group.add("--log", file, "FILE",
              "Log messages and failures to this file (default: $EARSHOT_LOG, else earshot.log in the user's "
              "folder for logs)",
              notDash());
}

void addOverwriteOption(const OptionGroup& group, bool& overwrite) {
    group.flag("--overwrite", overwrite, "Replace existing files");
}

void SceneOptions::applyTo(training::SceneSettings& settings) const {
    settings.maxEvents = maxEvents;
    settings.minSnr = static_cast<float>(minSnr);
    settings.levelSpread = static_cast<float>(levelSpread);
}

void addSceneOptions(const OptionGroup& group, SceneOptions& options) {
    group.add("--max-events", options.maxEvents, "N", "Most sounds in 10 s of a scene (default: 4)",
              wholeNumberBetween(1, 16));
    group.add("--lowest-snr", options.minSnr, "DB",
              "Lowest level of a scene's loudest sound over the background (default: -3)",
              numberBetween(-30.0, 35.0, "a number of dB"));
    group.add("--level-spread", options.levelSpread, "DB",
              "Largest level difference between the sounds of a scene (default: 12)",
              numberBetween(0.0, 60.0, "a number of dB"));
}

} // namespace earshot::cli
