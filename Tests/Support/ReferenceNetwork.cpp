#include "Support/ReferenceNetwork.h"

#include <algorithm>
#include <cmath>

namespace earshot::test {

namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

void addTo(Values& x, const Values& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

// Empty if there is no tensor of that name.
Values valuesOf(model::Checkpoint& checkpoint, const std::string& name) {
    if (!checkpoint.contains(name)) return {};
    const auto values = checkpoint.read(name);
    return {values.values().begin(), values.values().end()};
}

void normaliseRows(Values& x, std::size_t width) {
    for (std::size_t first = 0; first < x.size(); first += width) {
        double squares = 0.0;
        for (std::size_t i = first; i < first + width; ++i) squares += x[i] * x[i];
        for (std::size_t i = first; i < first + width; ++i) x[i] /= std::max(std::sqrt(squares), 1e-12);
    }
}

// Region of a coordinate of the shifted grid; tokens of different regions do not see one another.
int region(int position, int grid, int side, int shift) {
    return position < grid - side ? 0 : position < grid - shift ? 1 : 2;
}

} // namespace

Values referenceLinear(const Values& x, const Values& weights, const Values& bias, std::size_t inputs) {
    const auto rows = x.size() / inputs;
    const auto outputs = weights.size() / inputs;
    Values y(rows * outputs);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t o = 0; o < outputs; ++o) {
            double total = bias.empty() ? 0.0 : bias[o];
            for (std::size_t i = 0; i < inputs; ++i) total += x[row * inputs + i] * weights[o * inputs + i];
            y[row * outputs + o] = total;
        }
    return y;
}

Values referenceLayerNorm(const Values& x, const Values& gain, const Values& bias) {
    const auto channels = gain.size();
    Values y(x.size());
    for (std::size_t first = 0; first < x.size(); first += channels) {
        double mean = 0.0, variance = 0.0;
        for (std::size_t c = 0; c < channels; ++c) mean += x[first + c];
        mean /= static_cast<double>(channels);
        for (std::size_t c = 0; c < channels; ++c) variance += (x[first + c] - mean) * (x[first + c] - mean);
        variance /= static_cast<double>(channels);
        for (std::size_t c = 0; c < channels; ++c)
            y[first + c] = (x[first + c] - mean) / std::sqrt(variance + 1e-5) * gain[c] + bias[c];
    }
    return y;
}

Values referenceAttention(const Values& q, const Values& k, const Values& v, const Values& bias,
                          std::size_t headDim) {
    const auto tokens = q.size() / headDim;
    Values out(q.size());
    for (std::size_t i = 0; i < tokens; ++i) {
        Values scores(tokens);
        for (std::size_t j = 0; j < tokens; ++j) {
            for (std::size_t c = 0; c < headDim; ++c) scores[j] += q[i * headDim + c] * k[j * headDim + c];
            scores[j] = scores[j] / std::sqrt(static_cast<double>(headDim)) + bias[i * tokens + j];
        }
        const double top = *std::max_element(scores.begin(), scores.end());
        double total = 0.0;
        for (auto& s : scores) total += s = std::exp(s - top);
        for (std::size_t j = 0; j < tokens; ++j)
            for (std::size_t c = 0; c < headDim; ++c)
                out[i * headDim + c] += scores[j] / total * v[j * headDim + c];
    }
    return out;
}

double referenceGelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

Values referenceMicrosoftProjection(model::Checkpoint& checkpoint, const std::string& prefix,
                                    const Values& latent) {
    const auto first =
        referenceLinear(latent, valuesOf(checkpoint, prefix + "linear1.weight"), {}, latent.size());
    Values hidden = first;
    for (auto& x : hidden) x = referenceGelu(x);
    auto sum = referenceLinear(hidden, valuesOf(checkpoint, prefix + "linear2.weight"), {}, hidden.size());
    addTo(sum, first);
    return referenceLayerNorm(sum, valuesOf(checkpoint, prefix + "layer_norm.weight"),
                              valuesOf(checkpoint, prefix + "layer_norm.bias"));
}

