#include "Core/Batch/Outputs.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Printable.h"

#include <algorithm>
#include <utility>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

class DocumentWriter : public OutputWriter {
  public:
    DocumentWriter(WholeFile& file, const formats::EventFormat& format)
        : file_(file)
        , format_(format) {}

    void finish(const formats::RecordingEvents& recording) override {
        const auto document = format_.makeDocument({});
        file_.write(document->begin());
        file_.write(document->add(recording));
        file_.write(document->end());
    }

  private:
    WholeFile& file_;
    const formats::EventFormat& format_;
};

class DocumentKind : public OutputKind {
  public:
    explicit DocumentKind(const formats::EventFormat& format)
        : format_(format) {}

    std::string suffix() const override { return std::string(format_.suffix); }
    bool needsAudio() const override { return false; }
    std::unique_ptr<OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<DocumentWriter>(file, format_);
    }

  private:
    const formats::EventFormat& format_;
};

const std::string sqlite = "sqlite";

void joinDocuments(WholeFile& file, const formats::EventFormat& format, const EachRecording& all) {
    const auto document = format.makeDocument({});
    file.write(document->begin());
    all([&](const JournalEntry& entry) {
        if (entry.result) file.write(document->add(*entry.result));
    });
    file.write(document->end());
}

void joinInDatabase(const WholeFile& file, const BatchFacts& facts, const EachRecording& all) {
    formats::SqliteDatabase database(file.temporary(), facts.model,
                                     {facts.settings.begin(), facts.settings.end()}, file.target());
    all([&](const JournalEntry& entry) {
        formats::RecordingEvents unheard;
        unheard.file = entry.name;
        unheard.complete = false;
        database.add(entry.result ? *entry.result : unheard,
                     entry.unreachable.empty() ? entry.failure : entry.unreachable);
    });
    database.finish();
}

} // namespace

std::shared_ptr<const OutputKind> documentKind(const formats::EventFormat& format) {
    return std::make_shared<DocumentKind>(format);
}

std::vector<std::string> joinedFormats() {
    std::vector<std::string> names;
    for (const auto& format : formats::allFormats())
        if (format.joins) names.emplace_back(format.name);
    names.push_back(sqlite);
    return names;
}

fs::path joinedFile(const fs::path& folder, const std::string& format) {
    const auto* const document = formats::formatNamed(format);
    return folder / ("events" + (document != nullptr ? std::string(document->suffix) : "." + format));
}

void writeJoined(const fs::path& folder, const std::string& format, const BatchFacts& facts,
                 const EachRecording& all, Targets& targets) {
    WholeFile file(joinedFile(folder, format));
    if (const auto* const document = formats::formatNamed(format)) {
        joinDocuments(file, *document, all);
    } else {
        joinInDatabase(file, facts, all);
    }
    targets.claim({&file.target(), 1});
    file.commit();
}

std::vector<Failure> failuresOf(Journal& journal, const std::vector<std::string>& names,
                                const std::vector<std::string>& missing) {
    std::vector<Failure> failures;
    for (const std::string& name : names) {
        const auto entry = journal.find(name);
        if (!entry) continue;
        if (std::ranges::binary_search(missing, name))
            failures.push_back({name,
                                printable(name) +
                                    ": is not among the recordings any more; its results stay until "
                                    "--forget-missing",
                                true});
        else if (!entry->unreachable.empty())
            failures.push_back({name, entry->unreachable, true});
        else if (!entry->failure.empty())
            failures.push_back({name, entry->failure, false});
    }
    return failures;
}

fs::path failuresFile(const fs::path& folder) { return folder / "failed.csv"; }

void writeFailures(const fs::path& folder, const std::vector<Failure>& failures, Targets& targets) {
    const fs::path file = failuresFile(folder);
    if (failures.empty()) return targets.remove({&file, 1});
    std::string csv = "file,error\n";
    for (const Failure& failure : failures)
        csv += csvField(failure.name) + "," + csvField(failure.message) + "\n";
    targets.claim({&file, 1});
    writeWholeFile(file, csv);
}

namespace {

class ActivationFile : public OutputWriter {
  public:
    explicit ActivationFile(std::unique_ptr<detection::ActivationWriter> writer)
        : writer_(std::move(writer)) {}

    detection::ColumnObserver* observer() override { return writer_.get(); }
    void finish(const formats::RecordingEvents& recording) override {
        writer_->finish({.name = recording.file,
                         .seconds = recording.seconds,
                         .sampleRate = recording.sampleRate,
                         .channels = recording.channels,
                         .complete = recording.complete});
    }

  private:
    std::unique_ptr<detection::ActivationWriter> writer_;
};

class ActivationOutput : public OutputKind {
  public:
    ActivationOutput(detection::ActivationKind kind, detection::ActivationInfo info)
        : kind_(kind)
        , info_(std::move(info)) {}

    std::string suffix() const override { return detection::suffix(kind_); }
    bool needsAudio() const override { return true; }
    std::unique_ptr<OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<ActivationFile>(detection::makeActivationWriter(kind_, file, info_));
    }

  private:
    detection::ActivationKind kind_;
    detection::ActivationInfo info_;
};

} // namespace

std::shared_ptr<const OutputKind> activationOutput(detection::ActivationKind kind,
                                                   detection::ActivationInfo info) {
    return std::make_shared<ActivationOutput>(kind, std::move(info));
}

} // namespace earshot::batch
