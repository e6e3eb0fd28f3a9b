#pragma once

#include "core/base/table.h"
#include "core/interventions/token_dependence.h"
#include "core/model/model.h"

namespace headscope {

/// One row per token: position, token, and under the name of each method what the token changes.
/// Fields: value, reading, baseline ("mean embedding", or a token), baseline_token, seen, steps,
/// without_all, gap (all three of Integrated), prompt; in CSV a column such as
/// correlation_hide_replace for every two methods, in JSON correlations [{a, b, correlation}],
/// metric or attention, and note. The rows are "tokens". `model` names the baseline.
Table tokenTable(const TokenDependence& result, const Model& model, const Provenance& provenance);

/// For the screen: the rank correlation of every two methods, a row and a column for each.
Table tokenCorrelationGrid(const TokenDependence& result);

} // namespace headscope
