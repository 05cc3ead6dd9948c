#include "Core/Training/Run/SplitNote.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace earshot::training {

namespace {

constexpr const char* splitKey = "earshot.split";
constexpr std::size_t maxNames = 10000; // in a list

constexpr std::array<std::pair<const char*, std::vector<std::string> DataChoice::*>, 3> nameLists = {
    {{"only", &DataChoice::only},
     {"distractors", &DataChoice::distractors},
     {"without_licences", &DataChoice::withoutLicences}}};

bool isName(const nlohmann::json& value) {
    return value.is_string() && !value.get_ref<const std::string&>().empty();
}

} // namespace

void noteSplit(const DataChoice& choice, std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json object = {{"seed", choice.seed}, {"valid_share", choice.validShare}};
    for (const auto& [name, list] : nameLists)
        if (!(choice.*list).empty()) object[name] = choice.*list;
    metadata[splitKey] = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<DataChoice> notedSplit(const std::map<std::string, std::string>& metadata,
                                     const std::filesystem::path& modelFile) {
    const auto text = metadata.find(splitKey);
    if (text == metadata.end()) return std::nullopt;
    const auto require = [&](bool good, const std::string& what) {
        if (!good) throw Error(fmt::format("{}: {}: {}", displayName(modelFile), splitKey, what));
    };
    const auto object = nlohmann::json::parse(text->second, nullptr, false);
    require(object.is_object(), "is not a JSON object");
    DataChoice choice;
    const auto seed = object.find("seed");
    require(seed != object.end() && seed->is_number_unsigned(), "seed: expected a whole number");
    choice.seed = seed->get<std::uint64_t>();
    const auto share = object.find("valid_share");
    choice.validShare = share != object.end() && share->is_number() ? share->get<double>() : -1.0;
    require(choice.validShare >= 0.0 && choice.validShare <= 1.0,
            "valid_share: expected a number from 0 to 1");
    for (const auto& [name, list] : nameLists) {
        const auto names = object.find(name);
        if (names == object.end()) continue;
        require(names->is_array() && names->size() <= maxNames && std::ranges::all_of(*names, isName),
                fmt::format("{}: expected at most {} names", name, maxNames));
        choice.*list = names->get<std::vector<std::string>>();
    }
    return choice;
}

} // namespace earshot::training
