#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/head_type.h"
#include "core/heads/input_sequence.h"
#include "core/heads/sequences.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Input of one kind besides that which labels were measured on. Each sequence is run once.
struct OtherInput {
    struct Part {
        std::string name;
        std::vector<std::size_t> sequences; ///< indices
    };

    std::vector<InputSequence> sequences;
    std::vector<Part> sets;  ///< that share no sequence: what a label must hold on
    std::vector<Part> drawn; ///< that are resampled, each for itself
    std::vector<std::string> notes;
};

/// For random tokens: both halves of the vocabulary, tokens of a bundled text and of the user's
/// `text`, which may be empty, and short and long sequences; three seeds of three lengths are
/// resampled. For sentences, indirect-object prompts, sentences
/// that come again and ordinals: five parts, which are resampled
/// together. Sentences that the model cannot read are replaced by repeats, as scoreHeads() does.
/// Fails as what makes the sequences does, and where one set cannot be made alone, says so in the
/// notes.
Result<OtherInput> otherInput(const std::shared_ptr<const Model>& model, InputKind kind,
                              const RepeatOptions& options, const std::string& text,
                              const Progress& progress = {}, const std::stop_token& stop = {});

} // namespace headscope
