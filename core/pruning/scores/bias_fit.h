#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"

#include <memory>
#include <stop_token>

namespace headscope {

/// The control of compensation: the whole network with b_O of every layer fitted to a text. A
/// compensation with no head removed changes nothing: its target is what the heads write anyway.
/// But a cut that is compensated for also adapts the network to the calibration text, and what that
/// brings by itself is asked here in the same form, d_model numbers a layer: b_O goes down the
/// gradient of the loss on three passages in four, in steps that are kept only where they lower the
/// loss on the fourth. Ridge and rotation change W_O, too, so that of them the control tells less
/// than all. Fails as the runs do.
Result<std::shared_ptr<const Model>> refittedBiases(const std::shared_ptr<const Model>& model,
                                                    const PassageSet& text,
                                                    const std::stop_token& stop = {});

} // namespace headscope
