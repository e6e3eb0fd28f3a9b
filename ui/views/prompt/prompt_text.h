#pragma once

#include "core/engine/run.h"
#include "core/interventions/prompt_alignment.h"
#include "ui/document/prompt_run.h"
#include "ui/markup/markup.h"
#include "ui/widgets/token_strip.h"

#include <QColor>
#include <QString>
#include <QVector>

#include <vector>

namespace headscope::ui {

/// The tokens of a result.
QVector<TokenChip> tokenChips(const RunResult& result);

/// The same beside those of a run it is compared with: chips without an equal counterpart are
/// framed, and say which token matches them. `counterpart` [position of result] → of other.
QVector<TokenChip> comparedChips(const RunResult& result, const RunResult& other,
                                 const TokenAlignment& counterpart);

/// A token of the vocabulary as it is shown: "·Mary".
QString shownToken(const Model& model, TokenId id);
/// shownToken(), or "class 1" where logits belong to classes.
QString shownOutput(const Model& model, TokenId id);

/// How much of the text the model does not get to see; empty when it sees all of it.
QString unknownText(const RunResult& result);
/// Why there is nothing to predict.
QString noPredictionText(const Model& model);

/// "next: ·Mary 41 % ·the 12 % …", or why nothing is predicted, and before it how many tokens the
/// tokenizer does not know; with ablated heads the probability that the whole model gives is beside
/// it, in this colour. Rich text.
Markup predictionText(const RunResult& result, const QColor& before);

/// The change of each token's loss as a bar, −1..1: full length for the largest change, but for no
/// less than a tenth of a nat. Empty without ablated heads.
std::vector<double> lossChangeBars(const RunResult& result);

/// Why the prompt starts with BOS or not, and what clicking does. Rich text.
Markup bosTooltip(const RunResult& result, BosMode mode);

} // namespace headscope::ui
