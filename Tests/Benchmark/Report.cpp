#include "Benchmark/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace earshot::benchmark {

void Row::accumulate(const Row& part) {
    flops += part.flops;
    const auto addTo = [](std::vector<double>& sums, const std::vector<double>& values) {
        sums.resize(std::max(sums.size(), values.size()));
        for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
    };
    addTo(seconds, part.seconds);
    addTo(floorSeconds, part.floorSeconds);
}

double percentile(std::vector<double> values, double p) {
    const auto index = static_cast<std::size_t>(std::lround(p * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
    return values[index];
}

std::string asTable(const Report& report) {
    std::string text = fmt::format("{}\n{}, {} thread{}\n\n", report.machine, report.model, report.threads,
                                   report.threads == 1 ? "" : "s");
    text += fmt::format("{:<22}{:>9}{:>9}{:>10}{:>10}{:>8}\n", "", "p50 ms", "p95 ms", "GFLOP/s", "floor ms",
                        "ratio");
    for (const auto& row : report.rows) {
        const double p50 = percentile(row.seconds, 0.5);
        text +=
            fmt::format("{:<22}{:>9.3f}{:>9.3f}", row.name, p50 * 1e3, percentile(row.seconds, 0.95) * 1e3);
        if (!row.floorSeconds.empty()) {
            const double floor = percentile(row.floorSeconds, 0.5);
            text +=
                fmt::format("{:>10.1f}{:>10.3f}{:>8.2f}", row.flops / p50 * 1e-9, floor * 1e3, p50 / floor);
        }
        text += "\n";
    }
    return text;
}

nlohmann::json asJson(const Report& report) {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& row : report.rows) {
        const double p50 = percentile(row.seconds, 0.5);
        nlohmann::json entry = {
            {"name", row.name}, {"p50_ms", p50 * 1e3}, {"p95_ms", percentile(row.seconds, 0.95) * 1e3}};
        if (!row.floorSeconds.empty()) {
            const double floor = percentile(row.floorSeconds, 0.5);
            entry["gflops"] = row.flops / p50 * 1e-9;
            entry["floor_p50_ms"] = floor * 1e3;
            entry["floor_p95_ms"] = percentile(row.floorSeconds, 0.95) * 1e3;
            entry["ratio"] = p50 / floor;
        }
        rows.push_back(std::move(entry));
    }
    return {
        {"machine", report.machine}, {"model", report.model}, {"threads", report.threads}, {"rows", rows}};
}

} // namespace earshot::benchmark