Values referenceLaionProjection(model::Checkpoint& checkpoint, const std::string& prefix,
                                const Values& latent) {
    auto hidden = referenceLinear(latent, valuesOf(checkpoint, prefix + "0.weight"),
                                  valuesOf(checkpoint, prefix + "0.bias"), latent.size());
    for (auto& x : hidden) x = std::max(x, 0.0);
    auto out = referenceLinear(hidden, valuesOf(checkpoint, prefix + "2.weight"),
                               valuesOf(checkpoint, prefix + "2.bias"), hidden.size());
    double squares = 0.0;
    for (const auto x : out) squares += x * x;
    for (auto& x : out) x /= std::sqrt(squares);
    return out;
}

Values ReferenceNetwork::tensor(const std::string& name) const { return valuesOf(checkpoint_, name); }

Values ReferenceNetwork::image(std::span<const float> logMel) const {
    const auto gain = tensor("bn0.weight"), bias = tensor("bn0.bias");
    const auto mean = tensor("bn0.running_mean"), variance = tensor("bn0.running_var");
    const int side = config_.imageSize, bands = config_.melBands;
    Values out(static_cast<std::size_t>(side) * side);
    for (int frame = 0; frame < config_.windowFrames(); ++frame)
        for (int band = 0; band < bands; ++band) {
            const auto b = static_cast<std::size_t>(band);
            const double x = logMel[static_cast<std::size_t>(frame) * bands + b];
            const auto row = static_cast<std::size_t>(frame / side * bands + band);
            out[row * side + frame % side] =
                (x - mean[b]) / std::sqrt(variance[b] + 1e-5) * gain[b] + bias[b];
        }
    return out;
}

Values ReferenceNetwork::patchEmbed(const Values& pixels) const {
    const auto weights = tensor("patch_embed.proj.weight"), bias = tensor("patch_embed.proj.bias");
    const int side = config_.imageSize, size = config_.patchSize, stride = config_.patchStride;
    const int grid = config_.stageGrid(0), padding = (size - stride) / 2;
    Values x;
    for (int row = 0; row < grid; ++row)
        for (int column = 0; column < grid; ++column)
            for (std::size_t e = 0; e < bias.size(); ++e) {
                double total = bias[e];
                for (int dy = 0; dy < size; ++dy)
                    for (int dx = 0; dx < size; ++dx) {
                        const int y = row * stride + dy - padding, z = column * stride + dx - padding;
                        if (y < 0 || y >= side || z < 0 || z >= side) continue;
                        total += weights[(e * size + dy) * size + dx] *
                                 pixels[static_cast<std::size_t>(y) * side + z];
                    }
                x.push_back(total);
            }
    if (config_.patchNorm)
        x = referenceLayerNorm(x, tensor("patch_embed.norm.weight"), tensor("patch_embed.norm.bias"));
    if (config_.absolutePositionEmbedding) addTo(x, tensor("absolute_pos_embed"));
    return x;
}

Values ReferenceNetwork::queriesKeysValues(const Values& x, const std::string& name,
                                           std::size_t width) const {
    auto bias = tensor(name + "qkv.bias");
    if (config_.block == model::BlockKind::v2 && config_.qkvBias) {
        bias = tensor(name + "q_bias");
        bias.resize(2 * width); // keys have none
        const auto values = tensor(name + "v_bias");
        bias.insert(bias.end(), values.begin(), values.end());
    }
    return referenceLinear(x, tensor(name + "qkv.weight"), bias, width);
}

Values ReferenceNetwork::biasTable(const std::string& name, int stage) const {
    if (config_.block == model::BlockKind::v1) return tensor(name + "relative_position_bias_table");
    const int side = config_.stageAttentionSide(stage);
    Values positions;
    const auto spaced = [&](int distance) {
        const double x = 8.0 * distance / (config_.pretrainedSide(stage) - 1);
        return (x < 0.0 ? -1.0 : 1.0) * std::log2(std::abs(x) + 1.0) / std::log2(8.0);
    };
    for (int row = 1 - side; row < side; ++row)
        for (int column = 1 - side; column < side; ++column)
            positions.insert(positions.end(), {spaced(row), spaced(column)});
    auto hidden =
        referenceLinear(positions, tensor(name + "cpb_mlp.0.weight"), tensor(name + "cpb_mlp.0.bias"), 2);
    for (auto& x : hidden) x = std::max(x, 0.0);
    auto table = referenceLinear(hidden, tensor(name + "cpb_mlp.2.weight"), {}, 512);
    for (auto& x : table) x = 16.0 * sigmoid(x);
    return table;
}

