#pragma once

#include "core/attribution/head_steps.h"
#include "core/attribution/logit_attribution.h"
#include "core/attribution/logit_lens.h"
#include "core/base/table.h"
#include "core/model/model.h"

namespace headscope {

// What was read of logits, as tables. `model` names the tokens.

/// "logit of ·Mary − ·John at 14 ·to"
std::string logitText(const Model& model, const LogitQuestion& question,
                      const Provenance& provenance);

/// One row per part: part, layer and head (nothing where there is none), value; in JSON its
/// sources, one number per position that a head's part came from. Fields: logit, token, against,
/// position, prompt. The rows are "parts".
Table attributionTable(const LogitAttribution& attribution, const Model& model,
                       const Provenance& provenance);

/// One row per depth and position: depth, position, the best tokens (in CSV top, top_ids and
/// top_probabilities, in JSON "top" [{"id", "piece", "probability"}]), probability and rank
/// (nothing without a token), kl, entropy. Fields: token, prompt; in JSON depths. The rows are
/// "readings".
Table lensTable(const LogitLens& lens, const Model& model, const Provenance& provenance);
/// For the screen: a row per position, a column per depth.
Table lensGrid(const LogitLens& lens, const Model& model, const Provenance& provenance);

/// One row per key that the query sees, with what becomes of its score; in JSON its vectors, too.
/// Fields: layer, head, query, temperature, scale, softcap, largest, sum, sink; in JSON the other
/// vectors and the tokens that the head raises and lowers. The rows are "keys".
Table stepsTable(const HeadSteps& steps, const Model& model, const Provenance& provenance);
/// For the screen: that table without what the network does not do, and the vectors.
std::vector<Table> stepsShown(const HeadSteps& steps, const Model& model, Table keys);

} // namespace headscope
