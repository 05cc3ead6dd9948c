#include "Cli/Analyze/HopChoice.h"

#include "Cli/ExitCode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::cli {

int chooseHop(std::optional<double> seconds, detection::Mode mode, const model::Config& config) {
    return chooseHop(seconds, mode,
                     {.windowFrames = config.windowFrames(), .framesPerToken = config.framesPerToken()},
                     config.secondsPerToken());
}

int chooseHop(std::optional<double> seconds, detection::Mode mode, detection::PassShape shape,
              double secondsPerToken) {
    if (!seconds) return detection::usualHop(shape, mode);
    const int longest = detection::longestHop(shape, mode);
    const double tokens = *seconds / secondsPerToken;
    if (!(tokens > 0.0 && tokens <= longest + 1e-6))
        throw UsageError(fmt::format("--hop: {} is outside the range of this mode, {:.2f} to {:.2f} seconds",
                                     *seconds, secondsPerToken, longest * secondsPerToken));
    return std::max(1, static_cast<int>(std::lround(tokens)));
}

} // namespace earshot::cli
