// The options that put texts or vectors in place of a model's classes, for all commands that listen.
#pragma once

#include "Cli/EventChoice.h"
#include "Cli/Options.h"
#include "Core/Detection/Queries/ListeningModel.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace earshot::cli {

struct QueryOptions {
    detection::QueryChoice choice;   // without `listen`
    std::vector<std::string> listen; // texts, or text=name

    bool given() const { return choice.given() || !listen.empty(); }
};

// `options` must outlive the parsing.
void addQueryOptions(CLI::App& command, QueryOptions& options);

// Returns the whole choice. Throws UsageError if the options do not fit together, or --confidence is given
// with queries, and earshot::Error for a text that is none.
detection::QueryChoice chooseQueries(const QueryOptions& options, const ConfidenceOption& confidence);

// Says on standard error that the model reads the beginning alone of so many texts; nothing if there are
// none.
void noteCutTexts(std::size_t count, bool quiet);
// As detection::makeListeningModel(), with progress on the terminal while texts are embedded. Throws
// Interrupted after Ctrl-C.
detection::ListeningModel listenFor(const std::shared_ptr<const model::Weights>& weights,
                                    detection::QueryChoice queries, bool quiet);

} // namespace earshot::cli
