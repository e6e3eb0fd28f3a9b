#pragma once

#include "ui/widgets/cell_source.h"
#include "ui/widgets/heatmap_cells.h"

#include <QString>
#include <QStringList>
#include <QVector>

#include <cstddef>
#include <memory>
#include <vector>

namespace headscope::ui {

/// A piece of running text and its tokens: one, or those that share a character.
struct TextPiece {
    QString text;
    std::size_t first = 0;  ///< of the tokens
    std::size_t tokens = 1; ///< 0: text between tokens
    bool special = false;   ///< has no text
};

/// The map of one head, [query, key], as views of tokens draw it.
struct TokenHead {
    QString name;
    std::shared_ptr<const CellSource> cells; ///< NaN: not visible
    CellColours scale;                       ///< from a value to its strength; Diverging: with sign
};

/// What views of tokens show: a prompt, and where the heads look in it.
struct TokenContent {
    QVector<TextPiece> text;
    QStringList labels;       ///< of each token
    QVector<TokenHead> heads; ///< drawn in headColour() by their place
    QString title;            ///< of figures
    QString note;             ///< under figures

    std::size_t tokens() const { return static_cast<std::size_t>(labels.size()); }
};

enum class TokenDirection {
    Reads,  ///< the keys that a token as a query looks at
    ReadBy, ///< the queries that look at a token as a key
};

/// How strongly to draw a value: 0..1, with the sign of a difference; NaN stays NaN.
float strengthOf(float value, const CellColours& scale);

/// The strengths of all tokens beside one, [token].
std::vector<float> strengthsAround(const TokenHead& head, std::size_t token,
                                   TokenDirection direction);

/// The same of some queries, [query, key].
Tensor strengthsOf(const TokenHead& head, const CellRange& queries);

} // namespace headscope::ui
