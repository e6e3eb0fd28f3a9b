#include "core/interventions/tokens/embeddings.h"

#include "core/tensor/gemm.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Rows of W_E, [position, width of W_E], as the residual stream begins with them: scaled, and
/// projected where they are narrower.
Tensor asEmbedded(const Model& model, Tensor rows) {
    const ModelSpec& spec = model.spec;
    if (spec.embedding_scale != 1.0)
        for (float& value : rows.values())
            value *= static_cast<float>(spec.embedding_scale);
    if (spec.d_embed == 0)
        return rows;
    Tensor projected({rows.dim(0), spec.d_model});
    multiply(std::as_const(rows).matrix(), model.weights.W_project_in.matrix(), projected.matrix());
    return projected;
}

/// [1, width]
Tensor meanOfRows(const WeightMatrix& rows) {
    std::vector<double> sums(rows.cols);
    for (std::size_t r = 0; r < rows.rows; ++r) {
        const WidenedMatrix row(rows.rowRange(r, 1));
        std::transform(sums.begin(), sums.end(), row->data, sums.begin(),
                       [](double sum, float value) { return sum + static_cast<double>(value); });
    }
    Tensor mean({1, rows.cols});
    std::ranges::transform(sums, mean.data(), [&](double sum) {
        return static_cast<float>(sum / static_cast<double>(rows.rows));
    });
    return mean;
}

} // namespace

Tensor tokenEmbeddings(const Model& model, const TokenIds& ids) {
    const WeightMatrix W_E = model.weights.W_E.matrix();
    Tensor rows({ids.size(), W_E.cols});
    for (std::size_t t = 0; t < ids.size(); ++t)
        W_E.rowRange(static_cast<std::size_t>(ids[t]), 1).widenInto(rows.matrix().rowRange(t, 1));
    return asEmbedded(model, std::move(rows));
}

Tensor baselineEmbedding(const Model& model, const TokenBaseline& baseline) {
    if (baseline.token)
        return tokenEmbeddings(model, {*baseline.token});
    return asEmbedded(model, meanOfRows(model.weights.W_E.matrix()));
}

Tensor onTheWay(const Tensor& from, const Tensor& to, double share) {
    Tensor embed = from;
    const MutableMatrixView rows = embed.matrix();
    for (std::size_t t = 0; t < rows.rows; ++t)
        std::transform(rows.row(t), rows.row(t) + rows.cols,
                       to.matrix().row(to.dim(0) == 1 ? 0 : t), rows.row(t),
                       [share](float a, float b) {
                           return static_cast<float>(
                               static_cast<double>(a) +
                               share * (static_cast<double>(b) - static_cast<double>(a)));
                       });
    return embed;
}

} // namespace headscope
