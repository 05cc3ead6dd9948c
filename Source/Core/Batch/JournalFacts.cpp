#include "Core/Batch/JournalFacts.h"

namespace earshot::batch {

void describe(Journal& journal, const JournalFacts& facts) {
    journal.setList("suffixes", facts.suffixes);
    journal.setList("joined", facts.joined);
    journal.setList("model", {facts.model.file, facts.model.sha256, facts.model.licence});
    journal.setList("labels", facts.model.labels);
}

JournalFacts factsOf(Journal& journal) {
    JournalFacts facts{.suffixes = journal.list("suffixes"), .joined = journal.list("joined"), .model = {}};
    if (const auto model = journal.list("model"); model.size() == 3)
        facts.model = {
            .file = model[0], .sha256 = model[1], .licence = model[2], .labels = journal.list("labels")};
    return facts;
}

} // namespace earshot::batch
