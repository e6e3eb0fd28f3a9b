#pragma once

#include "core/base/result.h"
#include "core/engine/hook_point.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// What one hook did during a run.
struct HookAudit {
    std::string glob;
    bool editor = false;
    std::size_t fired = 0;            ///< calls
    std::size_t changed_elements = 0; ///< editors: elements that are different afterwards
    double max_change = 0.0;          ///< editors: largest |after − before|
};

/// Functions to call at hook points during one run, in the order of registration. Names are
/// TransformerLens's, with '*' and '?' as wild cards. A hook can be for one head, where the value
/// has heads: it then gets a view of that head alone, with the head axis kept (size 1), and scores
/// and patterns are held in memory for that head only.
class HookSet {
public:
    using Observer = std::function<void(HookPoint, TensorView)>;
    using Editor = std::function<void(HookPoint, MutableTensorView)>;
    using Head = std::optional<std::size_t>; ///< of keys and values: KV heads

    void observe(std::string glob, Observer observer, Head head = {});
    void edit(std::string glob, Editor editor, Head head = {});
    /// Keeps a copy of the value in Run::captured, of one head as "blocks.0.attn.hook_z.3".
    void capture(std::string glob, Head head = {});

    bool empty() const { return hooks_.empty(); }

    struct Hook {
        std::string glob;
        Observer observer; ///< exactly one of the two is set, none for a capture
        Editor editor;
        Head head;
    };
    const std::vector<Hook>& hooks() const { return hooks_; }

private:
    std::vector<Hook> hooks_;
};

} // namespace headscope
