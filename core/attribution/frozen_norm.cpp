#include "core/attribution/frozen_norm.h"

#include <cstddef>
#include <numeric>

namespace headscope {

double throughFrozenNorm(NormKind kind, const NormWeights& weights, double scale,
                         std::vector<double>& direction) {
    double constant = 0.0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
        if (!weights.bias.empty())
            constant += static_cast<double>(weights.bias.values()[i]) * direction[i];
        if (!weights.weight.empty())
            direction[i] *= static_cast<double>(weights.weight.values()[i]);
        direction[i] /= scale;
    }
    if (kind == NormKind::LayerNorm) {
        const double mean = std::accumulate(direction.begin(), direction.end(), 0.0) /
                            static_cast<double>(direction.size());
        for (double& value : direction)
            value -= mean;
    }
    return constant;
}

std::vector<double> throughNormWeights(NormKind kind, const NormWeights& weights,
                                       MutableMatrixView readout) {
    std::vector<double> bias(readout.cols, 0.0);
    for (std::size_t i = 0; i < readout.rows && !weights.bias.empty(); ++i)
        for (std::size_t c = 0; c < readout.cols; ++c)
            bias[c] +=
                static_cast<double>(weights.bias.values()[i]) * static_cast<double>(readout(i, c));
    for (std::size_t i = 0; i < readout.rows && !weights.weight.empty(); ++i)
        for (std::size_t c = 0; c < readout.cols; ++c)
            readout(i, c) *= weights.weight.values()[i];
    if (kind == NormKind::RmsNorm)
        return bias;
    std::vector<double> mean(readout.cols, 0.0);
    for (std::size_t i = 0; i < readout.rows; ++i)
        for (std::size_t c = 0; c < readout.cols; ++c)
            mean[c] += static_cast<double>(readout(i, c)) / static_cast<double>(readout.rows);
    for (std::size_t i = 0; i < readout.rows; ++i)
        for (std::size_t c = 0; c < readout.cols; ++c)
            readout(i, c) = static_cast<float>(static_cast<double>(readout(i, c)) - mean[c]);
    return bias;
}

void alongFrozenNorm(NormKind kind, const NormWeights& weights, double scale,
                     std::vector<double>& x) {
    if (kind == NormKind::LayerNorm) {
        const double mean =
            std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
        for (double& value : x)
            value -= mean;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] /= scale;
        if (!weights.weight.empty())
            x[i] *= static_cast<double>(weights.weight.values()[i]);
    }
}

} // namespace headscope
