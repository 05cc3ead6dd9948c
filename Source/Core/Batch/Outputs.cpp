#include "Core/Batch/Outputs.h"

#include "Core/Batch/PendingFile.h"

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

class DocumentWriter : public OutputWriter {
  public:
    DocumentWriter(fs::path file, formats::EventFormat format)
        : file_(std::move(file))
        , format_(format) {}

    void finish(const formats::RecordingEvents& recording) override {
        const auto document = formats::makeDocument(format_);
        FileWriter writer(file_);
        writer.write(document->begin());
        writer.write(document->add(recording));
        writer.write(document->end());
        writer.close();
    }

  private:
    fs::path file_;
    formats::EventFormat format_;
};

class DocumentKind : public OutputKind {
  public:
    explicit DocumentKind(formats::EventFormat format)
        : format_(format) {}

    std::string suffix() const override { return std::string(formats::traits(format_).suffix); }
    bool needsAudio() const override { return false; }
    std::unique_ptr<OutputWriter> write(const fs::path& file, detection::Analyzer*) const override {
        return std::make_unique<DocumentWriter>(file, format_);
    }

  private:
    formats::EventFormat format_;
};

const std::string sqlite = "sqlite";

void joinDocuments(const fs::path& file, formats::EventFormat format, const EachRecording& all) {
    const auto document = formats::makeDocument(format);
    FileWriter writer(file);
    writer.write(document->begin());
    all([&](const JournalEntry& entry) {
        if (entry.result) writer.write(document->add(*entry.result));
    });
    writer.write(document->end());
    writer.close();
}

void joinInDatabase(const fs::path& file, const BatchFacts& facts, const EachRecording& all) {
    std::error_code notThere;
    fs::remove(file, notThere);
    formats::SqliteDatabase database(file, facts.model, {facts.settings.begin(), facts.settings.end()});
    all([&](const JournalEntry& entry) {
        formats::RecordingEvents unheard;
        unheard.file = entry.name;
        unheard.complete = false;
        database.add(entry.result ? *entry.result : unheard, entry.failure);
    });
    database.finish();
}

std::string quoted(const std::string& text) {
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + "\"";
}

} // namespace

std::shared_ptr<const OutputKind> documentKind(formats::EventFormat format) {
    return std::make_shared<DocumentKind>(format);
}

fs::path outputFile(const fs::path& folder, const std::string& recording, const std::string& suffix) {
    return folder / (recording + suffix);
}

std::vector<std::string> joinedFormats() {
    std::vector<std::string> names;
    for (const auto& format : formats::allFormats())
        if (format.joins) names.emplace_back(format.name);
    names.push_back(sqlite);
    return names;
}

fs::path joinedFile(const fs::path& folder, const std::string& format) {
    const auto document = formats::formatNamed(format);
    return folder / ("events" + (document ? std::string(formats::traits(*document).suffix) : "." + format));
}

void writeJoined(const fs::path& folder, const std::string& format, const BatchFacts& facts,
                 const EachRecording& all) {
    PendingFile file(joinedFile(folder, format));
    if (const auto document = formats::formatNamed(format)) {
        joinDocuments(file.temporary(), *document, all);
    } else {
        joinInDatabase(file.temporary(), facts, all);
    }
    PendingFile::commit({&file, 1});
}

fs::path failuresFile(const fs::path& folder) { return folder / "failed.csv"; }

void writeFailures(const fs::path& folder, const std::vector<Failure>& failures) {
    if (failures.empty()) {
        std::error_code notThere;
        fs::remove(failuresFile(folder), notThere);
        return;
    }
    std::string csv = "file,error\n";
    for (const Failure& failure : failures)
        csv += quoted(failure.name) + "," + quoted(failure.message) + "\n";
    writeAtomically(failuresFile(folder), csv);
}

} // namespace earshot::batch
