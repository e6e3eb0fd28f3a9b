#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/run.h"

#include <cstddef>
#include <memory>

namespace headscope {

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

} // namespace headscope
