#include "Core/Model/Reading/Safetensors.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/DType.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace earshot::model {

namespace {

class SafetensorsFile : public Checkpoint {
  public:
    explicit SafetensorsFile(RegularFile opened)
        : opened_(std::move(opened)) {
        file_ = opened_.path();
        format_ = "safetensors";
        const auto fileBytes = opened_.size();

        const std::uint64_t headerBytes = readHeaderLength(fileBytes);
        dataBegin_ = lengthBytes + headerBytes;
        std::string json(headerBytes, '\0');
        opened_.read(lengthBytes, std::as_writable_bytes(std::span(json)));
        auto header = parseSafetensorsHeader(json, fileBytes - dataBegin_, displayName(file_));
        metadata_ = std::move(header.metadata);
        for (auto& [tensorName, entry] : header.tensors) {
            begins_.emplace(tensorName, entry.begin);
            tensors_.emplace(tensorName, std::move(entry.info));
        }
    }

    tensor::Tensor read(const std::string& tensorName) override {
        tensor::Tensor result;
        readInto(tensorName, result);
        return result;
    }

    void readInto(const std::string& tensorName, tensor::Tensor& result) override {
        const auto& info = infoOf(tensorName);
        if (result.shape() != info.shape || result.empty()) result = tensor::Tensor(info.shape);
        readAt(dataBegin_ + begins_.at(tensorName), info.dtype, result.values());
        scaleRows(tensorName, {}, result);
    }

    tensor::Tensor readRows(const std::string& tensorName, std::span<const std::int64_t> rows) override {
        const auto& info = infoOf(tensorName);
        auto shape = info.shape;
        assert(!shape.empty());
        shape.front() = static_cast<std::int64_t>(rows.size());
        tensor::Tensor result(shape);
        const std::size_t width = result.size() / std::max<std::size_t>(rows.size(), 1);
        for (std::size_t i = 0; i < rows.size(); ++i)
            readAt(dataBegin_ + begins_.at(tensorName) +
                       static_cast<std::uint64_t>(rows[i]) * width * byteSize(info.dtype),
                   info.dtype, result.values().subspan(i * width, width));
        scaleRows(tensorName, rows, result);
        return result;
    }

  private:
    static constexpr std::uint64_t lengthBytes = 8;

    const TensorInfo& infoOf(const std::string& tensorName) const {
        const auto found = tensors_.find(tensorName);
        if (found == tensors_.end())
            throw Error(fmt::format("{}: has no tensor {}", displayName(file_), printable(tensorName)));
        requireWeights(tensorName);
        return found->second;
    }

    void readAt(std::uint64_t position, DType dtype, std::span<float> values) const {
        if (dtype == DType::float32)
            readStored(position, std::as_writable_bytes(values));
        else
            readConverted(position, dtype, values);
    }

    std::uint64_t readHeaderLength(std::uint64_t fileBytes) {
        if (fileBytes < lengthBytes)
            throw Error(fmt::format("{}: is too short for safetensors", displayName(file_)));
        std::uint64_t length = 0; // little-endian, as the machine (see DType.cpp)
        opened_.read(0, std::as_writable_bytes(std::span(&length, 1)));
        if (length > safetensorsHeaderLimit)
            throw Error(fmt::format("{}: its safetensors header would take {} bytes, at most {} are allowed",
                                    displayName(file_), length, safetensorsHeaderLimit));
        if (length > fileBytes - lengthBytes)
            throw Error(fmt::format(
                "{}: its header takes {} bytes, the file holds {}: it is cut short, download it again",
                displayName(file_), length, fileBytes - lengthBytes));
        return length;
    }

    // Reads in pieces, so that a stop request takes effect soon.
    void readStored(std::uint64_t position, std::span<std::byte> bytes) const {
        constexpr std::size_t maxAtOnce = std::size_t{1} << 20;
        while (!bytes.empty()) {
            stop_.check();
            const auto piece = bytes.first(std::min(bytes.size(), maxAtOnce));
            opened_.read(position, piece);
            position += piece.size();
            bytes = bytes.subspan(piece.size());
        }
    }

