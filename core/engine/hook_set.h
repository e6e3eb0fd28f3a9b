#pragma once

#include "core/base/result.h"
#include "core/engine/hook_point.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace headscope {

/// What one hook did during a run.
struct HookAudit {
    std::string glob; ///< name or glob of the hook points it was for
    bool editor = false;
    std::size_t fired = 0;            ///< calls
    std::size_t changed_elements = 0; ///< editors: elements that are different afterwards
    double max_change = 0.0;          ///< editors: largest |after − before|
};

/// Which hook points are meant: one, those of a kind in every layer, or those whose names match a
/// glob, as a user writes them. Names are TransformerLens's, with '*' and '?' as wild cards.
class HookSelector {
public:
    HookSelector(HookPoint point) : selected_(point) {}
    HookSelector(HookKind kind) : selected_(kind) {}
    HookSelector(std::string glob) : selected_(std::move(glob)) {}
    HookSelector(const char* glob) : selected_(std::string(glob)) {}

    /// Globs match as hookMatches() does; points and kinds need not be spelled out.
    bool matches(const ModelSpec& spec, HookPoint point) const;
    /// Whether a glob that matches the point contains the last part of the point's name.
    bool spellsOut(const ModelSpec& spec, HookPoint point) const;
    /// The name or the glob.
    std::string text(const ModelSpec& spec) const;

private:
    std::variant<HookPoint, HookKind, std::string> selected_;
};

/// Functions to call at hook points during one run, in the order of registration. A hook can be for
/// one head, where the value has heads: it then gets a view of that head alone, with the head axis
/// kept (size 1), and scores and patterns are held in memory for that head only.
class HookSet {
public:
    using Observer = std::function<void(HookPoint, TensorView)>;
    using Editor = std::function<void(HookPoint, MutableTensorView)>;
    using Head = std::optional<std::size_t>; ///< its place on the head axis

    void observe(HookSelector where, Observer observer, Head head = {});
    void edit(HookSelector where, Editor editor, Head head = {});
    /// Keeps a copy of the value in Run::captured, of one head in Run::captured_heads.
    void capture(HookSelector where, Head head = {});

    /// Behind those that are there.
    void add(const HookSet& others);

    bool empty() const { return hooks_.empty(); }

    struct Hook {
        HookSelector where;
        Observer observer; ///< exactly one of the two is set, none for a capture
        Editor editor;
        Head head;
    };
    const std::vector<Hook>& hooks() const { return hooks_; }

private:
    std::vector<Hook> hooks_;
};

} // namespace headscope
