#pragma once

#include "core/base/result.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/verify/checks/check.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Watches every hook point of the network in one run, and edits every one to what it was in
/// another.
Result<std::vector<Check>> hookChecks(const std::shared_ptr<const Model>& model,
                                      const TokenIds& ids, const std::stop_token& stop = {});

/// Every hook must have fired once, and with a value of the shape that is promised: `misshapen`
/// counts those of another.
Check firedCheck(std::span<const HookAudit> audit, std::size_t misshapen);

/// Two runs of one prompt: hooks that watch, and at the same points editors that change nothing.
struct WatchedAndEdited {
    std::shared_ptr<const Run> watched;
    std::shared_ptr<const Run> edited;
};

/// Their outputs must be the same to the bit.
Check identityEditCheck(std::span<const WatchedAndEdited> runs);

/// Whether a query sees what its mask allows and nothing else.
Result<std::vector<Check>> maskChecks(const std::shared_ptr<const Model>& model,
                                      const TokenIds& ids, const std::stop_token& stop = {});

/// Checks every pattern of a run: rows sum to 1, and weights are 0 where the mask hides a key.
std::vector<Check> patternChecks(const Run& run);

/// Outputs [position, width] of two prompts that differ in the token at `changed` alone. In a
/// causal model earlier rows must be the same; in a bidirectional one they must not.
Check laterTokenCheck(bool causal, const Tensor& before, const Tensor& after, std::size_t changed);

/// Runs the model on one thread, on two, and on every build of the kernels that this machine can
/// use. Changes threads and kernels of the whole process while it lasts, so that nothing else may
/// compute meanwhile.
Result<std::vector<Check>> settingChecks(const std::shared_ptr<const Model>& model,
                                         const TokenIds& ids, const std::stop_token& stop = {});

/// The same outputs under another setting.
Check sameOutputCheck(std::string name, const Tensor& found, const Tensor& expected);

} // namespace headscope
