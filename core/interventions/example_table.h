#pragma once

#include "core/base/table.h"
#include "core/heads/example.h"
#include "core/interventions/example_rows.h"

#include <string>
#include <vector>

namespace headscope {

/// The tokens up to `before` in front of the row's query and `behind` it, joined; "…" where more
/// follows.
std::string exampleContext(const HeadExample& example, std::size_t before, std::size_t behind);

/// One row per example: head, interval, weight, query and key with their tokens (nothing where the
/// weight is 0), keys (in JSON, the largest of the row), sequence, text; where effects were
/// measured next_token, loss, loss_ablated, change. Fields: input; in JSON heads with histogram and
/// means. The rows are "examples".
Table exampleTable(const std::vector<ExampleRows>& heads, const std::string& input,
                   const Provenance& provenance);

} // namespace headscope
