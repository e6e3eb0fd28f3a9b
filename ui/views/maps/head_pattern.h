#pragma once

#include "core/base/layer_head.h"
#include "core/engine/run.h"
#include "core/interventions/prompt_alignment.h"
#include "ui/views/maps/pattern_settings.h"
#include "ui/widgets/cell_source.h"

#include <memory>
#include <vector>

namespace headscope::ui {

/// One map of one head.
struct HeadPattern {
    PatternMap map = PatternMap::Attention;
    /// [query, key], recomputed from the run as it is asked for; NaN where the mask hides the key.
    std::shared_ptr<const CellSource> cells;
    /// The same as it is drawn, without the first key perhaps.
    std::shared_ptr<const CellSource> shown;
    /// For a difference: `cells` are `after` less `before`. Null: the map is no difference.
    std::shared_ptr<const CellSource> before;
    std::shared_ptr<const CellSource> after;
    double first_key_share = 0.0; ///< of the attention of all queries but the first
    std::vector<float> first_key; ///< [query], what each query gives it; empty of a difference
    bool rows_are_rescaled = false;
    /// [query], what the head's learned sink takes of its attention; empty of a head without one,
    /// of a difference and of values.
    std::vector<float> learned_sink;

    bool hidesFirstKey() const { return shown != cells; }
    bool isDifference() const { return before != nullptr; }
};

HeadPattern attentionMap(std::shared_ptr<const Run> run, LayerHead head);

/// `norms` are valueNorms() of the same run.
HeadPattern valueWeightedMap(std::shared_ptr<const Run> run, std::shared_ptr<const Tensor> norms,
                             LayerHead head);

/// The attention of `masked` minus that of `full`, a run of the same tokens.
HeadPattern differenceMap(std::shared_ptr<const Run> masked, std::shared_ptr<const Run> full,
                          LayerHead head);

/// The map of the same head in another run minus `pattern`, at the tokens of `pattern`. NaN where
/// no token of the other run, `counterpart` [position of pattern], matches the query or the key.
HeadPattern comparedMap(const HeadPattern& pattern, const HeadPattern& other,
                        std::shared_ptr<const TokenAlignment> counterpart);

/// The mean over all queries but the first of what they give to the first key.
double firstKeyShare(const CellSource& cells);

/// Whether a view that shows patterns with this share leaves the first key out.
bool hidesFirstKey(const PatternSettings& settings, double share);

/// The scale of the colours where a first key with this share is hidden or not.
ValueScale valueScale(const PatternSettings& settings, bool first_key_hidden, double share);

/// The same with nothing in the first column; `rescaled`: rows divided by what is left of them.
std::shared_ptr<const CellSource> withoutFirstKey(std::shared_ptr<const CellSource> cells,
                                                  bool rescaled);

/// Fills first_key and first_key_share. A difference keeps its first key, which does not stand out
/// there.
void readFirstKey(HeadPattern& pattern);

/// `rescaled`: rows divided by what is left of them.
void hideFirstKey(HeadPattern& pattern, bool rescaled);

/// Reads the first key and hides it where the settings say so.
void showPastFirstKey(HeadPattern& pattern, const PatternSettings& settings);

} // namespace headscope::ui
