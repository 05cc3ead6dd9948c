// Measured numbers with their aims: ratios within one run, seconds, bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::benchmark {

struct Goal {
    std::string name;
    double value = 0.0;
    std::string unit;           // "x", "ms", "MB", "%"
    std::optional<double> most; // at most one of these two is set; without an aim the number is only printed
    std::optional<double> least;

    bool met() const { return (!most || value <= *most) && (!least || value >= *least); }
};

std::string asTable(std::span<const Goal> goals);
nlohmann::json asJson(std::span<const Goal> goals);

} // namespace earshot::benchmark
