// Groups of options that subcommands declare, validators of their values, and the options that several
// subcommands share. Each error message says which values are right.
#pragma once

#include "Core/Audio/ReadOptions.h"
#include "Core/Base/TimeZone.h"
#include "Core/Base/WallTime.h"
#include "Core/Model/ModelSource.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Training/Data/SceneSettings.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::cli {

// Names of values and the values, in the order of --help.
template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

CLI::Validator oneOf(const std::vector<std::string>& words);

// The options under one heading of --help. Values must outlive the parsing. `type` is the placeholder of the
// value in --help, as "SECONDS".
class OptionGroup {
  public:
    explicit OptionGroup(CLI::App& command, std::string heading = "Options")
        : command_(command)
        , heading_(std::move(heading)) {}

    template <typename Value>
    CLI::Option* add(const std::string& name, Value& value, const std::string& type,
                     const std::string& help) const {
        return command_.add_option(name, value, help)->type_name(type)->group(heading_);
    }
    template <typename Value>
    CLI::Option* add(const std::string& name, Value& value, const std::string& type, const std::string& help,
                     const CLI::Validator& check) const {
        return add(name, value, type, help)->check(check);
    }
    // Calls `take` with the option's text. `take` may throw CLI::ValidationError.
    CLI::Option* parse(const std::string& name, const std::function<void(const std::string&)>& take,
                       const std::string& type, const std::string& help) const {
        return command_.add_option_function<std::string>(name, take, help)->type_name(type)->group(heading_);
    }
    template <typename Value, typename Choice>
    CLI::Option* choose(const std::string& name, Value& value, const Choices<Choice>& choices,
                        const std::string& help) const {
        std::vector<std::string> words;
        std::string type;
        for (const auto& choice : choices) {
            words.push_back(choice.first);
            type += (type.empty() ? "" : "|") + choice.first;
        }
        const auto take = [&value, choices](const std::string& word) {
            for (const auto& choice : choices)
                if (choice.first == word) value = choice.second;
        };
        return parse(name, take, type, help)->check(oneOf(words));
    }
    CLI::Option* flag(const std::string& name, bool& value, const std::string& help) const {
        return command_.add_flag(name, value, help)->group(heading_);
    }

  private:
    CLI::App& command_;
    std::string heading_;
};

// Accepts a finite number from `low` to `high`. CLI::Range would accept "nan".
CLI::Validator numberBetween(double low, double high, const std::string& what);
CLI::Validator wholeNumberBetween(int low, int high, const std::string& what = "a whole number");
CLI::Validator oddNumberUpTo(int high);
// Accepts one of the words, or a probability.
CLI::Validator wordOrProbability(const std::vector<std::string>& words);

// Refuses "-", which stands for a standard stream elsewhere. `advice`: what to do instead.
CLI::Validator notDash(const std::string& advice = "name a file");

// Which model, and what the command line states of it. Nothing unless options are given.
struct ModelOptions {
    std::optional<std::string> file;
    model::ReadingChoice reading;
};
// --model, and addModelReadingOptions().
void addModelOptions(const OptionGroup& group, ModelOptions& model);
// The argument MODEL, for which --model may stand, and addModelReadingOptions().
void addModelArgument(const OptionGroup& group, ModelOptions& model);
// --weights, --sample-rate and --hop-size.
void addModelReadingOptions(const OptionGroup& group, model::ReadingChoice& reading);
// --threads. Sets `threads` to its default at once.
CLI::Option* addThreadsOption(const OptionGroup& group, int& threads);
// --channel, --gain, --speed and --decode-with. whyNotEach: why --channel does not take "each"; null: it
// does.
void addReadOptions(const OptionGroup& group, audio::ReadOptions& options, const char* whyNotEach = nullptr);
// Of commands that read labelled recordings.
inline constexpr const char* labelsNameNoChannel =
    "labels are of a recording, not of its channels; name the channel in which its sounds are, or mix";
// --label-column, for commands that read tables of labels.
void addLabelColumnOption(const OptionGroup& group, std::string& column);
// --decode-with, for the whole program. Part of addReadOptions().
void addDecoderOption(const OptionGroup& group);
// --precision. `precision` holds its default.
void addPrecisionOption(const OptionGroup& group, model::Precision& precision);
// --explain for commands that make events, and --output for commands that print results.
void addExplainOption(const OptionGroup& group, bool& explain);
void addOutputOption(const OptionGroup& group, std::optional<std::string>& output);
// --top for commands that make results of recordings.
void addTopOption(const OptionGroup& group, std::optional<int>& top);
// Throws UsageError unless `format` can say what --top asks for.
void requireTopFormat(const std::string& format);
// --start and --time-zone, for commands that write times of day.
void addStartOption(const OptionGroup& group, std::optional<WallTime>& start);
void addTimeZoneOption(const OptionGroup& group, std::optional<TimeZone>& zone);
// --log, for all commands.
void addLogOption(const OptionGroup& group, std::string& file);
// --overwrite, for commands that write files.
void addOverwriteOption(const OptionGroup& group, bool& overwrite);

// The density and the levels of mixed scenes, for `earshot train` and `earshot evaluate --scenes`.
struct SceneOptions {
    int maxEvents = 4;         // in 10 s, at most
    double minSnr = -3.0;      // dB of the loudest sound over the background, at least
    double levelSpread = 12.0; // dB by which other sounds are softer, at most

    void applyTo(training::SceneSettings& settings) const;
};
void addSceneOptions(const OptionGroup& group, SceneOptions& options);

} // namespace earshot::cli
