#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/hooks.h"
#include "core/engine/pattern_observer.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// Keys and values of the tokens that a causal network has read, so that the tokens after them cost
/// no more than their own. Empty at first; a run that is given it as RunItem::earlier reads its
/// prompt after these tokens and, when it succeeds, adds it to them. For one run at a time.
struct KeyValues {
    struct Layer {
        Tensor k; ///< [token, kv_head, d_head], after norm and rotary
        Tensor v; ///< [token, kv_head, d_head_v]
    };

    /// With room for `room` tokens.
    KeyValues(std::shared_ptr<const Model> of, std::size_t room);

    std::size_t room() const { return room_; }

    std::shared_ptr<const Model> model;
    TokenIds ids; ///< whose keys and values these are
    std::vector<Layer> layers;

private:
    std::size_t room_;
};

/// Whether keys of a text of `before` tokens are the same in one of `after` tokens. Rotary
/// positions that are stretched by the length of the text turn them otherwise.
bool keepsKeys(const ModelSpec& spec, std::size_t before, std::size_t after);

/// What is known of a text whose first tokens were run before: their queries, keys and values. In a
/// causal network no later token changes them, so a run that is given them as RunItem::known
/// multiplies only the rows of the other tokens by weights, and is otherwise a run of the whole
/// text. Hooks that edit must have done to these tokens what they do in the new run.
struct KnownStart {
    std::shared_ptr<const Run> run; ///< null: nothing is known
    std::size_t positions = 0;      ///< that are taken over from it
};

/// The longest start of `ids` that a run knows: all tokens they have in common but the last, so
/// that the one which predicts the first other token is run again. Nothing where there is no such
/// token or checkKnownStart() fails.
KnownStart knownStart(const std::shared_ptr<const Run>& run, const TokenIds& ids);

/// Fails when a run of `ids` through a model cannot begin with what is known: networks that read
/// both ways, another model, other tokens, values that were not kept (Request::keep_values), and
/// positions that are stretched by the length of the text.
Result<void> checkKnownStart(const KnownStart& known, const Model& model, const TokenIds& ids);

/// What a run must deliver; the engine leaves out everything else.
struct Request {
    /// Keep them in Run::logits.
    bool logits = true;
    /// Compute logits at these positions only, ascending; empty: at all.
    std::vector<std::size_t> logit_positions;
    /// Run only the first n layers (no logits then).
    std::optional<std::size_t> layers;
    /// Begin with this layer, from RunItem::resid_pre, in place of the embedding; after the last
    /// one, with the final norm.
    std::size_t first_layer = 0;
    /// Keep queries, keys and log Σ exp, from which Run::pattern is computed.
    bool keep_attention = true;
    /// With keep_attention: keep values, too, so that the run can be the start of another
    /// (RunItem::known).
    bool keep_values = false;
    /// Compute what the attention of the last layer writes even when nobody reads it, so that the
    /// run is refused where that is not finite: for those who read its parts and multiply
    /// themselves.
    bool last_attention_output = false;
    /// Told after each layer how far the run is.
    Progress progress = {};
    /// Allow prompts longer than the context the model was built for, where its positions can be
    /// continued: rotary, ALiBi or none.
    bool beyond_context = false;
};

/// One prompt of a batch. The prompts of a batch may have different lengths: their rows are packed
/// one under another, without padding, and share every product with a weight matrix.
struct RunItem {
    TokenIds ids;
    /// Called for this prompt alone, with shapes as if it ran alone.
    HookSet hooks;

    /// [position, d_model] as it enters Request::first_layer; when that is not 0, or with `z`.
    std::shared_ptr<const Tensor> resid_pre;
    /// [position, head, d_head] of the first layer, whose attention is then not computed; hook_z
    /// sees a copy of it. For all prompts of a batch or for none.
    std::shared_ptr<const Tensor> z;

    /// What was read before: `ids` go on after these tokens and are added to them. Positions in
    /// the request, in hooks and of logits count `ids` alone. Only for whole runs of causal
    /// networks that keep no attention and whose patterns no hook looks at.
    std::shared_ptr<KeyValues> earlier;

    /// What an earlier run of this text's first tokens knows. Observers and hooks see the whole
    /// text as if all of it were run, but only values, scores, patterns and z can be hooked, and
    /// values not be edited; logits are computed after the known positions alone. Only for whole
    /// runs that keep attention and values.
    KnownStart known;

    /// A run of the same model and length: its patterns take the place of the prompt's own ones
    /// (Olsson et al. 2022, pattern-preserving ablation).
    std::shared_ptr<const Run> frozen_patterns;

    /// See the patterns of the layers that are computed.
    std::vector<PatternObserver*> observers;
    /// Called with every row of logits that was asked for, by several threads at a time and in any
    /// order; they need not be kept for that.
    std::function<void(std::size_t position, std::span<const float> logits)> read_logits;
};

} // namespace headscope
