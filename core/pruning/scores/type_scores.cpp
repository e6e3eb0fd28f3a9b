#include "core/pruning/scores/type_scores.h"

#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

/// Not how it spreads, what its weights could do, or that it does nothing.
bool saysWhatItDoes(HeadTypeId id) {
    const TypeGroup group = headType(id).group;
    return id != HeadTypeId::Dormant &&
           (group == TypeGroup::Position || group == TypeGroup::Words || group == TypeGroup::Task);
}

} // namespace

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
            if (saysWhatItDoes(type) && std::isfinite(above))
                strongest = std::max(strongest, std::min(above, 1.0));
        }
        strengths[head] = strongest + (std::ranges::any_of(types, saysWhatItDoes) ? 1.0 : 0.0);
    }
    return strengths;
}

} // namespace headscope
