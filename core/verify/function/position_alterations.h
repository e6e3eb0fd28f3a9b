#pragma once

#include "core/model/model.h"
#include "core/verify/function/alteration.h"

namespace headscope {

// Kinds of alterations of what tells tokens' positions.

AlterationKind rotations(const Model& model);
AlterationKind positions(const Model& model);

} // namespace headscope
