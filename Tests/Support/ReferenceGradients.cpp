#include "Support/ReferenceGradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace earshot::test {

namespace {

constexpr double pi = 3.14159265358979323846;

double& at(Values& matrix, std::size_t width, std::size_t row, std::size_t column) {
    return matrix[row * width + column];
}
double at(const Values& matrix, std::size_t width, std::size_t row, std::size_t column) {
    return matrix[row * width + column];
}

// Softmax of one head's scores (tokens, tokens).
Values probabilities(const AttentionShape& s, std::size_t head, const Values& qkv, const Values& bias,
                     const Values& mask, double scale) {
    const std::size_t width = 3 * s.channels(), keys = s.channels();
    Values p(s.tokens * s.tokens);
    for (std::size_t i = 0; i < s.tokens; ++i) {
        for (std::size_t j = 0; j < s.tokens; ++j) {
            double score = 0.0;
            for (std::size_t c = head * s.headDim; c < (head + 1) * s.headDim; ++c)
                score += at(qkv, width, i, c) * at(qkv, width, j, keys + c);
            score = score * scale + bias[(head * s.tokens + i) * s.tokens + j];
            if (!mask.empty()) score += at(mask, s.tokens, i, j);
            at(p, s.tokens, i, j) = score;
        }
        const auto first = p.begin() + static_cast<std::ptrdiff_t>(i * s.tokens);
        const auto last = first + static_cast<std::ptrdiff_t>(s.tokens);
        const double top = *std::max_element(first, last);
        std::transform(first, last, first, [top](double x) { return std::exp(x - top); });
        const double sum = std::accumulate(first, last, 0.0);
        std::transform(first, last, first, [sum](double x) { return x / sum; });
    }
    return p;
}

} // namespace

NormGradients referenceLayerNormBackward(const Values& x, const Values& gain, const Values& dy) {
    const std::size_t channels = gain.size();
    const auto n = static_cast<double>(channels);
    NormGradients g{Values(x.size()), Values(channels), Values(channels)};
    for (std::size_t first = 0; first < x.size(); first += channels) {
        double mean = 0.0, variance = 0.0, sum = 0.0, product = 0.0;
        for (std::size_t c = 0; c < channels; ++c) mean += x[first + c] / n;
        for (std::size_t c = 0; c < channels; ++c) variance += std::pow(x[first + c] - mean, 2) / n;
        const double scale = 1.0 / std::sqrt(variance + 1e-5);
        for (std::size_t c = 0; c < channels; ++c) {
            const double normal = (x[first + c] - mean) * scale;
            sum += dy[first + c] * gain[c] / n;
            product += dy[first + c] * gain[c] * normal / n;
            g.gain[c] += dy[first + c] * normal;
            g.bias[c] += dy[first + c];
        }
        for (std::size_t c = 0; c < channels; ++c)
            g.x[first + c] =
                scale * (dy[first + c] * gain[c] - sum - (x[first + c] - mean) * scale * product);
    }
    return g;
}

double referenceGeluSlope(double x) {
    return 0.5 * (1.0 + std::erf(x / std::sqrt(2.0))) + x * std::exp(-x * x / 2.0) / std::sqrt(2.0 * pi);
}

Values referenceMultiHead(const AttentionShape& s, const Values& qkv, const Values& bias, const Values& mask,
                          double scale) {
    Values output(s.tokens * s.channels());
    for (std::size_t head = 0; head < s.heads; ++head) {
        const Values p = probabilities(s, head, qkv, bias, mask, scale);
        for (std::size_t i = 0; i < s.tokens; ++i)
            for (std::size_t j = 0; j < s.tokens; ++j)
                for (std::size_t c = head * s.headDim; c < (head + 1) * s.headDim; ++c)
                    at(output, s.channels(), i, c) +=
                        at(p, s.tokens, i, j) * at(qkv, 3 * s.channels(), j, 2 * s.channels() + c);
    }
    return output;
}

AttentionGradients referenceMultiHeadBackward(const AttentionShape& s, const Values& qkv, const Values& bias,
                                              const Values& mask, double scale,
                                              const Values& outputGradient) {
    const std::size_t channels = s.channels(), width = 3 * channels;
    AttentionGradients g{Values(qkv.size()), Values(bias.size())};
    for (std::size_t head = 0; head < s.heads; ++head) {
        const Values p = probabilities(s, head, qkv, bias, mask, scale);
        for (std::size_t i = 0; i < s.tokens; ++i) {
            Values slopes(s.tokens);
            double mean = 0.0;
            for (std::size_t j = 0; j < s.tokens; ++j) {
                const double probability = at(p, s.tokens, i, j);
                for (std::size_t c = head * s.headDim; c < (head + 1) * s.headDim; ++c) {
                    const double dy = at(outputGradient, channels, i, c);
                    slopes[j] += dy * at(qkv, width, j, 2 * channels + c);
                    at(g.qkv, width, j, 2 * channels + c) += probability * dy;
                }
                mean += probability * slopes[j];
            }
            for (std::size_t j = 0; j < s.tokens; ++j) {
                const double slope = at(p, s.tokens, i, j) * (slopes[j] - mean);
                g.bias[(head * s.tokens + i) * s.tokens + j] += slope;
                for (std::size_t c = head * s.headDim; c < (head + 1) * s.headDim; ++c) {
                    at(g.qkv, width, i, c) += scale * slope * at(qkv, width, j, channels + c);
                    at(g.qkv, width, j, channels + c) += scale * slope * at(qkv, width, i, c);
                }
            }
        }
    }
    return g;
}

Values finiteDifferences(const std::function<double(const Values&)>& value, Values x, double step) {
    Values slopes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double middle = x[i];
        x[i] = middle + step;
        const double above = value(x);
        x[i] = middle - step;
        slopes[i] = (above - value(x)) / (2.0 * step);
        x[i] = middle;
    }
    return slopes;
}

double dot(const Values& a, const Values& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

} // namespace earshot::test
