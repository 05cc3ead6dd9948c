#include "Core/Model/SafetensorsHeader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/DType.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

namespace earshot::model {

namespace {

using nlohmann::json;

// Watches the parser: refuses what JSON allows but the format does not, before it takes memory.
class StructureGuard {
  public:
    explicit StructureGuard(const std::string& file)
        : file_(file) {}

    bool operator()(json::parse_event_t event, const json& parsed) {
        if (++events_ > largest) throw Error(fmt::format("{}: its header holds too many values", file_));
        switch (event) {
        case json::parse_event_t::object_start:
        case json::parse_event_t::array_start:
            if (keys_.size() == deepest)
                throw Error(fmt::format("{}: its header is nested too deeply", file_));
            keys_.emplace_back();
            break;
        case json::parse_event_t::object_end:
        case json::parse_event_t::array_end:
            keys_.pop_back();
            break;
        case json::parse_event_t::key: {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!keys_.back().insert(key).second)
                throw Error(fmt::format("{}: its header names \"{}\" twice", file_, printable(key)));
            break;
        }
        case json::parse_event_t::value:
            break;
        }
        return true;
    }

  private:
    static constexpr std::size_t deepest = 3; // header, tensor, its shape
    static constexpr std::size_t largest = 4'000'000;
    const std::string& file_;
    std::size_t events_ = 0;
    std::vector<std::set<std::string>> keys_; // of the objects open now
};

json parseStrictly(std::string_view text, const std::string& file) {
    StructureGuard guard(file);
    try {
        return json::parse(
            text, [&guard](int, json::parse_event_t event, json& parsed) { return guard(event, parsed); });
    } catch (const json::exception& e) {
        throw Error(
            fmt::format("{}: its safetensors header is not valid JSON ({})", file, printable(e.what())));
    }
}

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
        metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
}

// Names one tensor in the messages about it.
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
        constexpr std::size_t mostDimensions = 32;
        if (array.size() > mostDimensions) fail(fmt::format("{} has {} values", key, array.size()));
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

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataBytes,
                                         const std::string& file) {
    const json document = parseStrictly(text, file);
    if (!document.is_object()) throw Error(fmt::format("{}: its safetensors header is not an object", file));
    SafetensorsHeader header;
    for (const auto& [key, value] : document.items()) {
        if (key == "__metadata__")
            header.metadata = parseMetadata(value, file);
        else
            header.tensors.emplace(key, EntryParser(file, key).parse(value));
    }
    requireExactCover(header, dataBytes, file);
    return header;
}

} // namespace earshot::model
