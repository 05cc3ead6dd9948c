#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Reading/PartialConfig.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace earshot::model {

namespace {

using nlohmann::json;

class MetadataParser {
  public:
    MetadataParser(const json& object, const std::string& file)
        : object_(object)
        , file_(file) {}

    void get(const char* key, std::optional<int>& value) const {
        if (const json* found = find(key)) value = integer(key, *found);
    }

    void get(const char* key, std::optional<double>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (!found->is_number()) fail(key, "a number");
        value = found->get<double>();
    }

    void get(const char* key, std::optional<bool>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (!found->is_boolean()) fail(key, "true or false");
        value = found->get<bool>();
    }

    void get(const char* key, std::optional<std::vector<int>>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        constexpr std::size_t mostStages = 64;
        if (!found->is_array() || found->size() > mostStages)
            fail(key, "an array of integers, one for each stage");
        value.emplace();
        for (const auto& item : *found) value->push_back(integer(key, item));
    }

    // 4 or [4, 4], as Python's configurations have it
    void getSide(const char* key, std::optional<int>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (!found->is_array()) return get(key, value);
        if (found->size() != 2 || integer(key, (*found)[0]) != integer(key, (*found)[1]))
            fail(key, "one integer, or two equal ones");
        value = integer(key, (*found)[0]);
    }

    void getMelScale(const char* key, std::optional<bool>& isHtk) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (*found != "slaney" && *found != "htk") fail(key, "\"slaney\" or \"htk\"");
        isHtk = *found == "htk";
    }

  private:
    [[noreturn]] void fail(const char* key, const char* expected) const {
        // Only plain values are shown: writing out what is nested would cost call stack for every level.
        const json& value = object_[key];
        const std::string found = value.is_structured() ? value.type_name() : value.dump();
        throw Error(fmt::format("{}: earshot.config: {}: expected {}, found {}", file_, key, expected,
                                printable(found)));
    }

    const json* find(const char* key) const {
        const auto found = object_.find(key);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    int integer(const char* key, const json& value) const {
        const double number =
            value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
        if (!(std::abs(number) <= std::numeric_limits<int>::max()) || number != std::floor(number))
            fail(key, "an integer");
        return static_cast<int>(number);
    }

    const json& object_;
    const std::string& file_;
};

} // namespace

PartialConfig parseConfigMetadata(const std::string& text, const std::string& file) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) throw Error(fmt::format("{}: earshot.config is not a JSON object", file));
    const MetadataParser parser(object, file);
    PartialConfig config;
    parser.get("sample_rate", config.sampleRate);
    parser.get("n_fft", config.fftSize);
    parser.get("hop_size", config.hopSize);
    parser.get("mel_bins", config.melBands);
    parser.get("fmin", config.lowHz);
    parser.get("fmax", config.highHz);
    parser.getMelScale("mel_scale", config.htkMelScale);
    parser.get("spec_size", config.imageSize);
    parser.getSide("patch_size", config.patchSize);
    parser.getSide("patch_stride", config.patchStride);
    parser.get("embed_dim", config.embedDim);
    parser.get("depths", config.depths);
    parser.get("num_heads", config.heads);
    parser.get("window_size", config.windowSize);
    parser.get("classes", config.classes);
    parser.get("tscam", config.tscam);
    return config;
}

} // namespace earshot::model
