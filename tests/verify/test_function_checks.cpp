#include "core/verify/checks/function_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/corruptions.h"

#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace test_function_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

/// tests/nightly/run: all alterations are tried on all corruptions, as verify does, for minutes.
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
            if (thorough() || corruptions()[i].quick)
                QTest::newRow(corruptions()[i].name) << i;
    }
    void corruptionIsNamed() {
        QFETCH(std::size_t, index);
        const Corruption& corruption = corruptions()[index];
        FunctionOptions options;
        if (!thorough())
            options.kinds = {corruption.kind};
        const auto checks = require(functionChecks(corrupted(corruption), options));
        const bool named = *corruption.named != '\0' && names(checks, corruption);
        if (thorough())
            std::cout << corruption.name << ": "
                      << (anyNotVerified(checks) ? "not verified" : "passed")
                      << (named ? ", named" : ", not named") << said(checks) << std::endl;
        QVERIFY2(named || *corruption.named == '\0', said(checks).c_str());
    }

    void trainedModelsRaiseNoAlarm_data() {
        QTest::addColumn<QString>("sample");
        for (const char* name :
             {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l"})
            if (thorough() || std::string_view(name) == "attn-only-2l")
                QTest::newRow(name) << QString::fromLatin1(name);
    }
    /// On every change with the kinds that could be better by chance.
    void trainedModelsRaiseNoAlarm() {
        QFETCH(QString, sample);
        FunctionOptions options;
        if (!thorough())
            options.kinds = {"Another epsilon of the norms", "Another scale of attention"};
        const auto checks = require(functionChecks(loadSample(sample.toStdString()), options));
        QVERIFY2(!anyNotVerified(checks), said(checks).c_str());
        QCOMPARE(checks[0].outcome, Check::Passed);
        QCOMPARE(checks[1].outcome, Check::Passed);
        QVERIFY(std::ranges::count(checks, Check::Passed, &Check::outcome) > 2);
    }
};

const headscope::test::TestRegistration<TestFunctionChecks> registration;

} // namespace test_function_checks

#include "test_function_checks.moc"
