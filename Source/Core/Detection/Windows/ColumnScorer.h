// Makes probabilities of a column of a TokenModel whose numbers are none: vectors, which are compared with
// words (Queries.h). Immutable: any thread.
#pragma once

#include <span>

namespace earshot::detection {

class ColumnScorer {
  public:
    virtual ~ColumnScorer() = default;

    virtual int values() const = 0; // a column's numbers
    virtual int classes() const = 0;
    // values: (values), the mean of the windows in a column, rounded to float16. Where all are zeros no
    // window was heard, and so all probabilities are 0. probabilities: (classes), each 0 to 1.
    virtual void score(std::span<const float> values, std::span<float> probabilities) const = 0;
};

} // namespace earshot::detection
