#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/prompt_run.h"
#include "ui/views/maps/pattern_maps.h"
#include "ui/views/maps/pattern_settings.h"
#include "ui/widgets/token_content.h"

#include <QString>
#include <QVector>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace headscope::ui {

/// A prompt as running text: as it was written, with the tokens that a tokenizer added in their
/// places. Characters that draw nothing are escaped. Of a prompt of ids its tokens side by side.
QVector<TextPiece> promptPieces(const RunResult& result);

/// The maps of several heads of one source, drawn on one scale.
struct TokenReading {
    PatternMaps maps;
    std::vector<LayerHead> heads;      ///< that are drawn
    std::size_t chosen = 0;            ///< how many the user chose; more than can be drawn, perhaps
    std::vector<HeadPattern> patterns; ///< of each head
    double first_key_share = 0.0;      ///< mean over the heads
    bool hides_first_key = false;      ///< one answer for all heads
    std::vector<double> largest;       ///< of each head the value of full strength

    const PatternSource& source() const { return maps.source(); }
    /// Whose tokens are shown; null: nothing was read.
    std::shared_ptr<const RunResult> result() const { return source().result; }
};

/// Reads the maps of `heads`, at most kHeadColours of them; `known` are maps from before. Called
/// from worker threads; fails as PatternMaps::read() does.
Result<TokenReading> readTokens(const PatternSource& source, const std::vector<LayerHead>& heads,
                                const PatternSettings& settings, const PatternMaps& known,
                                const std::stop_token& stop);

/// The reading ready for views of tokens, with title and note of figures.
TokenContent tokenContent(const TokenReading& reading, const PatternSettings& settings,
                          const Document& document);

/// "query ‹·to› 14 looks at ‹·Mary› 2 0.620 …", "key ‹·Mary› 2 is read by …"; of several heads
/// "query ‹·to› 14 → L4 H1 ‹·Mary› 2 0.620 · L2 H1 …".
QString readingText(const TokenReading& reading, std::size_t token, TokenDirection direction);

/// The value of one pair of tokens: "query ‹·to› 14 → key ‹·Mary› 2 · …".
QString pairText(const TokenReading& reading, std::size_t query, std::size_t key);

/// What the views leave out: heads, the first key. Empty: nothing.
QString leftOutText(const TokenReading& reading);

} // namespace headscope::ui