    // Reads in pieces that stay in the cache until they are converted.
    void readConverted(std::uint64_t position, DType dtype, std::span<float> values) const {
        constexpr std::size_t pieceElements = 1 << 15;
        std::vector<std::byte> stored(std::min(values.size(), pieceElements) * byteSize(dtype));
        while (!values.empty()) {
            const auto piece = values.first(std::min(values.size(), pieceElements));
            const std::size_t bytes = piece.size() * byteSize(dtype);
            readStored(position, std::span(stored).first(bytes));
            toFloat32(dtype, std::span(stored).first(bytes), piece);
            position += bytes;
            values = values.subspan(piece.size());
        }
    }

    RegularFile opened_;
    std::uint64_t dataBegin_ = 0;
    std::map<std::string, std::uint64_t> begins_; // bytes from dataBegin_
};

using nlohmann::json;

// Passes on the header's entries one by one, so that only one of them takes memory. Refuses JSON that the
// format does not allow.
class HeaderParser : public nlohmann::json_sax<json> {
  public:
    using Take = std::function<void(std::string name, const json& value)>;

    HeaderParser(const std::string& file, Take take)
        : file_(file)
        , take_(std::move(take)) {}

    // Whether the header was an object.
    bool sawObject() const { return sawObject_; }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; } // does not occur in JSON text
    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        auto& level = levels_.back();
        if (name.size() > maxTensorNameLength)
            throw Error(fmt::format("{}: its header holds a name of {} bytes, at most {} are read", file_,
                                    name.size(), maxTensorNameLength));
        const auto twice = levels_.size() == 1 ? !names_.insert(name).second : level.value.contains(name);
        if (twice) throw Error(fmt::format("{}: its header names \"{}\" twice", file_, printable(name)));
        if (names_.size() > maxTensors || level.value.size() >= maxTensors)
            throw Error(fmt::format("{}: its header holds more than {} names", file_, maxTensors));
        level.key = std::move(name);
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& problem) override {
        throw Error(fmt::format("{}: its safetensors header is not valid JSON ({})", file_,
                                printable(problem.what())));
    }

  private:
    static constexpr std::size_t deepest = 3; // header, tensor, its shape

    struct Level {
        json value; // stays empty for the header itself, whose entries are passed on
        std::string key;
    };

    bool open(json empty) {
        if (levels_.size() == deepest) throw Error(fmt::format("{}: its header is nested too deeply", file_));
        sawObject_ = sawObject_ || (levels_.empty() && empty.is_object());
        levels_.push_back({std::move(empty), {}});
        return true;
    }

    bool close() {
        json value = std::move(levels_.back().value);
        levels_.pop_back();
        return levels_.empty() || add(std::move(value));
    }

    bool add(json value) {
        if (levels_.empty()) return true; // the text is a plain value
        auto& level = levels_.back();
        if (level.value.is_array()) {
            // Shapes are shorter. A longer array is cut here; EntryParser refuses it by its length.
            if (level.value.size() < maxArrayItems) level.value.push_back(std::move(value));
        } else if (levels_.size() == 1) {
            take_(std::move(level.key), value);
        } else {
            level.value[level.key] = std::move(value);
        }
        return true;
    }

    static constexpr std::size_t maxArrayItems = 64;
    const std::string& file_;
    Take take_;
    bool sawObject_ = false;
    std::vector<Level> levels_;             // objects and arrays that are open now
    std::unordered_set<std::string> names_; // keys of the header
};

const std::map<std::string, DType, std::less<>> storedTypes = {
    {"F16", DType::float16}, {"BF16", DType::bfloat16}, {"F32", DType::float32}, {"F64", DType::float64},
    {"I64", DType::int64},   {"I32", DType::int32},     {"I16", DType::int16},   {"I8", DType::int8},
    {"U8", DType::uint8},    {"BOOL", DType::boolean},
};

std::map<std::string, std::string> parseMetadata(const json& object, const std::string& file) {
    if (!object.is_object()) throw Error(fmt::format("{}: its __metadata__ is not an object", file));
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : object.items()) {
        if (!value.is_string())
            throw Error(fmt::format("{}: metadata \"{}\" is not a string", file, printable(key)));
        if (const auto bytes = value.get_ref<const std::string&>().size(); bytes > maxMetadataValueLength)
            throw Error(fmt::format("{}: metadata \"{}\" takes {} bytes, at most {} are read", file,
                                    printable(key), bytes, maxMetadataValueLength));
        metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
}

// Parses one tensor's entry; messages name the tensor.
class EntryParser {
  public:
    EntryParser(const std::string& file, const std::string& tensorName)
        : file_(file)
        , name_(tensorName) {}

