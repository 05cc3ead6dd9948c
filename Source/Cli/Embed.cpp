#include "Cli/Commands.h"
#include "Cli/EmbedTexts.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Options.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Kept/Embeddings.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/Npy.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::cli {

namespace {

constexpr double minHop = 0.01;      // seconds
constexpr double maxHop = 24 * 3600; // seconds

constexpr const char* notes =
    "With --texts it writes lines of text as vectors instead, by the text half of a\n"
    "CLAP model. Texts are taken as they are: write the prompts that you want.\n"
    "LAION-CLAP's vectors have length 1.\n"
    "\n"
    "For each recording NAME it writes NAME.embeddings.npy, (rows, values) in\n"
    "float32, and NAME.embeddings.csv, with each row's start and end in seconds.\n"
    "\n"
    "Windows have the length the models were published for: 7 s for Microsoft CLAP,\n"
    "10 s for LAION-CLAP and HTS-AT. A last window that passes the recording's end\n"
    "repeats its sound; for LAION-CLAP silence follows where no whole repetition\n"
    "fits. With --per file a recording's vector is the mean over its windows,\n"
    "weighted by their seconds of audio; LAION-CLAP's is scaled to length 1 again.\n"
    "\n"
    "Examples:\n"
    "  earshot embed *.wav --output-dir vectors\n"
    "  earshot embed archive --model CLAP_weights_2023.pth --per file \\\n"
    "      --output-dir vectors\n"
    "  earshot embed night.flac --model laion.pt --hop 2.5\n"
    "  earshot embed --texts sounds.txt --model CLAP_weights_2023.pth \\\n"
    "      --output sounds.npy\n";

struct EmbedOptions {
    std::vector<std::string> files;    // or folders, or glob patterns; "-" is standard input
    std::optional<std::string> texts;  // a file, in place of `files`
    std::optional<std::string> output; // of texts
    ModelOptions model;
    std::optional<detection::EmbeddingKind> kind;
    std::optional<double> hop; // seconds
    audio::ReadOptions reading;
    bool perFile = false;
    std::optional<std::string> outputFolder;
    bool overwrite = false;
    int threads = 1;
    model::Precision precision = model::Precision::float32;
    bool quiet = false;
};

// (times, vectors)
using EmbeddingPaths = std::array<std::filesystem::path, 2>;

// Returns the paths of NAME.embeddings.csv and NAME.embeddings.npy. They lie in `folder`, at the recording's
// path below its input folder, or without `folder` beside the recording. The name of standard input is
// "standard-input", in the current folder.
EmbeddingPaths embeddingPaths(const batch::Input& input, const std::optional<std::string>& folder) {
    const std::filesystem::path into = folder ? std::filesystem::path(*folder) : input.path.parent_path();
    const std::string name = input.isStandardInput() ? "standard-input"
                             : folder                ? input.name
                                                     : input.path.filename().string();
    return {batch::outputFile(into, name, ".embeddings.csv"),
            batch::outputFile(into, name, ".embeddings.npy")};
}

// Writes the vectors (NPY) and times (CSV) of one recording. Each file appears whole or not at all. The times
// appear first: where vectors are, their times are.
class EmbeddingFiles {
  public:
    // Creates missing folders. Throws WriteError, as all members below, if the files cannot be written.
    EmbeddingFiles(const EmbeddingPaths& paths, int dimensions)
        : files_(filesFor(paths))
        , vectors_(files_[1], formats::NpyType::float32, {dimensions}) {
        files_[0].write("row,start_s,end_s\n");
    }

    void write(const detection::WindowEmbedding& row) {
        files_[0].write(fmt::format("{},{:.6f},{:.6f}\n", vectors_.rows(), row.start, row.end));
        vectors_.write(row.values);
    }
    void finish() {
        vectors_.finish();
        WholeFile::commit(files_);
    }
    std::int64_t rows() const { return vectors_.rows(); }

  private:
    static std::vector<WholeFile> filesFor(const EmbeddingPaths& paths) {
        std::vector<WholeFile> files;
        for (const auto& path : paths) files.emplace_back(path, WholeFile::MissingFolders::made);
        return files;
    }

    std::vector<WholeFile> files_; // (times, vectors)
    formats::NpyWriter vectors_;
};

class EmbedRun {
  public:
    explicit EmbedRun(const EmbedOptions& options)
        : options_(options)
        , inputs_(batch::findInputs(options.files).recordings)
        , weights_(loadModel(checkedModel(), options.precision, options.quiet))
        , kind_(options.kind.value_or(detection::usualEmbedding(*weights_)))
        , embedder_(weights_, {.kind = kind_, .hop = options.hop, .threads = options.threads}) {}

    int run() {
        for (const batch::Input& input : inputs_) {
            embed(input);
            if (interrupted()) return interruption;
        }
        return failed_ ? failure : success;
    }

  private:
    // Returns the model after checking that no output replaces the model, a recording, or (without
    // --overwrite) any existing file.
    model::ModelSource checkedModel() const {
        auto model = locateModel(options_.model);
        OutputCheck files;
        for (const batch::Input& input : inputs_)
            for (const auto& file : embeddingPaths(input, options_.outputFolder)) files.writes(file);
        addModel(files, model.file);
        addRecordings(files, inputs_);
        requireSafe(files, options_.overwrite);
        return model;
    }

