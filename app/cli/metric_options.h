#pragma once

#include "core/interventions/metric_words.h"

namespace CLI {
class App;
}

namespace headscope::cli {

/// --metric, --tokens, --target and --position
void addMetricOptions(CLI::App& app, MetricWords& options);

/// Refuses a metric without the tokens it reads, and tokens that it does not read. Only for
/// callbacks of CLI11.
void checkMetricUsage(const MetricWords& options);

} // namespace headscope::cli
