#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/engine/head_mask.h"
#include "core/engine/loss.h"
#include "core/heads/bootstrap.h"
#include "core/heads/head_score.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A line that is no prompt of this model, and why.
struct LineLeftOut {
    std::size_t line = 0; ///< from 1
    std::string reason;
};

/// Prompts that are looked at together.
struct PromptSet {
    std::string name; ///< what results call it: "names.txt"
    std::vector<Prompt> prompts;
    std::vector<LineLeftOut> left_out;
};

/// The largest file that is read as a set of prompts.
constexpr std::size_t kLargestPromptSetBytes = std::size_t{64} << 20;

/// The prompts of a text, one per line: text, or ids for a model without a tokenizer. A line that
/// begins with "{" is JSON and holds its prompt under "prompt" or "text"; of a `name` that ends in
/// .csv or .tsv the first row names the columns, and one of them is called so. A second text may be
/// under "text_pair". Empty lines are passed over. Fails where no line is a prompt, and on a table
/// without such a column.
Result<PromptSet> readPromptSet(const Model& model, std::string_view text, const std::string& name,
                                BosMode bos = BosMode::Auto);

/// What one network makes of a prompt.
struct PromptReading {
    std::optional<double> loss;     ///< mean over its tokens, nats; of causal networks
    std::optional<Prediction> best; ///< at predictedPosition()
};

struct PromptOutcome {
    PromptReading whole;
    PromptReading ablated; ///< the same as `whole` where no head is ablated
    /// Σ p ln(p / q) over the vocabulary at predictedPosition(), nats: of the whole network to the
    /// ablated one.
    std::optional<double> divergence;
    /// The scores of every head in the ablated network, as PromptScores gives them; NaN: not
    /// defined there.
    std::map<HeadTypeId, PerHead<float>> scores;

    std::optional<double> lossChange() const;
    bool keepsBest() const; ///< whether both networks predict the same
};

/// Means over the prompts that have run and say something, each of which counts alike.
struct PromptSetMeans {
    std::optional<double> loss = {}; ///< of the whole network, nats
    // Where heads are ablated:
    std::optional<double> ablated_loss = {};
    Interval change = {}; ///< 95 % of ablated_loss less loss, over prompts; NaN: of one
    std::optional<double> divergence = {};
    std::optional<double> kept_best = {}; ///< share whose best prediction stays
};

struct PromptSetResult {
    std::shared_ptr<const Model> model;
    PromptSet set;
    HeadMask mask;
    std::vector<PromptOutcome> outcomes = {}; ///< by prompt; fewer while it runs
    PromptSetMeans means = {};                ///< meansOf() all, once all have run
    HeadScores scores = {};                   ///< of the heads, means over the prompts; likewise
};

/// Over the outcomes so far, with meanInterval(): for a worker thread.
PromptSetMeans meansOf(const PromptSetResult& result);

/// Hears of what there is each time that some prompts are finished.
using PublishOutcomes = std::function<void(const PromptSetResult& so_far)>;

/// Runs every prompt of the set through the network and, where heads are ablated, through the
/// ablated one, some at a time. Nothing of a run is kept. Fails as runBatch() does, for an empty
/// set, for ablations that need other prompts, and with ErrorCode::Cancelled on a stop request.
Result<PromptSetResult> runPromptSet(const std::shared_ptr<const Model>& model, PromptSet set,
                                     const HeadMask& mask, const Progress& progress = {},
                                     const std::stop_token& stop = {},
                                     const PublishOutcomes& publish = {});

/// "120 prompts of names.txt: loss 3.214 nats, 3.402 with heads ablated (+0.188, 95 % 0.151 to
/// 0.224); 87 % of the predictions stay", and which lines are left out
std::string promptSetText(const PromptSetResult& result);

/// A head, and which of its scores is read.
struct HeadReadingChoice {
    LayerHead head;
    HeadTypeId type = HeadTypeId::Previous;
};

/// "4.1:induction". Fails for a head that is not there and for what is no type of heads.
Result<HeadReadingChoice> parseHeadReading(const std::string& text, const ModelSpec& spec);

/// One row per prompt that has run: prompt, tokens, loss, with a choice the score of that head
/// there, best and its probability; where heads are ablated also loss_ablated, change, kl,
/// best_ablated and its probability. Fields: the means, left_out in JSON. The rows are "prompts".
Table promptSetTable(const PromptSetResult& result, const std::optional<HeadReadingChoice>& choice,
                     const Provenance& provenance);

} // namespace headscope
