#pragma once

#include "core/attribution/logit_attribution.h"
#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// Which heads step in when some are ablated.
struct BackupQuestion {
    std::vector<LogitQuestion> prompts; ///< at least one
    HeadSet ablated;                    ///< at least one head
    AblationKind kind = AblationKind::Zero;
    /// TextMean: the prompts that are averaged; empty: `prompts`. Resample: one for each prompt, of
    /// the same length.
    std::vector<TokenIds> references;
};

/// All values are means over the prompts.
struct BackupResult {
    BackupQuestion question;
    double full_logit = 0.0;         ///< of the whole network
    double ablated_logit = 0.0;      ///< with the heads ablated
    PerHead<double> full_effects;    ///< direct effect on the logit
    PerHead<double> ablated_effects; ///< the same with the heads ablated

    double rise(LayerHead head) const { return ablated_effects[head] - full_effects[head]; }
};

/// The direct effect of every head on a logit or a difference of two (attributeLogit()), in the
/// whole network and with some heads ablated: those whose effect rises make up for them (backup
/// heads, Wang et al. 2022). Every run is read at its own norm scales. Fails as attributeLogit()
/// and sweepHeads() do.
Result<BackupResult> measureBackup(const std::shared_ptr<const Model>& model,
                                   const BackupQuestion& question, const Progress& progress = {},
                                   std::stop_token stop = {});

/// The heads whose direct effect rises by more than `least`, largest rise first. Only heads of
/// layers after the first one with an ablated head: of the others nothing changes but the scale of
/// the final norm.
std::vector<LayerHead> backupHeads(const BackupResult& result, double least);

} // namespace headscope
