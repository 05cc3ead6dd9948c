// The results of a benchmark, as a table for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace earshot::benchmark {

struct Row {
    std::string name;
    double flops = 0.0;               // of its matrix products
    std::vector<double> seconds;      // one per round
    std::vector<double> floorSeconds; // of the same products bare, in the same rounds; empty without products

    void accumulate(const Row& part); // adds round by round
};

struct Report {
    std::string machine; // CPU, library, instruction set, kernels
    std::string model;
    int threads = 1;
    std::vector<Row> rows;
};

// p in [0, 1]; the nearest measured value.
double percentile(std::vector<double> values, double p);

std::string asTable(const Report& report);
nlohmann::json asJson(const Report& report);

} // namespace earshot::benchmark
