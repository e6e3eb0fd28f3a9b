#pragma once

#include "core/interventions/token_dependence.h"
#include "tests/support/models.h"

#include <QString>

#include <map>
#include <memory>

namespace headscope::test {

/// Longer than the windows of the fixtures.
inline const TokenIds kIds{5, 17, 3, 42, 5, 17, 9, 30, 2, 11, 60, 7};

/// The same model for all rows of a test.
inline std::shared_ptr<const Model> fixtureNamed(const QString& name) {
    static std::map<QString, std::shared_ptr<const Model>> loaded;
    auto& model = loaded[name];
    if (!model)
        model = loadFixture(name.toStdString());
    return model;
}

inline Metric difference(TokenId token, TokenId other) {
    Metric metric;
    metric.kind = MetricKind::LogitDifference;
    metric.token = token;
    metric.other = other;
    return metric;
}

/// With token 13 as the baseline.
inline TokenQuestion questionBy(TokenMethod method, const TokenReading& reading) {
    TokenQuestion question;
    question.ids = kIds;
    question.reading = reading;
    question.methods = {method};
    question.baseline = TokenBaseline{13};
    return question;
}

} // namespace headscope::test
