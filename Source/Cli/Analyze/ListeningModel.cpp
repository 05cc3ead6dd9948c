#include "Cli/Analyze/ListeningModel.h"

#include "Cli/ExitCode.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Base/Sha256.h"
#include "Core/Detection/Queries/QueryTokenModel.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Formats/NpyReader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <utility>

namespace earshot::cli {

namespace {

const char* nameOf(detection::QueryScores scores) {
    return scores == detection::QueryScores::softmax ? "softmax" : "cosine";
}

// Where the names of what the file holds may be, unless --query-names says where.
std::vector<std::filesystem::path> besides(const std::filesystem::path& vectors) {
    auto text = vectors, table = vectors;
    return {text.replace_extension(".txt"), table.replace_extension(".csv")};
}

std::filesystem::path namesFile(const QueryOptions& options) {
    if (options.names) return *options.names;
    const auto candidates = besides(*options.file);
    std::error_code notThere;
    for (const auto& candidate : candidates)
        if (std::filesystem::exists(candidate, notThere)) return candidate;
    throw Error(fmt::format("{}: its names are missing; write them into {}, one a line, or name a file with "
                            "--query-names",
                            displayName(*options.file), displayName(candidates.front())));
}

std::shared_ptr<const detection::Queries> readQueries(const QueryOptions& options) {
    const std::filesystem::path file = *options.file;
    auto array = formats::readNpy(file);
    if (array.shape.size() != 2 || array.shape[1] < 1 || array.shape[1] > (1 << 16))
        throw Error(fmt::format("{}: expected an array of two dimensions, (queries, values), found {}",
                                displayName(file), array.shape.size()));
    auto names = detection::readQueryNames(
        namesFile(options),
        static_cast<int>(std::min<std::int64_t>(array.shape[0], detection::mostQueries + 1)));
    auto queries = detection::Queries::make(std::move(names), std::move(array.values),
                                            static_cast<int>(array.shape[1]), displayName(file));
    if (queries.count() < 2 && options.how() == detection::QueryScores::softmax)
        throw Error(fmt::format("{}: one query alone always wins; add one for everything else, such as "
                                "\"background noise\", or use --query-scores cosine",
                                displayName(file)));
    return std::make_shared<const detection::Queries>(std::move(queries));
}

std::string digestOf(const detection::Queries& queries) {
    std::string text(reinterpret_cast<const char*>(queries.vectors.data()),
                     queries.vectors.size() * sizeof(float));
    for (const auto& name : queries.names) text += name + "\n";
    return sha256(text);
}

} // namespace

void declareQueryOptions(CLI::App& command, QueryOptions& options) {
    const std::string group = "Sounds of your own, with a CLAP model";
    command
        .add_option("--queries", options.file,
                    "Listen for these instead of the model's sounds: texts as the text half of the same\n"
                    "CLAP model embeds them, an array (texts, values) in float16, 32 or 64")
        ->type_name("FILE.npy")
        ->group(group);
    command
        .add_option("--query-names", options.names,
                    "What the texts are called, one a line, or a .csv with a column label\n"
                    "(default: FILE.txt or FILE.csv for FILE.npy)")
        ->type_name("NAMES")
        ->group(group);
    const std::map<std::string, detection::QueryScores> scores = {
        {"softmax", detection::QueryScores::softmax}, {"cosine", detection::QueryScores::cosine}};
    command
        .add_option(
            "--query-scores", options.scores,
            "softmax (default): texts compete, as CLAP classifies, and one always wins: have one for\n"
            "everything else, such as \"background noise\"\n"
            "cosine: each text's similarity by itself, 0 to 1; choose --threshold for it")
        ->transform(CLI::CheckedTransformer(scores).description(""))
        ->type_name("softmax|cosine")
        ->group(group);
}

double ListeningModel::secondsPerToken() const {
    return shape.framesPerToken * weights->config().secondsPerFrame();
}

std::vector<std::filesystem::path> filesOf(const QueryOptions& options) {
    if (!options.file) return {};
    auto files = besides(*options.file);
    if (options.names) files = {*options.names};
    files.emplace_back(*options.file);
    return files;
}

void checkUsage(const QueryOptions& options) {
    if (options.file) return;
    if (options.names) throw UsageError("--query-names needs --queries, the file of what it names");
    if (options.scores) throw UsageError("--query-scores needs --queries, which it is about");
}

ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryOptions& options) {
    const auto& config = weights->config();
    if (!options.file)
        return {weights,
                detection::Labels::read(weights->metadata(), weights->file(), config.classes),
                [weights] { return detection::makeNetworkTokenModel(weights); },
                {.windowFrames = config.windowFrames(), .framesPerToken = config.framesPerToken()}};
    auto queries = readQueries(options);
    const auto shape = detection::queryShape(*weights, *queries);
    return {weights,
            detection::Labels::named(queries->names, weights->metadata(), displayName(*options.file)),
            [weights, queries, how = options.how()] {
                return detection::makeQueryTokenModel(weights, queries, how);
            },
            shape, fmt::format("{} {}", digestOf(*queries), nameOf(options.how()))};
}

} // namespace earshot::cli
