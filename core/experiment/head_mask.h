#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/hook_set.h"
#include "core/model/model_spec.h"

#include <map>
#include <string>
#include <string_view>

namespace headscope {

/// What stands in for the z of a head that is switched off.
enum class AblationKind {
    Zero, ///< zeros
    Mean, ///< its mean over the positions of this prompt
};

std::string_view ablationKindName(AblationKind kind);

/// Which heads are switched off and how. A value: compare, copy, combine.
class HeadMask {
public:
    void set(LayerHead head, AblationKind kind) { off_[head] = kind; }
    void clear(LayerHead head) { off_.erase(head); }
    bool isOff(LayerHead head) const { return off_.contains(head); }
    bool empty() const { return off_.empty(); }
    std::size_t size() const { return off_.size(); }
    const std::map<LayerHead, AblationKind>& heads() const { return off_; }

    /// "4.1 4.2"
    std::string text() const;
    bool operator==(const HeadMask&) const = default;

private:
    std::map<LayerHead, AblationKind> off_;
};

/// "4.1,4.2" or "4.1 4.2" → mask; an empty text is the empty mask. Fails on anything that is no
/// head of this network.
Result<HeadMask> parseHeadMask(std::string_view text, const ModelSpec& spec, AblationKind kind);

/// Adds the editors of hook_z that carry the mask out: a head lives in z, before W_O.
void addAblation(HookSet& hooks, const HeadMask& mask, const ModelSpec& spec);

} // namespace headscope
