#include "Core/Formats/Npy.h"

#include "Core/Base/Error.h"
#include "Core/Base/Float16.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace earshot::formats {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

namespace {

// A multiple of 64, because the format aligns the data that follows, and enough for the longest shape.
constexpr std::size_t headerBytes = 192;

std::int64_t valuesPerRow(const std::vector<std::int64_t>& rowShape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : rowShape) count *= extent;
    return count;
}

} // namespace

NpyWriter::NpyWriter(WholeFile& file, NpyType type, std::vector<std::int64_t> rowShape)
    : file_(file)
    , type_(type)
    , rowShape_(std::move(rowShape)) {
    assert(rowShape_.size() <= 4 && valuesPerRow(rowShape_) >= 1);
    writeHeader(); // reserves its place; finish() writes the number of rows
}

void NpyWriter::writeHeader() {
    std::string shape = fmt::format("{},", rows_);
    for (std::size_t i = 0; i < rowShape_.size(); ++i)
        shape += fmt::format("{}{}", i == 0 ? " " : ", ", rowShape_[i]);
    std::string header = {'\x93', 'N', 'U', 'M', 'P', 'Y', '\x01', '\x00'};
    const std::size_t length = headerBytes - header.size() - 2;
    header += {static_cast<char>(length % 256), static_cast<char>(length / 256)};
    header += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                          type_ == NpyType::float32 ? "<f4" : "<f8", shape);
    assert(header.size() < headerBytes);
    header.resize(headerBytes - 1, ' ');
    header += '\n';
    file_.write(header.data(), header.size());
}

template <typename Value>
void NpyWriter::writeValues([[maybe_unused]] NpyType type, std::span<const Value> values) {
    const auto row = static_cast<std::size_t>(valuesPerRow(rowShape_));
    assert(type == type_ && values.size() % row == 0);
    file_.write(values.data(), values.size_bytes());
    rows_ += static_cast<std::int64_t>(values.size() / row);
}

void NpyWriter::write(std::span<const float> rows) { writeValues(NpyType::float32, rows); }
void NpyWriter::write(std::span<const double> rows) { writeValues(NpyType::float64, rows); }

void NpyWriter::finish() {
    file_.seek(0);
    writeHeader();
}

static_assert(std::endian::native == std::endian::little, "arrays are read as they lie in the file");

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t maxHeaderBytes = 1 << 16; // ours take 182, NumPy's usually 118
constexpr std::size_t maxExtents = 8;

struct NpyHeader {
    std::string type; // "<f4"
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
};

// The header's text is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
  public:
    explicit HeaderParser(std::string_view text)
        : text_(text) {}

    // Returns nothing unless the text holds exactly the three entries, each once.
    std::optional<NpyHeader> parse() {
        NpyHeader header;
        std::array<bool, 3> found{};
        if (!take('{')) return std::nullopt;
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':')) return std::nullopt;
            const int entry = *key == "descr" ? 0 : *key == "fortran_order" ? 1 : *key == "shape" ? 2 : -1;
            if (entry < 0 || std::exchange(found[static_cast<std::size_t>(entry)], true)) return std::nullopt;
            const bool good = entry == 0   ? type(header.type)
                              : entry == 1 ? truth(header.fortranOrder)
                                           : shape(header.shape);
            if (!good) return std::nullopt;
            if (!take(',') && !next('}')) return std::nullopt;
        }
        skipSpace();
        if (!text_.empty() || !(found[0] && found[1] && found[2])) return std::nullopt;
        return header;
    }

  private:
    void skipSpace() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }
    bool next(char c) {
        skipSpace();
        return text_.starts_with(c);
    }
    bool take(char c) {
        if (!next(c)) return false;
        text_.remove_prefix(1);
        return true;
    }
    bool takeWord(std::string_view word) {
        skipSpace();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }
    std::optional<std::string_view> quoted() {
        skipSpace();
        if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
        const auto end = text_.find(text_[0], 1);
        if (end == std::string_view::npos) return std::nullopt;
        const auto inside = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return inside;
    }
    bool type(std::string& value) {
        const auto text = quoted();
        if (text) value = *text;
        // A list describes a table with named columns.
        return text || next('[');
    }
    bool truth(bool& value) {
        value = takeWord("True");
        return value || takeWord("False");
    }
    bool shape(std::vector<std::int64_t>& extents) {
        if (!take('(')) return false;
        while (!take(')')) {
            skipSpace();
            std::int64_t extent = -1;
            const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
            if (problem != std::errc() || extent < 0 || extents.size() == maxExtents) return false;
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            extents.push_back(extent);
            if (!take(',') && !next(')')) return false;
        }
        return true;
    }

    std::string_view text_;
};

