#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/hooks.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What replaces the z of an ablated head.
enum class AblationKind {
    Zero,     ///< zeros
    Mean,     ///< its mean over the positions of this prompt
    TextMean, ///< its mean over all positions of other prompts
    Resample, ///< its value at the same position of another prompt
};

/// "zero", "mean", "text-mean", "resample"
std::string_view ablationKindName(AblationKind kind);

/// What TextMean and Resample put in place of z, by layer: [1 or position, head, d_head].
using StandIns = std::map<std::size_t, Tensor>;

/// Which heads are ablated and how. A value: compare, copy, combine.
class HeadMask {
public:
    /// All of them in the same way.
    static HeadMask of(std::span<const LayerHead> heads, AblationKind kind);

    void set(LayerHead head, AblationKind kind) { ablated_[head] = kind; }
    void clear(LayerHead head) { ablated_.erase(head); }
    bool isAblated(LayerHead head) const { return ablated_.contains(head); }
    bool empty() const { return ablated_.empty(); }
    std::size_t size() const { return ablated_.size(); }
    /// Whether some head is replaced by what other prompts give.
    bool needsStandIns() const;
    /// Whether z of a head at one position depends on later positions.
    bool hangsOnWholeText() const;
    const std::map<LayerHead, AblationKind>& heads() const { return ablated_; }

    /// "4.1 4.2"
    std::string text() const;
    bool operator==(const HeadMask&) const = default;

private:
    std::map<LayerHead, AblationKind> ablated_;
};

/// Fails for a head that this network does not have.
Result<void> checkHead(LayerHead head, const ModelSpec& spec);

/// "4.1" → head; fails on anything that is no head of this network.
Result<LayerHead> parseHead(std::string_view text, const ModelSpec& spec);

/// "4.1,4.2" or "4.1 4.2" → heads, in this order; lines may part them, too. None for an empty text.
/// Fails on anything that is no head of this network.
Result<std::vector<LayerHead>> parseHeads(std::string_view text, const ModelSpec& spec);

/// The same as a mask of one kind.
Result<HeadMask> parseHeadMask(std::string_view text, const ModelSpec& spec, AblationKind kind);

/// Fails for a mask that needs StandIns, where none can be given.
Result<void> checkWithoutStandIns(const HeadMask& mask);

/// Adds the editors of hook_z that carry the mask out: a head lives in z, before W_O. `stand_ins`
/// must have every layer with a head of TextMean or Resample.
void addAblation(HookSet& hooks, const HeadMask& mask, const ModelSpec& spec,
                 const std::shared_ptr<const StandIns>& stand_ins = {});

} // namespace headscope