Values ReferenceNetwork::attention(const Values& x, int stage, int index) const {
    const auto name = "layers." + std::to_string(stage) + ".blocks." + std::to_string(index) + ".attn.";
    const auto width = static_cast<std::size_t>(config_.stageDim(stage));
    const auto heads = static_cast<std::size_t>(config_.heads[static_cast<std::size_t>(stage)]);
    const auto headDim = width / heads;
    const int grid = config_.stageGrid(stage), side = config_.stageAttentionSide(stage), tokens = side * side;
    const int shift = index % 2 == 1 && grid > side ? side / 2 : 0;
    const auto table = biasTable(name, stage);
    const auto qkv = queriesKeysValues(x, name, width);
    const auto scales = tensor(name + "logit_scale"); // empty in V1

    Values out(x.size());
    for (int top = 0; top < grid; top += side)
        for (int left = 0; left < grid; left += side)
            for (std::size_t head = 0; head < heads; ++head) {
                Values parts[3], bias;
                std::vector<std::size_t> sources;
                for (int t = 0; t < tokens; ++t) {
                    const int row = (top + t / side + shift) % grid,
                              column = (left + t % side + shift) % grid;
                    sources.push_back(static_cast<std::size_t>(row) * grid + column);
                    for (std::size_t part = 0; part < 3; ++part)
                        for (std::size_t c = 0; c < headDim; ++c)
                            parts[part].push_back(
                                qkv[(sources.back() * 3 + part) * width + head * headDim + c]);
                    for (int u = 0; u < tokens; ++u) {
                        const int dy = t / side - u / side + side - 1, dx = t % side - u % side + side - 1;
                        const auto entry = static_cast<std::size_t>(dy) * (2 * side - 1) + dx;
                        const bool apart = shift > 0 && (region(top + t / side, grid, side, shift) !=
                                                             region(top + u / side, grid, side, shift) ||
                                                         region(left + t % side, grid, side, shift) !=
                                                             region(left + u % side, grid, side, shift));
                        bias.push_back(table[entry * heads + head] + (apart ? -100.0 : 0.0));
                    }
                }
                if (!scales
                         .empty()) { // cosines times the head's scale; referenceAttention() divides by a root
                    for (const std::size_t part : {0, 1}) normaliseRows(parts[part], headDim);
                    const double scale = std::exp(std::min(scales[head], std::log(100.0)));
                    for (auto& q : parts[0]) q *= scale * std::sqrt(static_cast<double>(headDim));
                }
                const auto result = referenceAttention(parts[0], parts[1], parts[2], bias, headDim);
                for (std::size_t t = 0; t < sources.size(); ++t)
                    std::copy_n(result.begin() + static_cast<std::ptrdiff_t>(t * headDim), headDim,
                                out.begin() +
                                    static_cast<std::ptrdiff_t>(sources[t] * width + head * headDim));
            }
    return referenceLinear(out, tensor(name + "proj.weight"), tensor(name + "proj.bias"), width);
}

