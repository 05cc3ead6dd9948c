#include "Core/Formats/Npy.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <string>

namespace earshot::formats {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

namespace {

// A multiple of 64, as the format wants for what follows, and enough for the longest shape.
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
    writeHeader(); // its place; the number of rows follows
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

} // namespace earshot::formats