    void embed(const batch::Input& input) {
        if (input.problem) return fail(*input.problem);
        std::optional<audio::AudioFile> file;
        try {
            file = openAudio(input, options_.reading);
        } catch (const Error& error) {
            // Ctrl-C while the program waits for standard input is no failure of this input.
            if (!interrupted()) fail(error.what());
            return;
        }
        try {
            analyse(input, *file);
        } catch (const WriteError& error) {
            if (error.reach() == WriteError::Reach::allResults) throw;
            fail(error.what());
        }
    }

    void analyse(const batch::Input& input, audio::AudioFile& file) {
        const auto shown = input.isStandardInput() ? "standard input" : displayName(input.path);
        EmbeddingFiles files(embeddingPaths(input, options_.outputFolder), embedder_.dimensions());
        detection::MeanEmbedding mean;
        embedder_.reset();
        embedder_.setReceiver([&](const detection::WindowEmbedding& window) {
            if (options_.perFile)
                mean.add(window);
            else
                files.write(window);
        });
        ProgressLine progress(!options_.quiet);
        detection::BlockReader reader(file, weights_->config().sampleRate);
        const detection::FileSummary& summary = reader.summary();
        while (reader.next()) {
            embedder_.push(reader.block());
            progress.show(shown, summary.seconds, reader.length());
            if (interrupted()) return;
        }
        embedder_.finish();
        progress.clear();
        if (summary.failure) fail(*summary.failure);
        if (!options_.quiet) printWarnings(shown, summary.warnings);
        if (options_.perFile) writeMean(files, mean, summary.seconds);
        if (files.rows() > 0)
            files.finish();
        else if (!summary.failure)
            fail(shown + ": too short, not one sample is left at the model's rate; use a longer recording");
    }

    void writeMean(EmbeddingFiles& files, const detection::MeanEmbedding& mean, double seconds) const {
        const auto values = mean.mean(detection::hasUnitLength(*weights_, kind_));
        if (!values.empty()) files.write({.start = 0.0, .end = seconds, .values = values});
    }

    void fail(const std::string& message) {
        printError(message);
        failed_ = true;
    }

    const EmbedOptions& options_;
    std::vector<batch::Input> inputs_;
    std::shared_ptr<const model::Weights> weights_;
    detection::EmbeddingKind kind_;
    detection::Embedder embedder_;
    bool failed_ = false;
};

void declareOptions(CLI::App& command, EmbedOptions& options) {
    command.footer(notes);
    const OptionGroup general(command);
    auto* const files = general.add("FILE", options.files, "",
                                    "Audio files, folders of them, or quoted patterns; - is standard input");
    auto* const texts =
        general.add("--texts", options.texts, "FILE", "UTF-8 text, one text a line, in place of recordings");
    texts->excludes(files);
    general
        .add("--output", options.output, "FILE", "The texts' vectors, .npy, (texts, values) in float32",
             notDash())
        ->needs(texts);
    addModelOptions(general, options.model);
    const Choices<detection::EmbeddingKind> kinds = {{"latent", detection::EmbeddingKind::latent},
                                                     {"projected", detection::EmbeddingKind::projected}};
    general
        .choose("--kind", options.kind, kinds,
                "latent: the network's own vector (768 values for the published sizes)\n"
                "projected: the space that CLAP models share with texts (default for those)")
        ->excludes(texts);
    const Choices<bool> pers = {{"window", false}, {"file", true}};
    general.choose("--per", options.perFile, pers, "A row for each window (default), or one for each file")
        ->excludes(texts);
    general
        .add("--hop", options.hop, "SECONDS",
             "Seconds from window to window (default: the length of a window)",
             numberBetween(minHop, maxHop, "a number of seconds"))
        ->excludes(texts);
    general
        .add("--output-dir", options.outputFolder, "DIR",
             "Folder for the results, laid out as the input folder (default: beside each recording)")
        ->excludes(texts);
    addOverwriteOption(general, options.overwrite);
    addReadOptions(general, options.reading, "a file of vectors is of one channel; name it, or mix");
    addThreadsOption(general, options.threads);
    addPrecisionOption(general, options.precision);
    general.flag("--quiet,-q", options.quiet, "No progress and no warnings");
}

int runEmbed(const EmbedOptions& options) {
    if (!options.texts) {
        if (options.files.empty()) throw UsageError("name recordings, or give --texts FILE");
        return EmbedRun(options).run();
    }
    if (!options.output) throw UsageError("--texts needs --output FILE for its vectors");
    if (options.precision == model::Precision::int8)
        throw UsageError("texts are embedded in f32 or bf16; name one of these with --precision");
    return embedTexts({.texts = *options.texts,
                       .model = options.model,
                       .output = *options.output,
                       .overwrite = options.overwrite,
                       .threads = options.threads,
                       .precision = options.precision,
                       .quiet = options.quiet});
}

} // namespace

Command makeEmbedCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("embed", "Write recordings or texts as vectors, for other programs");
    const auto options = std::make_shared<EmbedOptions>();
    declareOptions(*command, *options);
    return {command, [options] { return runEmbed(*options); }};
}

} // namespace earshot::cli
