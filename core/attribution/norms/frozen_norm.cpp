#include "core/attribution/norms/frozen_norm.h"

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
