// The matrix products of a pass, by the name of the step that does them. The floor repeats them bare.
#pragma once

#include "Core/Model/Config.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace earshot::benchmark {

// batch times: (rows, inner) x (inner, columns)
struct Product {
    std::int64_t batch, rows, inner, columns;

    double flops() const {
        return 2.0 * static_cast<double>(batch) * static_cast<double>(rows) * static_cast<double>(inner) *
               static_cast<double>(columns);
    }
};

using ProductList = std::vector<Product>;

// By Network::Step::name; steps without matrix products are absent.
std::map<std::string, ProductList> productsOfPass(const model::Config& config);

} // namespace earshot::benchmark