Values ReferenceNetwork::block(const Values& x, int stage, int index) const {
    const auto name = "layers." + std::to_string(stage) + ".blocks." + std::to_string(index);
    const auto width = static_cast<std::size_t>(config_.stageDim(stage));
    const auto normed = [&](const Values& v, const std::string& norm) {
        return referenceLayerNorm(v, tensor(name + norm + ".weight"), tensor(name + norm + ".bias"));
    };
    const auto mlp = [&](const Values& v) {
        auto hidden =
            referenceLinear(v, tensor(name + ".mlp.fc1.weight"), tensor(name + ".mlp.fc1.bias"), width);
        std::transform(hidden.begin(), hidden.end(), hidden.begin(), referenceGelu);
        return referenceLinear(hidden, tensor(name + ".mlp.fc2.weight"), tensor(name + ".mlp.fc2.bias"),
                               width * static_cast<std::size_t>(config_.mlpRatio));
    };
    auto y = x;
    if (config_.block == model::BlockKind::v1) {
        addTo(y, attention(normed(x, ".norm1"), stage, index));
        addTo(y, mlp(normed(y, ".norm2")));
    } else {
        addTo(y, normed(attention(x, stage, index), ".norm1"));
        addTo(y, normed(mlp(y), ".norm2"));
    }
    return y;
}

Values ReferenceNetwork::merge(const Values& x, int stage) const {
    const auto name = "layers." + std::to_string(stage) + ".downsample.";
    const auto width = static_cast<std::size_t>(config_.stageDim(stage));
    const auto grid = static_cast<std::size_t>(config_.stageGrid(stage));
    Values gathered;
    for (std::size_t row = 0; row < grid; row += 2)
        for (std::size_t column = 0; column < grid; column += 2)
            for (const auto token : {row * grid + column, (row + 1) * grid + column, row * grid + column + 1,
                                     (row + 1) * grid + column + 1})
                gathered.insert(gathered.end(), x.begin() + static_cast<std::ptrdiff_t>(token * width),
                                x.begin() + static_cast<std::ptrdiff_t>((token + 1) * width));
    const auto norm = [&](const Values& v) {
        return referenceLayerNorm(v, tensor(name + "norm.weight"), tensor(name + "norm.bias"));
    };
    const auto reduce = [&](const Values& v) {
        return referenceLinear(v, tensor(name + "reduction.weight"), {}, 4 * width);
    };
    return config_.block == model::BlockKind::v1 ? reduce(norm(gathered)) : norm(reduce(gathered));
}

Values ReferenceNetwork::fineLogits(const std::vector<Values>& stages, const Values& tokens) const {
    const auto steps = static_cast<std::size_t>(config_.stepsPerWindow());
    const auto width = static_cast<std::size_t>(config_.headWidth);
    Values x(steps * width);
    for (int stage = 1; stage < config_.stageCount(); ++stage) {
        const auto name = "fine_head.stage" + std::to_string(stage);
        const bool isLast = stage + 1 == config_.stageCount();
        const auto index = static_cast<std::size_t>(stage);
        const Values normed = isLast ? tokens
                                     : referenceLayerNorm(stages[index], tensor(name + ".norm.weight"),
                                                          tensor(name + ".norm.bias"));
        const auto channels = static_cast<std::size_t>(config_.stageDim(stage));
        const auto grid = static_cast<std::size_t>(config_.stageGrid(stage));
        const auto segments = static_cast<std::size_t>(config_.timeSegments());
        // The columns of one segment after another, each with all its frequency rows.
        Values columns;
        for (std::size_t segment = 0; segment < segments; ++segment)
            for (std::size_t column = 0; column < grid; ++column)
                for (std::size_t row = segment * grid / segments; row < (segment + 1) * grid / segments;
                     ++row)
                    for (std::size_t c = 0; c < channels; ++c)
                        columns.push_back(normed[(row * grid + column) * channels + c]);
        const auto projected = referenceLinear(columns, tensor(name + ".proj.weight"),
                                               tensor(name + ".proj.bias"), grid / segments * channels);
        const auto repeats = steps / (segments * grid);
        for (std::size_t step = 0; step < steps; ++step)
            for (std::size_t c = 0; c < width; ++c)
                x[step * width + c] += projected[step / repeats * width + c];
    }
    for (int layer = 0; layer < config_.headLayers; ++layer) {
        const auto name = "fine_head.mix" + std::to_string(layer);
        auto active = referenceLayerNorm(x, tensor(name + ".norm.weight"), tensor(name + ".norm.bias"));
        std::transform(active.begin(), active.end(), active.begin(), referenceGelu);
        const auto weights = tensor(name + ".conv.weight"), bias = tensor(name + ".conv.bias");
        for (std::size_t step = 0; step < steps; ++step)
            for (std::size_t out = 0; out < width; ++out) {
                x[step * width + out] += bias[out];
                for (std::size_t tap = 0; tap < 5; ++tap) {
                    if (step + tap < 2 || step + tap - 2 >= steps) continue;
                    for (std::size_t c = 0; c < width; ++c)
                        x[step * width + out] +=
                            weights[(out * 5 + tap) * width + c] * active[(step + tap - 2) * width + c];
                }
            }
    }
    const auto normed = referenceLayerNorm(x, tensor("fine_head.norm.weight"), tensor("fine_head.norm.bias"));
    return referenceLinear(normed, tensor("fine_head.classes.weight"), tensor("fine_head.classes.bias"),
                           width);
}

