#pragma once

#include "core/base/layer_head.h"

#include <map>
#include <string>

namespace headscope {

/// What a user says of a head.
struct HeadNote {
    std::string text;
    bool is_bookmarked = false;

    bool empty() const { return text.empty() && !is_bookmarked; }
    bool operator==(const HeadNote&) const = default;
};
using HeadNotes = std::map<LayerHead, HeadNote>;

/// What both say: where their texts differ, one after the other with " | " between them, and a
/// bookmark of either.
HeadNotes joinedNotes(const HeadNotes& mine, const HeadNotes& theirs);

/// What `theirs` says that `mine` does not.
HeadNote noteBeside(const HeadNote& mine, const HeadNote& theirs);
/// The same for all heads; none is empty.
HeadNotes notesBeside(const HeadNotes& mine, const HeadNotes& theirs);

/// What two have made of `base`: who changed a note is right, and where both did, what both say.
HeadNotes mergedNotes(const HeadNotes& base, const HeadNotes& mine, const HeadNotes& theirs);

} // namespace headscope
