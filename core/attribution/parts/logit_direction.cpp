#include "core/attribution/parts/logit_direction.h"

namespace headscope {

LogitDirection logitDirection(const Model& model, TokenId token, std::optional<TokenId> against) {
    const WeightMatrix W_U = model.weights.unembedding().matrix();
    const std::span<const float> b_U = model.weights.b_U.values();
    LogitDirection logit{std::vector<double>(W_U.cols, 0.0), 0.0};
    const auto addToken = [&](TokenId named, double sign) {
        const auto id = static_cast<std::size_t>(named);
        for (std::size_t i = 0; i < W_U.cols; ++i)
            logit.direction[i] += sign * static_cast<double>(W_U(id, i));
        logit.bias += b_U.empty() ? 0.0 : sign * static_cast<double>(b_U[id]);
    };
    addToken(token, 1.0);
    if (against)
        addToken(*against, -1.0);
    if (model.spec.d_embed != 0)
        logit.direction =
            timesColumn(*WidenedMatrix(model.weights.W_project_out.matrix()), logit.direction);
    return logit;
}

std::vector<double> timesColumn(MatrixView W, std::span<const double> x) {
    std::vector<double> product(W.rows, 0.0);
    for (std::size_t r = 0; r < W.rows; ++r)
        for (std::size_t c = 0; c < W.cols; ++c)
            product[r] += static_cast<double>(W(r, c)) * x[c];
    return product;
}

} // namespace headscope