ReferenceOutput ReferenceNetwork::head(const std::vector<Values>& stages, const Values& x) const {
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    const int grid = config_.stageGrid(config_.stageCount() - 1), steps = config_.stepsPerWindow();
    const int rows = grid / config_.timeSegments();
    const auto classes = static_cast<std::size_t>(config_.classes);
    const auto token = [&](int time, int row) {
        return static_cast<std::size_t>((time / grid * rows + row) * grid + time % grid) * channels;
    };
    ReferenceOutput out;
    out.latent.resize(channels);
    for (std::size_t i = 0; i < x.size(); ++i) out.latent[i % channels] += x[i] / (grid * grid);

    if (config_.head == model::HeadKind::fine) {
        out.tokens = fineLogits(stages, x);
        out.clipwise.resize(classes);
        for (std::size_t i = 0; i < out.tokens.size(); ++i)
            out.clipwise[i % classes] += out.tokens[i] / steps;
    } else if (config_.head == model::HeadKind::pooled) {
        const auto weights = tensor("head.weight"), bias = tensor("head.bias");
        out.clipwise = referenceLinear(out.latent, weights, bias, channels);
        Values sums;
        for (int time = 0; time < steps; ++time)
            for (std::size_t c = 0; c < channels; ++c) {
                double total = 0.0;
                for (int row = 0; row < rows; ++row) total += x[token(time, row) + c];
                sums.push_back(total);
            }
        out.tokens = referenceLinear(sums, weights, bias, channels);
    } else {
        const auto weights = tensor("tscam_conv.weight"), bias = tensor("tscam_conv.bias");
        out.clipwise.resize(classes);
        for (int time = 0; time < steps; ++time)
            for (std::size_t k = 0; k < classes; ++k) {
                double logit = bias[k];
                for (std::size_t c = 0; c < channels; ++c)
                    for (int row = 0; row < rows; ++row)
                        for (int tap = 0; tap < 3; ++tap) {
                            const int neighbour = time + tap - 1;
                            if (neighbour < 0 || neighbour >= steps) continue;
                            const auto entry = ((k * channels + c) * rows + row) * 3 + tap;
                            logit += weights[entry] * x[token(neighbour, row) + c];
                        }
                out.tokens.push_back(logit);
                out.clipwise[k] += logit / steps;
            }
    }
    std::transform(out.tokens.begin(), out.tokens.end(), out.tokens.begin(), sigmoid);
    std::transform(out.clipwise.begin(), out.clipwise.end(), out.clipwise.begin(), sigmoid);
    return out;
}

ReferenceOutput ReferenceNetwork::run(std::span<const float> logMel) {
    auto x = patchEmbed(image(logMel));
    std::vector<Values> stages;
    for (int stage = 0; stage < config_.stageCount(); ++stage) {
        for (int index = 0; index < config_.depths[static_cast<std::size_t>(stage)]; ++index)
            x = block(x, stage, index);
        stages.push_back(x);
        if (stage + 1 < config_.stageCount()) x = merge(x, stage);
    }
    return head(stages, referenceLayerNorm(x, tensor("norm.weight"), tensor("norm.bias")));
}

} // namespace earshot::test
