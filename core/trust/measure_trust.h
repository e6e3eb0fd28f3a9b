#pragma once

#include "core/base/layer_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/expected_false.h"
#include "core/heads/head_score.h"
#include "core/heads/sequences.h"
#include "core/model/model.h"
#include "core/trust/label_trust.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

struct TrustOptions {
    RepeatOptions repeats = {};         ///< as of the scores
    std::vector<LayerHead> heads = {};  ///< whose labels are measured; empty: of all
    std::vector<HeadTypeId> types = {}; ///< labels of these types; empty: of all
    bool effects = true;                ///< whether heads are ablated, which takes most of the time
    bool other_input = true;            ///< whether labels are read on other input
    std::string text = {}; ///< a text of the user, whose tokens make one more set; empty: none
    std::size_t most_sequences = 80; ///< AblationEffectQuestion
};

struct ModelTrust {
    std::vector<LabelTrust> labels; ///< by head, each head's labels as labels() has them
    ExpectedFalse expected_false;   ///< of all labels of the model, these and others
    std::vector<std::string> notes; ///< a sentence for each set of input that could not be made
};

/// Shown all labels as far as they are measured: after other input was read, and after each effect.
using PublishTrust = std::function<void(std::span<const LabelTrust>)>;

/// Measures for every label of the model what is known of it beyond its pattern. `scores` are those
/// of scoreHeads(). Other input is read once for all labels. Fails as ablationEffects() and
/// scoreSequences() do, and with ErrorCode::Cancelled on a stop request.
Result<ModelTrust> measureTrust(const std::shared_ptr<const Model>& model, const HeadScores& scores,
                                const Thresholds& thresholds = {}, const TrustOptions& options = {},
                                const Progress& progress = {}, const std::stop_token& stop = {},
                                const PublishTrust& publish = {});

/// The same of a model whose heads are still to be scored, at all default thresholds. Fails as
/// scoreHeads() does, too.
Result<ModelTrust> testLabels(const std::shared_ptr<const Model>& model,
                              const TrustOptions& options = {}, const Progress& progress = {},
                              const std::stop_token& stop = {});

} // namespace headscope
