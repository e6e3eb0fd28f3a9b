#pragma once

#include "core/base/result.h"
#include "core/engine/hook_set.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// The hooks of one run, looked up by hook point: calls them, keeps captures, and writes the audit.
/// Belongs to one run on one thread.
class HookDispatch {
public:
    /// Fails when a glob matches no hook point of this network, or none of the first
    /// `layers_run` layers.
    static Result<HookDispatch> make(const ModelSpec& spec, const HookSet& hooks,
                                     std::size_t layers_run, bool logits_run);

    bool wants(HookPoint point) const { return by_point_.contains(point); }
    bool wantsAny(std::span<const HookKind> kinds, std::size_t layer) const;
    /// Whether a hook may change the value here.
    bool edits(HookPoint point) const;

    void fire(HookPoint point, const MutableTensorView& value);

    std::map<std::string, Tensor>& captured() { return captured_; }
    std::vector<HookAudit>& audit() { return audit_; }

private:
    HookDispatch(const ModelSpec& spec, const HookSet& hooks) : spec_(&spec), hooks_(&hooks) {}
    void runEditor(std::size_t hook, HookPoint point, const MutableTensorView& value);

    const ModelSpec* spec_;
    const HookSet* hooks_;
    std::map<HookPoint, std::vector<std::size_t>> by_point_; ///< indices into the hook set
    std::map<std::string, Tensor> captured_;
    std::vector<HookAudit> audit_;
};

} // namespace headscope
