#include "Core/Teaching/ExampleRows.h"

#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace earshot::teaching {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using training::lowerCase;

namespace {

constexpr std::uint64_t maxTableBytes = std::uint64_t{64} << 20; // bytes
constexpr std::array columns = {"file"sv,  "onset"sv,       "offset"sv,    "label"sv,
                                "group"sv, "source_type"sv, "licence"sv,   "author"sv,
                                "not"sv,   "not_onset"sv,   "not_offset"sv};
constexpr const char* wanted = "its first line must name its columns: file,label or file,onset,offset,label";

bool same(std::string_view label, std::string_view other) { return lowerCase(label) == lowerCase(other); }

std::string joined(const std::vector<std::string>& labels) {
    std::string text;
    for (const auto& label : labels) text += (text.empty() ? "" : ";") + label;
    return text;
}

} // namespace

ExampleTable readExamples(const fs::path& csv) {
    if (!platform::statusOf(csv) && (errno == ENOENT || errno == ENOTDIR)) return ExampleTable();
    const std::string text = readWholeFile(csv, maxTableBytes, "CSV of examples");
    training::requireTableText(text, csv);
    ExampleTable read(text);
    for (const auto column : {"file"sv, "label"sv})
        if (!read.empty() && !read.has(column))
            throw Error(fmt::format("{}: has no column \"{}\"; {}", displayName(csv), column, wanted));
    return read;
}

std::string checkedText(const ExampleTable& table, const fs::path& csv) {
    std::string text = table.text();
    if (text.size() > maxTableBytes)
        throw WriteError(displayName(csv) +
                         ": would be larger than 64 MB; begin a collection in another folder");
    if (ExampleTable(text).rows() != table.rows())
        throw WriteError(displayName(csv) +
                         ": has a quotation mark that is never closed; correct it in a spreadsheet program");
    return text;
}

std::vector<std::string> labelsOf(const ExampleTable& table, std::size_t row) {
    return training::parseLabels(table.field(row, "label"));
}

std::string againstOf(const ExampleTable& table, std::size_t row) {
    return printable(table.field(row, "not"));
}

bool isScenery(const ExampleTable& table, std::size_t row) {
    const std::string kind = lowerCase(table.field(row, "source_type"));
    return kind == "background" || kind == "rir" || kind == "unlabelled";
}

const char* sourceType(training::ClipKind kind) {
    switch (kind) {
    case training::ClipKind::background:
        return "background";
    case training::ClipKind::room:
        return "rir";
    case training::ClipKind::unlabelled:
        return "unlabelled";
    case training::ClipKind::sound:
        break;
    }
    return "sound";
}

bool hasClass(const ExampleTable& table, std::string_view label) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (isScenery(table, row)) continue;
        const auto labels = labelsOf(table, row);
        if (std::ranges::any_of(labels, [&](const auto& other) { return same(other, label); })) return true;
        if (!label.empty() && same(againstOf(table, row), label)) return true;
    }
    return false;
}

std::string spelled(const std::string& name, const ExampleTable& table) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (const auto& label : labelsOf(table, row))
            if (same(label, name)) return label;
        if (auto against = againstOf(table, row); same(against, name)) return against;
    }
    return name;
}

void appendRow(ExampleTable& table, const std::vector<std::pair<std::string_view, std::string>>& fields) {
    table.require(columns);
    table.append(fields);
}

void renameClass(ExampleTable& table, std::string_view label, std::string_view name) {
    std::string written(training::trimmed(name));
    if (!same(written, label)) written = spelled(written, table);
    table.require(columns);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (isScenery(table, row)) continue;
        std::vector<std::string> labels;
        bool renamed = false;
        for (const auto& before : labelsOf(table, row)) {
            const bool hit = same(before, label);
            renamed |= hit;
            const std::string& now = hit ? written : before;
            if (std::ranges::find(labels, now) == labels.end()) labels.push_back(now);
        }
        if (renamed) table.set(row, "label", joined(labels));
        const std::string against = againstOf(table, row);
        const bool isAgainst = same(against, label) || same(against, written);
        if (isAgainst && std::ranges::find(labels, written) != labels.end())
            table.set(row, "not", ""); // an example of both is now one of the same class
        else if (isAgainst)
            table.set(row, "not", written);
    }
}

std::vector<std::string> removeClass(ExampleTable& table, std::string_view label) {
    table.require(columns);
    std::vector<std::string> files;
    for (std::size_t row = table.rows(); row-- > 0;) {
        if (isScenery(table, row)) continue;
        auto labels = labelsOf(table, row);
        const bool had = std::erase_if(labels, [&](const auto& other) { return same(other, label); }) > 0;
        const std::string against = againstOf(table, row);
        const bool wasAgainst = !against.empty() && same(against, label);
        if (!had && !wasAgainst) continue;
        const bool staysAgainst = !against.empty() && !wasAgainst;
        if (labels.empty() && !staysAgainst) {
            files.emplace_back(table.field(row, "file"));
            table.remove(row);
            continue;
        }
        // The row is of another class, too.
        if (wasAgainst) table.set(row, "not", "");
        if (!had) continue;
        table.set(row, "label", joined(labels));
        if (!labels.empty()) continue;
        for (const auto& [from, to] : {std::pair{"onset"sv, "not_onset"sv}, {"offset"sv, "not_offset"sv}}) {
            table.set(row, to, std::string(table.field(row, from)));
            table.set(row, from, "");
        }
    }
    return files;
}

} // namespace earshot::teaching
