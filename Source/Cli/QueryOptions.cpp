#include "Cli/QueryOptions.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"

#include <fmt/format.h>

namespace earshot::cli {

void addQueryOptions(CLI::App& command, QueryOptions& options) {
    const OptionGroup group(command, "Sounds of your own, with a CLAP model");
    auto& queries = options.choice;
    auto& listen = queries.listen;
    auto* const texts =
        group
            .add("--listen", options.listen, "TEXT[=NAME]",
                 "Detect what the text says instead of the model's sounds, and call it NAME; may be given\n"
                 "several times. The model must be a whole CLAP checkpoint, with its text half")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    auto* const textFile =
        group.add("--listen-file", listen.file, "FILE", "More texts, or TEXT=NAME, one a line");
    group
        .add("--rivals", listen.negatives, "TEXT,...",
             "Texts for everything else, which compete with yours (default: silence,background noise,a "
             "sound; none: no such texts)")
        ->delimiter(',')
        ->allow_extra_args(false);
    group.flag("--no-prompt", listen.plain,
               "Use texts as given (default: in the prompt of the model's authors, such as \"this is the "
               "sound of TEXT\")");
    group
        .add("--queries", queries.file, "FILE.npy",
             "The same with vectors that another program made. FILE.npy holds them by the text half of\n"
             "the same CLAP model, an array (texts, values) in float16, 32 or 64")
        ->excludes(texts)
        ->excludes(textFile);
    group.add("--query-names", queries.names, "NAMES",
              "Names of the texts, one a line, or a .csv with a column label\n"
              "(default: FILE.txt or FILE.csv for FILE.npy)");
    const Choices<detection::QueryScores> scores = {{"softmax", detection::QueryScores::softmax},
                                                    {"each", detection::QueryScores::each},
                                                    {"zscore", detection::QueryScores::zscore},
                                                    {"cosine", detection::QueryScores::cosine}};
    group.choose(
        "--query-scores", queries.scores, scores,
        "softmax (default): texts compete, as CLAP classifies, and one always wins: add one for\n"
        "everything else, such as \"background noise\"\n"
        "each: each text competes with the rivals alone\n"
        "zscore: by how many deviations of the rivals' similarities a text is nearer than they are:\n"
        "0.5 is none, 0.98 two\n"
        "cosine: each text's similarity by itself, 0 to 1; choose --threshold for it");
    const Choices<detection::QueryTimes> times = {{"token", detection::QueryTimes::token},
                                                  {"window", detection::QueryTimes::window}};
    group.choose(
        "--query-times", queries.times, times,
        "token (default): compare texts with each 0.2 or 0.3 s of a window and with the whole window,\n"
        "and take the lower score\n"
        "window: with whole windows of 7 or 10 s alone, as the models were trained; they overlap");
    group.flag("--keep-classes", queries.joins, "Detect the model's own sounds beside the texts");
}

detection::QueryChoice chooseQueries(const QueryOptions& options, const ConfidenceOption& confidence) {
    auto queries = options.choice;
    auto& listen = queries.listen;
    for (const auto& text : options.listen) listen.texts.push_back(detection::parseTextPrompt(text));
    if (!queries.file && queries.names)
        throw UsageError("--query-names needs --queries, the texts that it names");
    if (!queries.given() && (queries.scores || queries.joins || queries.times))
        throw UsageError("--query-scores, --query-times and --keep-classes need --listen or --queries");
    if (!listen.given() && (listen.plain || listen.negatives != detection::TextChoice{}.negatives))
        throw UsageError("--rivals and --no-prompt are for --listen");
    if (confidence && queries.given())
        throw UsageError(
            "--confidence is for a model's own sounds; leave the queries out, or use thresholds");
    if (listen.negatives == std::vector<std::string>{"none"}) listen.negatives.clear();
    return queries;
}

void noteCutTexts(std::size_t count, bool quiet) {
    if (count > 0 && !quiet)
        printNote(
            fmt::format("warning: {} longer than the 75 tokens that this model reads; the rest is left out",
                        count == 1 ? "1 text is" : fmt::format("{} texts are", count)));
}

detection::ListeningModel listenFor(const std::shared_ptr<const model::Weights>& weights,
                                    detection::QueryChoice queries, bool quiet) {
    ProgressLine progress(!quiet);
    queries.listen.progress = [&progress](double share) {
        if (interrupted()) throw Interrupted();
        progress.show(fmt::format("texts  {:.0f} %", 100.0 * share));
    };
    auto model = detection::makeListeningModel(weights, queries);
    progress.clear();
    noteCutTexts(model.cutTexts, quiet);
    return model;
}

} // namespace earshot::cli
