#include "Cli/HopChoice.h"

#include "Cli/ExitCode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::cli {

int chooseHop(std::optional<double> seconds, detection::Mode mode, const model::Config& config) {
    const detection::PassShape shape{.windowFrames = config.windowFrames(),
                                     .framesPerToken = config.framesPerToken()};
    if (!seconds) return detection::usualHop(shape, mode);
    const int longest = detection::longestHop(shape, mode);
    const double token = config.secondsPerToken();
    const double tokens = *seconds / token;
    if (!(tokens > 0.0 && tokens <= longest + 1e-6))
        throw UsageError(fmt::format("--hop: {} is outside the range of this mode, {:.2f} to {:.2f} seconds",
                                     *seconds, token, longest * token));
    return std::max(1, static_cast<int>(std::lround(tokens)));
}

} // namespace earshot::cli
