#pragma once

#include "core/base/table.h"
#include "core/trust/measure_trust.h"

namespace headscope {

/// A row for each label: head, type, word, a grade for each part by its name, and the figures:
/// score, threshold, control, above_control, output, difference, low, high, verdict, beside,
/// sets_held, sets_read, least_score, least_set, stable_share, resamples. JSON also has evidence
/// {part: sentence} and sets [{"set", "sequences", "score", "low", "high", "holds"}]; the rows are
/// "labels". Fields: in JSON expected_false, notes and words {word: how many labels}.
Table trustTable(const ModelTrust& trust, const Provenance& provenance);

/// For a terminal of 100 columns: head, type, word, and for each part its mark and figure.
Table trustSummary(const ModelTrust& trust, const Provenance& provenance);

} // namespace headscope
