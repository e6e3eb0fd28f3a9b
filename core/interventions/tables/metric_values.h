#pragma once

#include "core/base/table.h"
#include "core/interventions/metric.h"

#include <string>

namespace headscope {

/// "nats"; empty for a metric without one.
std::string metricUnit(const Metric& metric);

/// "loss 2.3142 nats"
std::string metricText(const Metric& metric, double value);

/// Its settings in JSON: kind, other, position, targets, token. What it does not read is nothing.
Record metricRecord(const Metric& metric);

} // namespace headscope
