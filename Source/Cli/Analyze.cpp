#include "Cli/Analyze.h"

#include "Cli/AnalyzeOptions.h"
#include "Cli/CommonOptions.h"
#include "Cli/EventChoice.h"
#include "Cli/ExitCode.h"
#include "Cli/HopChoice.h"
#include "Cli/ModelLocator.h"
#include "Cli/Signals.h"
#include "Cli/Terminal.h"
#include "Cli/Text.h"
#include "Core/Detection/Analyzer.h"
#include "Core/Detection/FileAnalysis.h"
#include "Core/Detection/Labels.h"
#include "Core/Detection/NetworkTokenModel.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/Threads.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace earshot::cli {

namespace {

void refuseToOverwriteInputs(const AnalyzeOptions& options) {
    if (!options.output) return;
    for (const std::string& file : options.files) {
        std::error_code notThere;
        if (std::filesystem::equivalent(file, *options.output, notThere))
            throw UsageError("--output " + *options.output +
                             " would overwrite a recording; name another file");
    }
}

NearestSound nearestSound(const detection::Timeline& timeline, const EventChoice& choice) {
    NearestSound nearest;
    nearest.peak = -1.0f;
    for (std::int64_t column = 0; column < timeline.columns(); ++column) {
        const auto probabilities = timeline.column(column);
        for (int i = 0; i < timeline.classes(); ++i)
            if (probabilities[static_cast<std::size_t>(i)] > nearest.peak && choice.reports(i))
                nearest = {i, probabilities[static_cast<std::size_t>(i)], timeline.start(column),
                           choice.settings.ruleFor(i).on};
    }
    return nearest;
}

detection::EventList reportedEvents(const detection::Analyzer& analyzer, const EventChoice& choice) {
    detection::EventList found = analyzer.events(choice.settings);
    std::erase_if(found.events, [&](const auto& event) { return !choice.reports(event.classIndex); });
    std::erase_if(found.nearMisses, [&](const auto& miss) { return !choice.reports(miss.event.classIndex); });
    return found;
}

// A run over all files: one analyzer, one writer.
class Run {
  public:
    explicit Run(const AnalyzeOptions& options)
        : options_(options)
        , weights_(loadModel(locateModel(options.model), options.precision, options.quiet))
        , labels_(detection::Labels::read(weights_->metadata(), weights_->file(), weights_->config().classes))
        , choice_(chooseEvents(options, labels_))
        , analyzer_(detection::makeNetworkTokenModel(weights_), detection::logMelSettings(*weights_),
                    {.mode = options.mode,
                     .hopTokens = chooseHop(options.hop, options.mode, weights_->config()),
                     .threads = options.threads})
        , output_(options.output)
        , writer_(makeResultWriter({options.format, options.explain}, output_, labels_.names())) {}

    int run() {
        writer_->begin();
        for (const std::string& file : options_.files) {
            analyze(file);
            if (interrupted()) break;
        }
        writer_->end();
        output_.finish();
        if (interrupted()) return interruption;
        return failed_ ? failure : success;
    }

  private:
    void analyze(const std::string& file) {
        std::optional<FileResult> result;
        try {
            audio::AudioFile audio =
                file == "-" ? audio::AudioFile::fromStandardInput() : audio::AudioFile(file);
            result = listen(file, audio);
        } catch (const Error& error) {
            // Ctrl-C while waiting for standard input is no failure of it.
            if (!interrupted()) fail(error.what());
        }
        if (result) writer_->write(*result);
    }

    FileResult listen(const std::string& file, audio::AudioFile& audio) {
        ProgressLine progress(!options_.quiet);
        const auto summary = detection::analyzeFile(audio, analyzer_, weights_->config().sampleRate,
                                                    [&](double done, std::optional<double> total) {
                                                        progress.show(file, done, total);
                                                        return !interrupted();
                                                    });
        progress.clear();
        if (summary.failure) fail(*summary.failure);
        if (summary.nonFiniteSamples > 0 && !options_.quiet)
            printNote(
                fmt::format("{}: warning: {} samples are not finite numbers and count as silence; check the "
                            "program that wrote the file",
                            file, summary.nonFiniteSamples));
        FileResult result;
        result.name = file;
        result.seconds = summary.seconds;
        result.sampleRate = audio.sampleRate();
        result.channels = audio.channels();
        result.complete = !summary.failure && !summary.stopped;
        result.found = reportedEvents(analyzer_, choice_);
        if (result.found.events.empty() && analyzer_.timeline().columns() > 0)
            result.nearest = nearestSound(analyzer_.timeline(), choice_);
        return result;
    }

    void fail(const std::string& message) {
        printError(message);
        failed_ = true;
    }

    const AnalyzeOptions& options_;
    std::shared_ptr<const model::Weights> weights_;
    detection::Labels labels_;
    EventChoice choice_;
    detection::Analyzer analyzer_;
    OutputStream output_;
    std::unique_ptr<ResultWriter> writer_;
    bool failed_ = false;
};

} // namespace

Command makeAnalyzeCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("analyze", "Say what sounds in recordings, and when");
    const auto options = std::make_shared<AnalyzeOptions>();
    declareAnalyzeOptions(*command, *options);
    return {command, [options]() -> int {
                if (options->explain && options->format != ResultFormat::table)
                    throw UsageError("--explain has no place in csv and json; use --format table");
                refuseToOverwriteInputs(*options);
                tensor::setThreadCount(options->threads);
                return Run(*options).run();
            }};
}

} // namespace earshot::cli
