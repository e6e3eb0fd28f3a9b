#pragma once

#include "core/model/model.h"
#include "core/verify/function/alteration.h"

namespace headscope {

// Kinds of alterations of attention.

AlterationKind exchangedProjections(const Model& model);
AlterationKind transposedProjections(const Model& model);
AlterationKind headOrders(const Model& model);
AlterationKind headCounts(const Model& model);
AlterationKind attentionScales(const Model& model);
AlterationKind masks(const Model& model);

} // namespace headscope
