#include "Core/Batch/JournalFacts.h"

namespace earshot::batch {

void describe(Journal& journal, const JournalFacts& facts) {
    journal.setList("suffixes", facts.suffixes);
    journal.setList("joined", facts.joined);
    if (!facts.documents.empty()) journal.setList("documents", {facts.documents});
    journal.setList("model", {facts.model.file, facts.model.sha256, facts.model.licence});
    journal.setList("labels", facts.model.labels);
}

JournalFacts factsOf(Journal& journal) {
    JournalFacts facts{
        .suffixes = journal.list("suffixes"), .joined = journal.list("joined"), .documents = {}, .model = {}};
    if (const auto version = journal.list("documents"); version.size() == 1)
        facts.documents = version.front();
    if (const auto model = journal.list("model"); model.size() == 3)
        facts.model = {
            .file = model[0], .sha256 = model[1], .licence = model[2], .labels = journal.list("labels")};
    return facts;
}

} // namespace earshot::batch
