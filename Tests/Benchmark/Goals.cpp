#include "Benchmark/Goals.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace earshot::benchmark {

std::string asTable(std::span<const Goal> goals) {
    std::string text;
    for (const Goal& goal : goals) {
        text += fmt::format("{:<58}{:>10.2f} {:<4}", goal.name, goal.value, goal.unit);
        if (goal.least) text += fmt::format(">= {:<6g}", *goal.least);
        if (goal.most) text += fmt::format("<= {:<6g}", *goal.most);
        if (goal.least || goal.most) text += goal.met() ? " met" : " missed";
        text += "\n";
    }
    return text;
}

nlohmann::json asJson(std::span<const Goal> goals) {
    auto list = nlohmann::json::array();
    for (const Goal& goal : goals) {
        nlohmann::json entry = {{"name", goal.name}, {"value", goal.value}, {"unit", goal.unit}};
        if (goal.least) entry["least"] = *goal.least;
        if (goal.most) entry["most"] = *goal.most;
        if (goal.least || goal.most) entry["met"] = goal.met();
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace earshot::benchmark
