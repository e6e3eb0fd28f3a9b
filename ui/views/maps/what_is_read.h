#pragma once

#include "ui/document/document.h"

#include <QString>

#include <cstddef>
#include <optional>

namespace headscope::ui {

/// The query whose row says what the selected head reads: the locked one of what is shown or,
/// without one, the last. Nothing without a run.
std::optional<std::size_t> readQuery(const Document& document);

/// "‹·to› 14 reads ‹·Mary› 2 0.620 · ‹·John› 4 0.210": the keys that take most of the attention.
QString readsText(const RunResult& result, LayerHead head, std::size_t query);

} // namespace headscope::ui
