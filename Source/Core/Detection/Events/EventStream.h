// Events of a recording as its columns come, in memory that grows with what is found and not with what is
// heard. The same, to the bit, as deriveEvents() over all columns at once. One thread at a time.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Events/ClassEventStream.h"
#include "Core/Detection/Events/Events.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::detection {

class EventStream {
  public:
    // reported: (classes), others are left out; empty: all. Without `nearMisses` the list has none.
    // Throws earshot::Error when a rule makes no sense.
    EventStream(int classes, double secondsPerColumn, const EventSettings& settings,
                const std::vector<bool>& reported = {}, bool nearMisses = true);

    // The next column, final: (classes) probabilities.
    void add(std::span<const float> probabilities);
    std::int64_t columns() const { return columns_; }
    // After the last column, which begins before `duration` (seconds) does.
    EventList finish(double duration);

  private:
    struct Class {
        std::size_t index;
        float off;
        std::int64_t reach;     // columns that the median filter reads on either side
        std::int64_t loud = -1; // the last column at or above `off`
        ClassEventStream events;
    };

    float& kept(std::int64_t column, std::size_t classIndex);
    void judge(Class& judged, std::int64_t column, std::int64_t reach);
    float median(const Class& judged, std::int64_t column, std::int64_t reach);

    std::size_t classCount_;
    double secondsPerColumn_;
    std::vector<Class> classes_;        // that are reported; none with boxes,
    std::vector<ClassBoxStream> boxes_; // but these
    std::int64_t keptColumns_;          // as many as the widest median filter reads
    std::vector<float> recent_;         // (keptColumns, classes): column i lies at i modulo keptColumns
    std::vector<float> window_;         // of a median
    std::int64_t columns_ = 0;          // so far
    EventList found_;
};

} // namespace earshot::detection
