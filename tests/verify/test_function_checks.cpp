#include "core/verify/checks/function_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/corruptions.h"

#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace test_function_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

/// All alterations are tried on each corruption, as verify does, which takes minutes.
bool thorough() {
    return std::getenv("HEADSCOPE_ALL_ALTERATIONS") != nullptr;
}

std::shared_ptr<const Model> corrupted(const Corruption& corruption) {
    auto model = std::make_shared<Model>(*loadSample(corruption.sample));
    corruption.corrupt(*model);
    return model;
}

std::string said(const std::vector<Check>& checks) {
    std::string text;
    for (const Check& check : checks)
        if (check.outcome == Check::NotVerified)
            text += "\n  " + check.name + ": " + check.measured + " — " + check.explanation;
    return text;
}

/// Whether a check of that kind is not verified and tells that alteration.
bool names(const std::vector<Check>& checks, const Corruption& corruption) {
    return std::ranges::any_of(checks, [&](const Check& check) {
        return check.outcome == Check::NotVerified && check.name == corruption.kind &&
               (check.measured + check.expected).find(corruption.named) != std::string::npos;
    });
}

bool anyNotVerified(const std::vector<Check>& checks) {
    return std::ranges::count(checks, Check::NotVerified, &Check::outcome) != 0;
}

} // namespace

class TestFunctionChecks : public QObject {
    Q_OBJECT

private slots:
    void corruptionIsNamed_data() {
        QTest::addColumn<std::size_t>("index");
        for (std::size_t i = 0; i < corruptions().size(); ++i)
            QTest::newRow(corruptions()[i].name) << i;
    }
    void corruptionIsNamed() {
        QFETCH(std::size_t, index);
        const Corruption& corruption = corruptions()[index];
        FunctionOptions options;
        if (!thorough())
            options.kinds = {corruption.kind};
        const auto checks = require(functionChecks(corrupted(corruption), options));
        if (thorough())
            std::cout << corruption.name << ": "
                      << (anyNotVerified(checks) ? "not verified" : "passed") << said(checks)
                      << std::endl;
        if (std::string(corruption.named).empty())
            return;
        QVERIFY2(names(checks, corruption), said(checks).c_str());
    }
};

const headscope::test::TestRegistration<TestFunctionChecks> registration;

} // namespace test_function_checks

#include "test_function_checks.moc"
