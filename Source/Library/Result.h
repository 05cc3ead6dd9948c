// What an analysis found, as earshot.h hands it out. Immutable once made: any thread.
#pragma once

#include "Library/earshot.h"

#include "Core/Detection/Windows/RecordingAnalysis.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct earshot_result {
    std::vector<earshot_event> events;
    std::vector<float> activations; // (columns, classes)
    std::size_t classes = 0;
    double seconds = 0.0;
    std::string remarks; // one a line
};

namespace earshot::library {

earshot_event publicEvent(const detection::Event& event);
// subject: of the clauses of the summary.
void fill(earshot_result& result, const detection::RecordingResult& found, const std::string& subject);

// Keeps columns.
class KeptColumns : public detection::ColumnObserver {
  public:
    // Appends (classes) values for each column.
    explicit KeptColumns(std::vector<float>& values)
        : values_(values) {}
    void begin(int, double) override {}
    void column(std::int64_t, std::span<const float> probabilities) override {
        values_.insert(values_.end(), probabilities.begin(), probabilities.end());
    }
    void end(double) override {}

  private:
    std::vector<float>& values_;
};

} // namespace earshot::library
