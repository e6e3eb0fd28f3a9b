#include "core/pruning/scores/type_scores.h"

#include "core/heads/score_heads.h"

#include <algorithm>
#include <cmath>

namespace headscope {

Result<PerHead<double>> typeScores(const std::shared_ptr<const Model>& model,
                                   const Progress& progress, const std::stop_token& stop) {
    const auto scores = scoreHeads(model, {}, progress, stop);
    if (!scores)
        return scores.error();
    PerHead<double> strengths(scores->heads);
    for (const LayerHead head : scores->heads) {
        const auto types = labels(*scores, head, {});
        double strongest = 0.0;
        for (const HeadTypeId type : scores->types) {
            const double above = scores->at(type, head).aboveBaseline();
            if (type != HeadTypeId::Dormant && std::isfinite(above))
                strongest = std::max(strongest, std::min(above, 1.0));
        }
        const bool typed =
            std::ranges::any_of(types, [](HeadTypeId type) { return type != HeadTypeId::Dormant; });
        strengths[head] = strongest + (typed ? 1.0 : 0.0);
    }
    return strengths;
}

} // namespace headscope
