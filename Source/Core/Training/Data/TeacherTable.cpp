#include "Core/Training/Data/TeacherTable.h"

#include "Core/Base/Error.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Formats/Npy.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace earshot::training {

namespace {

constexpr std::uint64_t maxTeacherBytes = 1u << 28; // of a CSV

struct ValueTable {
    std::filesystem::path file;
    std::vector<std::string> names;  // of the recordings, by row
    std::vector<std::string> labels; // of the columns
    std::vector<float> values;       // (rows, columns)
    std::size_t columns = 0;
};

std::vector<CsvLine> readRows(const std::filesystem::path& file) {
    auto rows = parseCsvLines(readWholeFile(file, maxTeacherBytes, "table of a teacher"));
    if (rows.empty()) throw Error(displayName(file) + ": is empty; its first line must name its columns");
    return rows;
}

std::size_t columnNamed(const std::filesystem::path& file, const CsvRow& header, const char* name) {
    const auto columns = columnsOf(header);
    const auto found = columns.find(name);
    if (found == columns.end())
        throw Error(fmt::format("{}: has no column \"{}\"; its first line must name its columns",
                                displayName(file), name));
    return found->second;
}

std::vector<std::string> readColumn(const std::filesystem::path& file, const char* name) {
    const auto rows = readRows(file);
    const auto column = columnNamed(file, rows.front().fields, name);
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const CsvRow& fields = rows[i].fields;
        texts.emplace_back(column < fields.size() ? trimmed(fields[column]) : std::string_view());
    }
    return texts;
}

ValueTable readCsvValues(const std::filesystem::path& file) {
    const auto rows = readRows(file);
    const CsvRow& header = rows.front().fields;
    const auto fileColumn = columnNamed(file, header, "file");
    ValueTable table;
    table.file = file;
    for (std::size_t c = 0; c < header.size(); ++c)
        if (c != fileColumn) table.labels.emplace_back(trimmed(header[c]));
    table.columns = table.labels.size();
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const CsvRow& fields = rows[i].fields;
        if (fields.size() != header.size())
            throw Error(fmt::format("{}, line {}: expected {} fields, found {}", displayName(file),
                                    rows[i].line, header.size(), fields.size()));
        table.names.emplace_back(trimmed(fields[fileColumn]));
        for (std::size_t c = 0; c < fields.size(); ++c) {
            if (c == fileColumn) continue;
            const auto value = parseNumber(trimmed(fields[c]));
            if (!value)
                throw Error(fmt::format("{}, line {}: \"{}\" is not a number", displayName(file),
                                        rows[i].line, printable(fields[c])));
            table.values.push_back(static_cast<float>(*value));
        }
    }
    return table;
}

// wantsLabels: its columns have names, which an array does not hold.
ValueTable readArrayValues(const std::filesystem::path& file, bool wantsLabels) {
    auto array = formats::readNpy(file);
    if (array.shape.size() != 2 || array.shape[1] < 1)
        throw Error(displayName(file) + ": must have two dimensions, (recordings, values)");
    auto beside = file;
    ValueTable table;
    table.file = file;
    table.names = readColumn(beside.replace_extension(".csv"), "file");
    table.values = std::move(array.values);
    table.columns = static_cast<std::size_t>(array.shape[1]);
    if (table.names.size() != static_cast<std::size_t>(array.shape[0]))
        throw Error(fmt::format("{}: names {} recordings, but {} has {} rows", displayName(beside),
                                table.names.size(), displayName(file.filename()), array.shape[0]));
    if (!wantsLabels) return table;
    beside.replace_extension(".labels.csv");
    table.labels = readColumn(beside, "label");
    if (table.labels.size() != table.columns)
        throw Error(fmt::format("{}: names {} labels, but {} has {} columns", displayName(beside),
                                table.labels.size(), displayName(file.filename()), table.columns));
    return table;
}

ValueTable readValues(const std::filesystem::path& file, bool wantsLabels) {
    auto table = lowerCase(file.extension().string()) == ".npy" ? readArrayValues(file, wantsLabels)
                                                                : readCsvValues(file);
    const auto broken = std::ranges::find_if_not(table.values, [](float v) { return std::isfinite(v); });
    if (broken != table.values.end())
        throw Error(fmt::format(
            "{}: has a value that is not finite, of {}", displayName(file),
            printable(table.names[static_cast<std::size_t>(broken - table.values.begin()) / table.columns])));
    return table;
}

