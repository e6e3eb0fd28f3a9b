#include "core/attribution/parts/norm_columns.h"

namespace headscope {

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

} // namespace headscope
