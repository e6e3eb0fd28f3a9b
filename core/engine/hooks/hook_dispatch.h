#pragma once

#include "core/base/result.h"
#include "core/engine/hooks.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// Which part of the network a run goes through.
struct RunExtent {
    std::size_t first_layer = 0;
    std::size_t end_layer = 0; ///< one past the last that runs
    bool starts_at_z = false;  ///< of the first layer
    bool ends = true;          ///< goes on after the blocks: final norm and unembedding
};

/// The hook points of this network that the run reaches, in the order in which they fire.
std::vector<HookPoint> reachedPoints(const ModelSpec& spec, const RunExtent& extent);

/// The hooks of one prompt, looked up by hook point: calls them, keeps captures, and writes the
/// audit. Belongs to one run on one thread.
class HookDispatch {
public:
    /// Fails when a glob matches no hook point of this network, or none that the run reaches, or
    /// when a hook for one head matches a value without that head.
    static Result<HookDispatch> make(const ModelSpec& spec, const HookSet& hooks,
                                     const RunExtent& extent);

    bool wants(HookPoint point) const { return by_point_.contains(point); }
    bool wantsAny(std::span<const HookKind> kinds, std::size_t layer) const;
    /// Whether a hook looks at anything that comes after z of the last layer.
    bool readsPastLastZ() const { return reads_past_last_z_; }
    /// The first point that a hook looks at which is of none of these kinds.
    std::optional<HookPoint> firstBeside(std::span<const HookKind> kinds) const;
    /// Whether a hook may change the value here.
    bool edits(HookPoint point) const;
    /// Heads whose scores or patterns a hook of this layer looks at, ascending.
    std::vector<std::size_t> patternHeads(std::size_t layer) const;

    /// How many numbers captures will hold after a run over `positions` tokens.
    double capturedNumbers(std::size_t positions) const;

    void fire(HookPoint point, const MutableTensorView& value);
    /// The same for scores or patterns [head, query, key] of `heads` alone.
    void fireHeads(HookPoint point, const MutableTensorView& value,
                   std::span<const std::size_t> heads);

    std::map<HookPoint, Tensor>& captured() { return captured_; }
    std::map<std::pair<HookPoint, std::size_t>, Tensor>& capturedHeads() { return captured_heads_; }
    std::vector<HookAudit>& audit() { return audit_; }

private:
    HookDispatch(const ModelSpec& spec, const HookSet& hooks) : spec_(&spec), hooks_(&hooks) {}
    void call(std::size_t hook, HookPoint point, const MutableTensorView& value);
    void runEditor(std::size_t hook, HookPoint point, const MutableTensorView& value);

    const ModelSpec* spec_;
    const HookSet* hooks_;
    std::map<HookPoint, std::vector<std::size_t>> by_point_; ///< indices into the hook set
    bool reads_past_last_z_ = false;
    std::map<HookPoint, Tensor> captured_;
    std::map<std::pair<HookPoint, std::size_t>, Tensor> captured_heads_;
    std::vector<HookAudit> audit_;
};

} // namespace headscope