template <typename Stored, typename Convert>
void convertAll(const std::string& bytes, std::vector<float>& values, Convert convert) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        values[i] = convert(stored);
    }
}

class NpyFile {
  public:
    explicit NpyFile(const std::filesystem::path& file)
        : file_(file, "file of an array (.npy)")
        , name_(displayName(file)) {}

    NpyArray read() {
        const NpyHeader header = readHeader();
        const std::size_t count = checkedCount(header.shape);
        const std::size_t width = valueBytes(header);
        const std::uint64_t wanted = count * width;
        const std::uint64_t rest = file_.size() - headerEnd_;
        if (rest != wanted)
            fail(fmt::format("holds {} bytes of values where its shape needs {}; the file is cut or damaged: "
                             "save it again",
                             rest, wanted));
        const std::string bytes = take(wanted);
        NpyArray array{header.shape, std::vector<float>(count)};
        if (width == 2)
            convertAll<std::uint16_t>(bytes, array.values,
                                      [](std::uint16_t half) { return fromFloat16(half); });
        else if (width == 4)
            convertAll<float>(bytes, array.values, [](float value) { return value; });
        else
            convertAll<double>(bytes, array.values, [](double value) { return static_cast<float>(value); });
        return array;
    }

  private:
    [[noreturn]] void fail(const std::string& problem) const { throw Error(name_ + ": " + problem); }

    std::string take(std::uint64_t bytes) {
        if (bytes > file_.size() - headerEnd_) fail("ends within its header; the file is cut: save it again");
        std::string text(bytes, '\0');
        file_.read(headerEnd_, std::as_writable_bytes(std::span(text)));
        headerEnd_ += bytes;
        return text;
    }

    NpyHeader readHeader() {
        if (file_.size() < magic.size() || take(magic.size()) != magic)
            fail("is no NumPy array; save one with numpy.save");
        const std::string version = take(2);
        if (version[0] < 1 || version[0] > 3)
            fail(fmt::format("is of format {}, which is not known; save it with numpy.save",
                             static_cast<int>(static_cast<unsigned char>(version[0]))));
        std::uint64_t length = 0;
        const std::string digits = take(version[0] == 1 ? 2 : 4);
        std::memcpy(&length, digits.data(), digits.size());
        if (length > maxHeaderBytes) fail("has a header that is too long; save it with numpy.save");
        const auto header = HeaderParser(take(length)).parse();
        if (!header) fail("has a header that cannot be read; save it with numpy.save");
        return *header;
    }

    std::size_t checkedCount(const std::vector<std::int64_t>& shape) const {
        constexpr std::uint64_t most = maxNpyBytes / sizeof(float);
        std::uint64_t count = 1;
        bool tooMany = false;
        for (const std::int64_t extent : shape) {
            const auto wide = static_cast<std::uint64_t>(extent);
            if (wide == 0) return 0;
            tooMany = tooMany || wide > most || count > most / wide;
            count *= wide;
        }
        if (tooMany) fail(fmt::format("says it holds more than {} values; is it the right file?", most));
        return count;
    }

    std::size_t valueBytes(const NpyHeader& header) const {
        if (header.fortranOrder && header.shape.size() > 1)
            fail("lies in memory by columns; save numpy.ascontiguousarray(array)");
        for (const char width : {'2', '4', '8'})
            if (header.type == std::string("<f") + width) return static_cast<std::size_t>(width - '0');
        fail(fmt::format("holds values of type {}; save array.astype('float32')",
                         header.type.empty() ? "'record'" : "'" + printable(header.type) + "'"));
    }

    RegularFile file_;
    std::string name_;
    std::uint64_t headerEnd_ = 0; // bytes read so far
};

} // namespace

NpyArray readNpy(const std::filesystem::path& file) { return NpyFile(file).read(); }

} // namespace earshot::formats
