#include "Core/Detection/Queries/ListeningModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Queries/QueryTokenModel.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Formats/Npy.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Text/TextEncoder.h"

#include <fmt/format.h>

#include <utility>

namespace earshot::detection {

namespace {

const char* nameOf(QueryScores scores) { return scores == QueryScores::softmax ? "softmax" : "cosine"; }

// Returns where the names of the queries may be, unless --query-names names the file.
std::vector<std::filesystem::path> besides(const std::filesystem::path& vectors) {
    auto text = vectors, table = vectors;
    return {text.replace_extension(".txt"), table.replace_extension(".csv")};
}

std::filesystem::path namesFile(const QueryChoice& choice) {
    if (choice.names) return *choice.names;
    const auto candidates = besides(*choice.file);
    std::error_code notThere;
    for (const auto& candidate : candidates)
        if (std::filesystem::exists(candidate, notThere)) return candidate;
    throw Error(fmt::format("{}: its names are missing; write them into {}, one a line, or name a file with "
                            "--query-names",
                            displayName(*choice.file), displayName(candidates.front())));
}

void requireRival(const Queries& queries, QueryScores how, const std::string& where) {
    if (queries.count() + queries.rivals < 2 && how == QueryScores::softmax)
        throw Error(where + ": one query alone always wins; add one for everything else, such as "
                            "\"background noise\", or use --query-scores cosine");
}

std::shared_ptr<const Queries> readQueries(const QueryChoice& choice) {
    const std::filesystem::path file = *choice.file;
    auto array = formats::readNpy(file);
    if (array.shape.size() != 2 || array.shape[1] < 1 || array.shape[1] > (1 << 16))
        throw Error(fmt::format("{}: expected an array of two dimensions, (queries, values), found {}",
                                displayName(file), array.shape.size()));
    auto names = readQueryNames(namesFile(choice),
                                static_cast<int>(std::min<std::int64_t>(array.shape[0], mostQueries + 1)));
    auto queries = Queries::make(std::move(names), std::move(array.values), static_cast<int>(array.shape[1]),
                                 displayName(file));
    requireRival(queries, choice.how(), displayName(file));
    return std::make_shared<const Queries>(std::move(queries));
}

// A text and the name of its class.
struct Listened {
    std::string text, name;
};

Listened parseListened(const std::string& given) {
    const auto equals = given.rfind('=');
    const auto text = given.substr(0, equals);
    const auto name = printable(equals == std::string::npos ? text : given.substr(equals + 1));
    if (text.empty() || name.empty())
        throw Error(
            fmt::format("\"{}\" is nothing to listen for; write a text, or text=name", printable(given)));
    return {text, name};
}

std::vector<Listened> readListened(const TextChoice& choice) {
    std::vector<Listened> found;
    for (const auto& given : choice.texts) found.push_back(parseListened(given));
    if (choice.file) {
        constexpr std::uint64_t mostBytes = 1 << 20;
        for (const auto& line : readLines(*choice.file, mostBytes, "file of texts to listen for, one a line"))
            found.push_back(parseListened(line));
    }
    if (found.size() + choice.rivals.size() > mostQueries)
        throw Error(fmt::format("{} texts are more than {}; listen for fewer", found.size(), mostQueries));
    return found;
}

// The queries, and the texts that they follow from.
struct EmbeddedTexts {
    std::shared_ptr<const Queries> queries;
    std::string sources;
};

EmbeddedTexts embedTexts(const std::filesystem::path& model, const QueryChoice& choice) {
    const auto listened = readListened(choice.listen);
    const auto checkpoint = model::Checkpoint::open(model);
    text::TextEncoder encoder(*checkpoint);
    const auto prompted = [&](const std::string& text) {
        return choice.listen.plain ? text : encoder.half().prompt(text);
    };
    std::vector<std::string> names, texts;
    std::string sources;
    for (const auto& [text, name] : listened) {
        names.push_back(name);
        texts.push_back(prompted(text));
        sources += fmt::format("{}:{}={}\n", texts.back().size(), texts.back(), name);
    }
    for (const auto& rival : choice.listen.rivals) {
        texts.push_back(prompted(rival));
        sources += fmt::format("{}:{}\n", texts.back().size(), texts.back());
    }
    const auto vectors = encoder.embed(texts);
    auto queries =
        Queries::make(std::move(names), {vectors.values().begin(), vectors.values().end()},
                      encoder.half().dimensions, "--listen", static_cast<int>(choice.listen.rivals.size()));
    requireRival(queries, choice.how(), "--listen");
    return {std::make_shared<const Queries>(std::move(queries)), std::move(sources)};
}

std::string digestOf(const Queries& queries) {
    std::string text(reinterpret_cast<const char*>(queries.vectors.data()),
                     queries.vectors.size() * sizeof(float));
    for (const auto& name : queries.names) text += name + "\n";
    return sha256(text);
}

} // namespace

double ListeningModel::secondsPerToken() const {
    return shape.framesPerToken * weights->config().secondsPerFrame();
}

std::vector<std::filesystem::path> filesOf(const QueryChoice& choice) {
    if (choice.listen.file) return {*choice.listen.file};
    if (!choice.file) return {};
    auto files = besides(*choice.file);
    if (choice.names) files = {*choice.names};
    files.emplace_back(*choice.file);
    return files;
}

ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice) {
    const auto& config = weights->config();
    if (!choice.given())
        return {weights,
                Labels::read(weights->metadata(), weights->file(), config.classes),
                [weights] { return makeNetworkTokenModel(weights); },
                {.windowFrames = config.windowFrames(), .framesPerToken = config.framesPerToken()}};
    const auto texts = choice.listen.given() ? embedTexts(weights->file(), choice) : EmbeddedTexts{};
    const auto queries = choice.listen.given() ? texts.queries : readQueries(choice);
    const auto shape = queryShape(*weights, *queries);
    // The last bits of vectors differ between processors; texts don't.
    const auto digest = choice.listen.given() ? "texts " + sha256(texts.sources) : digestOf(*queries);
    return {weights,
            Labels::named(queries->names, weights->metadata(),
                          choice.listen.given() ? "--listen" : displayName(*choice.file)),
            [weights, queries, how = choice.how()] { return makeQueryTokenModel(weights, queries, how); },
            shape, fmt::format("{} {}", digest, nameOf(choice.how()))};
}

} // namespace earshot::detection
