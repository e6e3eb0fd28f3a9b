#pragma once

#include "core/base/table.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/backup_heads.h"
#include "core/interventions/path_patching.h"
#include "core/interventions/set_effect.h"
#include "core/interventions/sweep.h"
#include "core/model/model_spec.h"

#include <span>

namespace headscope {

// The results of interventions as tables.

/// One row per unit: heads, value, difference. Fields: full, metric, ablation, method, prompt; in
/// JSON prompts and references. The rows are "units".
Table sweepTable(const SweepResult& result, const Provenance& provenance);

/// One row per patch: hook, position and head (nothing when all at once), value, normalised.
/// Fields: clean, corrupted, metric; in JSON corrupted_ids, method and note. The rows are
/// "patches". `spec` is that of the network, `provenance` that of the clean prompt.
Table patchTable(const PatchResult& result, const ModelSpec& spec, const Provenance& provenance);
/// For the screen: normalised values, a row per layer (and position), a column per head or
/// position.
Table patchGrid(const PatchResult& result, const ModelSpec& spec, const Provenance& provenance);

/// One row per sender: sender, receivers ("1.0:k 1.3:k" or "logits"), value, normalised. Fields:
/// original, other, metric; in JSON other_ids and note. The rows are "paths". `provenance` is that
/// of the original prompt.
Table pathTable(const PathResult& result, const Provenance& provenance);

/// One row per head: its direct effect full and ablated, and how much it rises. Fields: full_logit,
/// ablated_logit, without, ablation, prompt; in JSON prompts and references.
Table backupTable(const BackupResult& result, const Provenance& provenance);
/// The same with rows for these heads only, in their order.
Table backupTable(const BackupResult& result, std::span<const LayerHead> heads,
                  const Provenance& provenance);

/// The effects of ablating one head, at least one, as ablationEffects() measures it for each input.
/// One row for the head, one for each other replacement, each backup and each other head: head,
/// tested ("yes" for the head itself, "backup", "no"), difference, low, high, full, what, ablation,
/// sequences, labels, verdict. JSON has no rows: it says of the first input head, difference, low,
/// high, verdict, sentence, above, matters (the verdict is "needed"), others, replaced, backups and
/// more, and the same of all of them as "effects".
Table effectTable(std::span<const AblationEffect> results, const Provenance& provenance);

/// The effect of ablating all heads of a type together: one row for them and one for each random
/// set: heads, and the other columns of effectTable(). JSON has no rows, but type, heads,
/// difference, low, high, verdict, sentence, above, others and more.
Table setEffectTable(const SetEffect& result, HeadTypeId type, const Provenance& provenance);

} // namespace headscope
