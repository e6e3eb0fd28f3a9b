#pragma once

#include "core/base/table.h"
#include "core/interventions/metric.h"

#include <string>

namespace headscope {

/// Whether the metric has the unit nats.
bool inNats(const Metric& metric);

/// "loss 2.3142 nats"
std::string metricText(const Metric& metric, double value);

/// Its settings in JSON: kind, other, position, targets, token. What it does not read is nothing.
Record metricRecord(const Metric& metric);

} // namespace headscope
