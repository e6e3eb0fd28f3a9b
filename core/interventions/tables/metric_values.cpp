#include "core/interventions/tables/metric_values.h"

#include "core/base/text.h"

#include <utility>

namespace headscope {

std::string metricUnit(const Metric& metric) {
    const bool in_nats = metric.kind == MetricKind::Loss || metric.kind == MetricKind::Kl;
    return in_nats ? "nats" : "";
}

std::string metricText(const Metric& metric, double value) {
    const std::string unit = metricUnit(metric);
    return std::string(metricName(metric.kind)) + " " + fixedText(value, 4) +
           (unit.empty() ? "" : " " + unit);
}

Record metricRecord(const Metric& metric) {
    const bool difference = metric.kind == MetricKind::LogitDifference;
    const bool of_token = difference || metric.kind == MetricKind::Probability;
    List targets;
    for (const Target& target : metric.targets)
        targets.push_back(Record{{"position", target.position}, {"token", target.token}});
    return {{"kind", metricName(metric.kind)},
            {"other", difference ? Value(metric.other) : Value()},
            {"position", metric.position},
            {"targets", std::move(targets)},
            {"token", of_token ? Value(metric.token) : Value()}};
}

} // namespace headscope
