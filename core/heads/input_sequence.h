#pragma once

#include "core/base/token_id.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headscope {

struct Annotation;
struct NameTask;
struct NeedleTask;
struct OrdinalTask;

/// A token sequence that heads are scored on. `period` is set for BOS + X + X (or X + X): the
/// length of X, whose tokens are all different.
struct InputSequence {
    TokenIds ids;
    bool has_bos = false; ///< position 0 is BOS, which is no content
    std::optional<std::size_t> period = std::nullopt;
    std::shared_ptr<const Annotation> annotation = nullptr; ///< of a sentence whose words are known
    std::shared_ptr<const NameTask> names = nullptr;        ///< of an indirect-object prompt
    std::shared_ptr<const NeedleTask> needle = nullptr;     ///< of a sentence that comes again
    std::shared_ptr<const OrdinalTask> ordinal = nullptr;   ///< of one word of a series

    /// The first position that holds content.
    std::size_t firstContent() const { return has_bos ? 1 : 0; }
};

/// The keys that a perfect head of some type would attend to, for query q of a sequence; empty:
/// this query is not scored.
using Targets =
    std::function<std::vector<std::size_t>(const InputSequence& sequence, std::size_t q)>;

} // namespace headscope
