#include "Library/Result.h"

#include "Library/Failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::library {

earshot_event publicEvent(const detection::Event& event) {
    return {.onset = event.onset,
            .offset = event.offset,
            .class_index = event.classIndex,
            .channel = event.channel,
            .peak = event.peak,
            .mean = event.mean,
            .confidence = event.confidence,
            .reserved = 0};
}

void fill(earshot_result& result, const detection::RecordingResult& found, const std::string& subject) {
    for (const auto& event : found.found.events) result.events.push_back(publicEvent(event));
    result.seconds = found.summary.seconds;
    for (const auto& warning : found.summary.warnings)
        result.remarks += fmt::format("{}{}: {}", result.remarks.empty() ? "" : "\n", subject, warning);
}

} // namespace earshot::library

using namespace earshot::library;

const earshot_event* earshot_result_events(const earshot_result* result, size_t* count) {
    const bool isThere = result != nullptr && count != nullptr;
    if (count != nullptr) *count = isThere ? result->events.size() : 0;
    return isThere && !result->events.empty() ? result->events.data() : nullptr;
}

double earshot_result_duration(const earshot_result* result) {
    return result != nullptr ? result->seconds : 0.0;
}

size_t earshot_result_column_count(const earshot_result* result) {
    return result != nullptr && result->classes > 0 ? result->activations.size() / result->classes : 0;
}

const float* earshot_result_activations(const earshot_result* result) {
    return result != nullptr && !result->activations.empty() ? result->activations.data() : nullptr;
}

earshot_status earshot_result_copy_activations(const earshot_result* result, float* out, size_t capacity) {
    return attempt([=] {
        requireSet(result, "result");
        const auto& values = result->activations;
        if (!values.empty()) requireSet(out, "out");
        if (capacity < values.size())
            throw Failure(EARSHOT_INVALID_ARGUMENT,
                          fmt::format("capacity: expected at least {} ({} columns of {} classes), found {}",
                                      values.size(), earshot_result_column_count(result), result->classes,
                                      capacity));
        std::copy(values.begin(), values.end(), out);
    });
}

const char* earshot_result_remarks(const earshot_result* result) {
    return result != nullptr ? result->remarks.c_str() : "";
}

void earshot_result_free(earshot_result* result) { delete result; }
