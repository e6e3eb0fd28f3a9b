#pragma once

#include "core/interventions/prompt_alignment.h"
#include "ui/document/prompt_run.h"

#include <QStringList>

#include <memory>
#include <optional>

namespace headscope::ui {

/// Of two runs that are compared, what stands on screen.
enum class Side {
    A,
    B,
    Difference, ///< B − A, at the tokens of A
};

/// "A", "B", "B − A"
QString sideName(Side side);

/// What maps of heads are drawn of: one run, or how far another is from it.
struct PatternSource {
    std::shared_ptr<const RunResult> result; ///< its tokens are rows and columns; null: nothing ran
    /// Maps are those of `other` less those of `result`; null: those of `result`.
    std::shared_ptr<const RunResult> other;
    /// [position of result] → that of other
    std::shared_ptr<const TokenAlignment> other_of;
    std::optional<Side> side; ///< none: nothing is compared

    bool operator==(const PatternSource&) const = default;

    /// One label per row; where other tokens stand for them, both: "·Mary → ·Anna".
    QStringList labels() const;
};

} // namespace headscope::ui
