#include "core/interventions/logit_words.h"

#include "core/attribution/score_words.h"
#include "core/interventions/metric_words.h"

namespace headscope {

Result<LogitTarget> readLogitTarget(const StreamRun& run, const LogitWords& words, bool as_ids) {
    const auto position = positionFromEnd(words.position.value_or(-1), run.positions());
    if (!position)
        return position.error();
    const auto token = readToken(run.model(), words.token, as_ids);
    if (!token)
        return token.error();
    LogitTarget target{*position, *token, std::nullopt};
    if (!words.against)
        return target;
    const auto against = readToken(run.model(), *words.against, as_ids);
    if (!against)
        return against.error();
    target.against = *against;
    return target;
}

} // namespace headscope
