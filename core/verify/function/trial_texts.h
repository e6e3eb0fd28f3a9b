#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

struct TextSize {
    std::size_t passages = 0;
    std::size_t tokens = 0; ///< of a passage, BOS included
};

/// How much text a model is tried on: by its size, so that a check takes seconds to minutes.
struct TrialSizes {
    std::vector<TextSize> texts;
    bool alterations = true; ///< false: the model is too large to be altered so many times
};
TrialSizes trialSizes(const Model& model, std::size_t alterations);

/// The bundled texts as the model reads them, a passage from each document. Fails with the reason
/// where a model cannot read them or has nothing to predict in them.
Result<PassageSet> bundledPassages(const Model& model);

/// Some of the passages, evenly spread, cut to `tokens` tokens; without those that then have
/// nothing to predict.
std::vector<Passage> somePassages(std::span<const Passage> passages, std::size_t count,
                                  std::size_t tokens);

} // namespace headscope
