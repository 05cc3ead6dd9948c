// The `earshot` program: parses the command line, runs one subcommand, and turns every failure into one line
// on standard error and an exit code.
#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Options.h"
#include "Cli/Output/LibraryNotes.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Output/VersionText.h"
#include "Cli/Reference/Description.h"
#include "Cli/Reference/HelpText.h"
#include "Cli/Reference/ReferenceFiles.h"
#include "Cli/Signals.h"
#include "Cli/Suggestions.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Platform/System.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

namespace {

constexpr const char* description = "Earshot detects sound events: what is sounding, and when.";

constexpr const char* programExamples =
    "Examples:\n"
    "  earshot analyze recording.wav\n"
    "                      what sounds when, as a table\n"
    "  earshot analyze *.flac --format csv > all.csv\n"
    "                      one line per sound\n"
    "  earshot analyze archive/ --output-dir results\n"
    "                      a thousand hours; resumes after Ctrl-C\n"
    "  ffmpeg -v error -i film.mkv -f wav - | earshot analyze -\n"
    "  earshot listen jack live events from a device, until Ctrl-C\n"
    "  earshot info        the sounds the model detects\n"
    "  earshot teach my-sounds --output my.safetensors\n"
    "                      add sounds of your own to them, in seconds\n"
    "  earshot train --data my-sounds --output my.safetensors\n"
    "                      train a model of your own\n"
    "  earshot evaluate --data my-sounds\n"
    "                      how well it detects labelled events\n"
    "\n"
    "Environment:\n"
    "  EARSHOT_LOG           the file for the log of messages and failures, or off\n"
    "  EARSHOT_MODEL         the model to use if the command line names none\n"
    "  EARSHOT_MODEL_MEMORY  GiB of memory that a model may take (default: 2); larger\n"
    "                        ones are refused\n"
    "\n"
    "'earshot COMMAND --help' explains the options of a command.\n";

void printToStandardOutput(const std::string& text) {
    OutputStream output;
    output.write(text);
    output.finish();
}

// "earshot analyze", once the command is parsed.
std::string nameOf(const CLI::App& program) {
    std::string name = program.get_name();
    for (const CLI::App* command : program.get_subcommands()) name += " " + command->get_name();
    return name;
}

std::vector<std::string> commandNames(CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

// The long option that an unknown one may be; empty if there is none.
std::string optionMeant(const CLI::App& command, const std::string& argument) {
    std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || command.get_option_no_throw(name) != nullptr) return {};
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& each : option->get_lnames())
            if (!option->get_group().empty()) names.push_back("--" + each);
    return nearestName(name, names);
}

// What a command line with arguments that nothing takes may have meant.
std::string explainExtras(CLI::App& program, const std::string& problem, int argc, const char* const* argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto chosen = program.get_subcommands();
    const CLI::App& command = chosen.empty() ? program : *chosen.front();
    if (chosen.empty() && std::ranges::any_of(arguments, [](const std::string& argument) {
            return argument == "-" || !argument.starts_with('-');
        }))
        return missingCommand(arguments, commandNames(program)) + " (see 'earshot --help')";
    for (const std::string& argument : arguments)
        if (const auto meant = optionMeant(command, argument); !meant.empty())
            return "no option " + argument.substr(0, argument.find('=')) + "; did you mean " + meant +
                   "? (see '" + nameOf(program) + " --help')";
    return problem + "; see '" + nameOf(program) + " --help'";
}

// Begins the log of this run. A file that the user names is begun at once, so that a problem shows.
void beginLog(std::optional<LogSession>& log, const CLI::App& program, const std::string& named) {
    const bool isNamed = !named.empty();
    log.emplace(nameOf(program), isNamed ? std::filesystem::path(named) : chosenLogFile(),
                isNamed ? LogSession::Start::atOnce : LogSession::Start::withFirstMessage);
    if (!isNamed) return;
    flushLog();
    if (const auto why = logProblem(); !why.empty())
        printNote(fmt::format("{}: --log cannot be written ({}); name another file", named, why));
}

int parseAndRun(int argc, const char* const* argv, std::optional<LogSession>& log) {
    CLI::App program{description, "earshot"};
    program.allow_windows_style_options(false); // a path may begin with a slash
    program.set_version_flag("--version", versionText,
                             "Print the version, the libraries and the instruction set, and exit");
    std::string reference;
    program.add_option("--write-reference", reference)->group(""); // hidden: the build runs it
    program.require_subcommand(0, 1);
    const std::vector<Command> commands = {makeAnalyzeCommand(program),
                                           makeCutCommand(program),
                                           makeEmbedCommand(program),
                                           makeEvaluateCommand(program),
                                           makeEventsCommand(program),
                                           makeForwardCommand(program),
                                           makeInfoCommand(program),
                                           makeListenCommand(program),
                                           makeMergeCommand(program),
                                           makeTeachCommand(program),
                                           makeTrainCommand(program, quotedCommandLine(argc, argv))};
    std::string logged;
    for (const Command& command : commands) addLogOption(OptionGroup(*command.options), logged);
    program.footer(programExamples); // not before: commands would inherit it
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const auto chosen = program.get_subcommands();
        printToStandardOutput(
            helpText(describe(chosen.empty() ? program : *chosen.front()), nameOf(program)));
        return success;
    } catch (const CLI::CallForVersion& version) {
        printToStandardOutput(version.what());
        return success;
    } catch (const CLI::ExtrasError& error) {
        throw UsageError(explainExtras(program, error.what(), argc, argv));
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string(error.what()) + "; see '" + nameOf(program) + " --help'");
    }
    if (!reference.empty()) {
        writeReference(describe(program), reference);
        return success;
    }
    beginLog(log, program, logged);
    for (const Command& command : commands)
        if (command.options->parsed()) return command.run();
    throw UsageError("no command given; try 'earshot analyze recording.wav' or 'earshot --help'");
}

int runProgram(int argc, const char* const* argv) noexcept {
    const LibraryNotes notes;
    std::optional<LogSession> log;
    try {
        prepareSignals();
        platform::prepareStandardStreams();
        const std::vector<std::string> words = platform::arguments(argc, argv);
        std::vector<const char*> texts;
        texts.reserve(words.size());
        for (const std::string& word : words) texts.push_back(word.c_str());
        return parseAndRun(static_cast<int>(texts.size()), texts.data(), log);
    } catch (const UsageError& error) {
        printError(error.what());
        return wrongUsage;
    } catch (const ReaderGone&) {
        return success; // the reader needs no more, as in `earshot ... | head`
    } catch (const Interrupted&) {
        return interruption;
    } catch (const std::bad_alloc&) {
        printError("not enough memory; close other programs, or use a smaller model");
    } catch (const std::exception& error) {
        printError(error.what());
    } catch (...) {
        printError("unknown failure");
    }
    return failure;
}

} // namespace

} // namespace earshot::cli

int main(int argc, char* argv[]) { return earshot::cli::runProgram(argc, argv); }