// For each clip, its row of the table or -1: the row that names the most of its path.
std::vector<std::ptrdiff_t> rowsOf(const ValueTable& table, const DataSet& data) {
    std::unordered_map<std::string, std::size_t> byName;
    const auto folder = std::filesystem::absolute(table.file).parent_path();
    for (std::size_t row = 0; row < table.names.size(); ++row) {
        const std::filesystem::path name(table.names[row]);
        byName.emplace(name.lexically_normal().generic_string(), row);
        byName.emplace((folder / name).lexically_normal().generic_string(), row);
    }
    std::vector<std::ptrdiff_t> rows(data.clips.size(), -1);
    std::vector<const Clip*> owners(table.names.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Clip& clip = data.clips[i];
        auto name = std::filesystem::absolute(clip.file).lexically_normal().generic_string();
        for (auto found = byName.find(name);; found = byName.find(name)) {
            if (found != byName.end()) {
                auto& owner = owners[found->second];
                if (owner != nullptr && owner->file != clip.file)
                    throw Error(fmt::format("{}: \"{}\" names {} and {}; name more of their paths",
                                            displayName(table.file), printable(table.names[found->second]),
                                            displayName(owner->file), displayName(clip.file)));
                owner = &clip;
                rows[i] = static_cast<std::ptrdiff_t>(found->second);
                break;
            }
            const auto slash = name.find('/');
            if (slash == std::string::npos) break;
            name.erase(0, slash + 1);
        }
    }
    if (std::ranges::all_of(rows, [](std::ptrdiff_t row) { return row < 0; }))
        throw Error(
            fmt::format("{}: names none of the recordings; its column \"file\" must hold their paths, "
                        "relative to it",
                        displayName(table.file)));
    return rows;
}

std::size_t countOf(const std::vector<std::ptrdiff_t>& rows) {
    return static_cast<std::size_t>(std::ranges::count_if(rows, [](std::ptrdiff_t row) { return row >= 0; }));
}

} // namespace

TeacherTable::TeacherTable(const TeacherFiles& files, const DataSet& data)
    : first_(data.clips.data())
    , rows_(data.clips.size()) {
    if (files.softLabels) readSoftLabels(*files.softLabels, data);
    if (files.embeddings) readEmbeddings(*files.embeddings, data);
}

const TeacherRow* TeacherTable::find(const Clip& clip) const {
    const TeacherRow& row = rows_[static_cast<std::size_t>(&clip - first_)];
    return row.soft == nullptr && row.embedding == nullptr ? nullptr : &row;
}

std::size_t TeacherTable::leaveOutUnknown(DataSet& data) const {
    std::size_t unknown = 0;
    for (Clip& clip : data.clips) {
        const TeacherRow* const row = find(clip);
        if (clip.kind != ClipKind::unlabelled || (row != nullptr && row->soft != nullptr)) continue;
        clip.split = Split::unused;
        ++unknown;
    }
    return unknown;
}

void TeacherTable::readSoftLabels(const std::filesystem::path& file, const DataSet& data) {
    const auto table = readValues(file, true);
    const std::size_t classes = data.labels.size(), count = table.names.size();
    soft_.assign(count * classes, -1.0f);
    std::size_t known = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        const auto name = lowerCase(data.labels[c]);
        const auto column =
            std::ranges::find_if(table.labels, [&](const auto& label) { return lowerCase(label) == name; });
        if (column == table.labels.end()) continue;
        ++known;
        const auto from = static_cast<std::size_t>(column - table.labels.begin());
        for (std::size_t row = 0; row < count; ++row) {
            const float p = table.values[row * table.columns + from];
            if (!(p >= 0.0f && p <= 1.0f))
                throw Error(fmt::format("{}: {} is no probability (\"{}\" of {}); expected 0 to 1",
                                        displayName(file), p, printable(*column),
                                        printable(table.names[row])));
            soft_[row * classes + c] = p;
        }
    }
    if (known == 0)
        throw Error(
            fmt::format("{}: has no column for any of the {} classes; its columns must have the names of "
                        "labels",
                        displayName(file), classes));
    const auto rows = rowsOf(table, data);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] >= 0) rows_[i].soft = soft_.data() + static_cast<std::size_t>(rows[i]) * classes;
    summary_ = fmt::format("soft labels of {} of {} recordings, {} of {} classes", countOf(rows), rows.size(),
                           known, classes);
}

void TeacherTable::readEmbeddings(const std::filesystem::path& file, const DataSet& data) {
    auto table = readValues(file, false);
    embeddings_ = std::move(table.values);
    embeddingWidth_ = table.columns;
    const auto rows = rowsOf(table, data);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] >= 0)
            rows_[i].embedding = embeddings_.data() + static_cast<std::size_t>(rows[i]) * embeddingWidth_;
    standardise(data);
    summary_ += fmt::format("{}embeddings of {} values of {} of {} recordings", summary_.empty() ? "" : "; ",
                            embeddingWidth_, countOf(rows), rows.size());
}

// Each value over the recordings to train on; one that is the same in all of them becomes 0.
void TeacherTable::standardise(const DataSet& data) {
    std::vector<double> sums(embeddingWidth_), squares(embeddingWidth_);
    double count = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const float* values = rows_[i].embedding;
        if (values == nullptr || data.clips[i].split != Split::train) continue;
        ++count;
        for (std::size_t j = 0; j < embeddingWidth_; ++j) {
            const double value = static_cast<double>(values[j]);
            sums[j] += value;
            squares[j] += value * value;
        }
    }
    for (std::size_t j = 0; j < embeddingWidth_ && count > 0.0; ++j) {
        const double mean = sums[j] / count;
        const double deviation = std::sqrt(std::max(0.0, squares[j] / count - mean * mean));
        const double scale = deviation > 1e-6 * (1.0 + std::abs(mean)) ? 1.0 / deviation : 0.0;
        for (std::size_t at = j; at < embeddings_.size(); at += embeddingWidth_)
            embeddings_[at] = static_cast<float>((static_cast<double>(embeddings_[at]) - mean) * scale);
    }
}

} // namespace earshot::training
