#pragma once

#include "core/engine/head_mask.h"
#include "ui/document/prompt_run.h"
#include "ui/markup/markup.h"

#include <QString>

namespace headscope::ui {

/// Nats with three decimals: single heads often cost only thousandths.
QString lossNumber(double nats);
/// "+0.206", "−0.031"
QString signedNats(double difference);

/// "1 head ablated", "2 heads ablated"
QString ablatedText(const HeadMask& mask);

/// "Loss 2.412 → 2.618 (+0.206, 2 heads ablated)", or why there is no loss.
QString lossText(const RunResult& result);

/// What the ablated heads change, in one line: loss, predictions, KL divergence.
Markup ablationMarkup(const RunResult& result);
/// What its numbers mean.
QString ablationTip(const RunResult& result);

} // namespace headscope::ui
