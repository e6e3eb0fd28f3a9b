#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/checks/check.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// Compares the model with outputs that another program stored. In the file (HDF5 or safetensors)
/// every group with `input_ids` [position] is a prompt, the root too; beside them may be
///
///   logits      [position, d_vocab], relative to the largest within 1e-4
///   attentions  [layer, head, query, key], within 2e-5
///   a value under its hook's name ("blocks/0/attn/hook_pattern") and with its shape: patterns
///   within 2e-5, others relative to the largest within 1e-4
///
/// where axes of size 1 in front (the batch) do not matter. Other datasets are left alone. Fails
/// with what is wrong for a file without such a prompt and for one that does not fit the model.
Result<std::vector<Check>> referenceChecks(const std::shared_ptr<const Model>& model,
                                           const std::filesystem::path& path,
                                           const std::stop_token& stop = {});

} // namespace headscope
