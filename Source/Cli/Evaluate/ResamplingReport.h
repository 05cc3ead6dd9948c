// The intervals of scores, and how two models differ, as parts of the documents of EvaluationReport.h. Pure
// functions: any thread.
#pragma once

#include "Cli/Evaluate/EvaluationReport.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace earshot::cli {

// A table for people; empty without --bootstrap and --against.
std::string resamplingTable(const EvaluationReport& report);
// Adds `intervals` and, with --against, `comparison`.
void addResampling(nlohmann::ordered_json& document, const EvaluationReport& report);
// A row for each score.
std::string resamplingCsv(const EvaluationReport& report);

} // namespace earshot::cli
