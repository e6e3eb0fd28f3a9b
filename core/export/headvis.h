#pragma once

#include "core/base/result.h"
#include "core/export/provenance.h"
#include "core/heads/examples.h"
#include "core/heads/head_score.h"
#include "core/model/model.h"

#include <filesystem>
#include <span>
#include <vector>

namespace headscope {

/// What a HeadVis folder holds. `heads` and their examples are those of `sequences`.
struct HeadvisContent {
    const Model& model;
    const HeadScores& scores;
    const Thresholds& thresholds;
    std::span<const InputSequence> sequences;
    const PerHead<HeadExamples>& heads;
    Provenance provenance;
};

/// Writes the folder that the HeadVis viewer reads as its `data/`, in the format that the
/// docstrings of its data_pipeline.py define (github.com/anthropics/headvis;
/// transformer-circuits.pub/2026/ headvis). Whole or not at all; `folder` must not exist yet, or be
/// empty.
///
///     config.json                {"model_name", "heads": [[layer, head]], "n_layers", "n_heads",
///                                 "n_intervals": 10, "metrics": [name], "metric_descriptions",
///                                 "head_data_pattern", "has_umap": false, "umap_heads": [],
///                                 "custom_plots", "custom_tables", "statistics_display"}
///     scatter_data.json          [{"layer", "head", metric: number or null}]
///     heads/L{layer}H{head}.json {"sequences": [{"sequence_id", "interval", "tokens", "seq_len",
///                                 "attention_indices": [query · seq_len + key],
///                                 "attention_values", "max_activation"}],
///                                 "qk_distance_histogram" and "histogram": {"bin_edges",
///                                 "bin_values"}, "top_query_tokens" and "top_key_tokens":
///                                 [{"token", "weight"}], "statistics"}
///     server_config.json, attributions/manifest.json   {}: no server
///
/// Interval 10 holds the sequences with the largest weights. Attention is sparse: the largest
/// weights of each row, as many as ExampleOptions say; numbers have four decimals. Metrics are the
/// scores by the keys of their types, and five means of HeadVis under its own names; its
/// `induction_score`, `logit_…` and `…_token_entropy` are not written. What the format has no place
/// for is added: in the file of a head its types, as the table "types" [{"token", "weight":
/// score}], and beside config.json the file scores.json, which is the JSON of scoreTable().
Result<void> writeHeadvis(const std::filesystem::path& folder, const HeadvisContent& content);

} // namespace headscope