    SafetensorsEntry parse(const json& object) const {
        if (!object.is_object() || object.size() != 3) fail("expected dtype, shape and data_offsets only");
        const auto& dtype = field(object, "dtype");
        if (!dtype.is_string()) fail("its dtype is not a string");
        const auto type = storedTypes.find(dtype.get_ref<const std::string&>());
        if (type == storedTypes.end())
            fail(fmt::format("type {} is not supported; expected F16, BF16, F32, F64 or an integer type",
                             printable(dtype.get_ref<const std::string&>())));

        SafetensorsEntry entry;
        entry.info.dtype = type->second;
        for (const auto extent : integers(object, "shape"))
            entry.info.shape.push_back(static_cast<std::int64_t>(extent));
        const auto offsets = integers(object, "data_offsets");
        if (offsets.size() != 2 || offsets[0] > offsets[1]) fail("data_offsets is not [begin, end]");
        entry.begin = offsets[0];
        entry.end = offsets[1];

        const auto count = checkedElementCount(entry.info.shape);
        const auto bytes = count
                               ? checkedProduct(*count, static_cast<std::int64_t>(byteSize(entry.info.dtype)))
                               : std::nullopt;
        if (!bytes || static_cast<std::uint64_t>(*bytes) != entry.end - entry.begin)
            fail(fmt::format("shape {} of {} does not take the {} bytes it is given",
                             tensor::describe(entry.info.shape), name(entry.info.dtype),
                             entry.end - entry.begin));
        return entry;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(fmt::format("{}: tensor {}: {}", file_, printable(name_), what));
    }

    const json& field(const json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end()) fail(fmt::format("{} is missing", key));
        return *found;
    }

    std::vector<std::uint64_t> integers(const json& object, const char* key) const {
        const auto& array = field(object, key);
        if (!array.is_array()) fail(fmt::format("{} is not an array", key));
        constexpr std::size_t maxDimensions = 32;
        if (array.size() > maxDimensions) fail(fmt::format("{} has {} values", key, array.size()));
        std::vector<std::uint64_t> values;
        for (const auto& value : array) {
            constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
            if (!value.is_number_unsigned() || value.get<std::uint64_t>() > largest)
                fail(fmt::format("{} holds something other than sizes", key));
            values.push_back(value.get<std::uint64_t>());
        }
        return values;
    }

    const std::string& file_;
    const std::string& name_;
};

// The format allows neither overlaps nor holes, so a file cannot smuggle or alias bytes.
void requireExactCover(const SafetensorsHeader& header, std::uint64_t dataBytes, const std::string& file) {
    using Item = std::map<std::string, SafetensorsEntry>::value_type;
    std::vector<const Item*> order;
    for (const auto& item : header.tensors) order.push_back(&item);
    std::sort(order.begin(), order.end(), [](const Item* a, const Item* b) {
        return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
    });
    std::uint64_t reached = 0;
    for (const auto* item : order) {
        const auto& [tensorName, entry] = *item;
        if (entry.end > dataBytes)
            throw Error(
                fmt::format("{}: tensor {} ends at byte {} of {}: the file is cut short, download it again",
                            file, printable(tensorName), entry.end, dataBytes));
        if (entry.begin != reached)
            throw Error(fmt::format("{}: tensor {} begins at byte {}, expected {}", file,
                                    printable(tensorName), entry.begin, reached));
        reached = entry.end;
    }
    if (reached != dataBytes)
        throw Error(fmt::format("{}: holds {} bytes of tensors, expected {}", file, dataBytes, reached));
}

} // namespace

std::unique_ptr<Checkpoint> openSafetensors(RegularFile file) {
    return std::make_unique<SafetensorsFile>(std::move(file));
}

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataBytes,
                                         const std::string& file) {
    SafetensorsHeader header;
    HeaderParser parser(file, [&](std::string key, const json& value) {
        if (key == "__metadata__") {
            header.metadata = parseMetadata(value, file);
        } else {
            auto entry = EntryParser(file, key).parse(value);
            header.tensors.emplace(std::move(key), std::move(entry));
        }
    });
    json::sax_parse(text, &parser);
    if (!parser.sawObject()) throw Error(fmt::format("{}: its safetensors header is not an object", file));
    requireExactCover(header, dataBytes, file);
    return header;
}

} // namespace earshot::model
