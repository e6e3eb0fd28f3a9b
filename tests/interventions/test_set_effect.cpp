// All heads of a type together, on the hand-built circuit.

#include "core/export/table_files.h"
#include "core/interventions/set_effect.h"
#include "core/interventions/tables.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace test_set_effect {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

class TestSetEffect : public QObject {
    Q_OBJECT

private slots:
    // Neither twin is needed while the other is there; both are.
    void headsThatStandInForOneAnotherAreNeededTogether() {
        const auto model = loadSample("induction-circuit");
        TypeEffectQuestion question;
        question.type = HeadTypeId::Induction;
        question.by.kind = AblationKind::Zero;
        const SetEffect result = require(typeEffect(model, question));
        QCOMPARE(result.question.heads, (HeadSet{{1, 0}, {1, 3}}));
        QCOMPARE(result.sequences, std::size_t{10});
        QVERIFY(result.verdict() == EffectVerdict::Needed);
        QVERIFY(std::abs(result.difference - std::log(28.0)) < 0.01); // nothing is known
        QCOMPARE(result.others.size(), std::size_t{1}); // of two heads there is one set
        QVERIFY2(setEffectText(result).starts_with("Needed: ablating the 2 heads 1.0 1.3 by zero "
                                                   "raises the loss on the second copy by 3.33"),
                 setEffectText(result).c_str());
        const auto json =
            nlohmann::json::parse(tableJson(setEffectTable(result, HeadTypeId::Induction, {})));
        QVERIFY(json["heads"] == "1.0 1.3" && json["verdict"] == "needed");
        QVERIFY(json["others"][0]["heads"] == "1.1 1.2" || json["others"][0]["heads"] == "1.2 1.1");
    }

    void randomSetsAreOfTheSameLayers() {
        const auto model = loadSample("gpt2-mini-6l");
        const HeadSet heads{{4, 1}, {4, 2}, {2, 0}};
        SetEffectQuestion question;
        question.heads = heads;
        question.sets = 3;
        const EffectInput input{
            require(repeatedRandomSequences(*model, {.sequences = 2, .period = 5}))};
        const SetEffect result = require(setEffect(model, input, question));
        std::set<HeadSet> drawn;
        for (const SetEffect::Other& other : result.others) {
            drawn.insert(other.heads);
            QCOMPARE(other.heads.size(), std::size_t{3});
            for (std::size_t i = 0; i < heads.size(); ++i) {
                QCOMPARE(other.heads[i].layer, heads[i].layer);
                QVERIFY(std::ranges::find(heads, other.heads[i]) == heads.end());
            }
            QVERIFY(!(other.heads[0] == other.heads[1]));
        }
        QVERIFY(drawn.size() > 1);
        question.seed = 1;
        QVERIFY(require(setEffect(model, input, question)).others[0].heads !=
                result.others[0].heads);
    }

    void refusals() {
        const auto model = loadSample("induction-circuit");
        QVERIFY(!setEffect(model, {}, {}));
        SetEffectQuestion question;
        question.heads = {{1, 0}};
        QVERIFY(!setEffect(model, {}, question));
        TypeEffectQuestion none;
        none.type = HeadTypeId::Quotation;
        QVERIFY(!typeEffect(model, none));
    }
};

const headscope::test::TestRegistration<TestSetEffect> registration;

} // namespace test_set_effect

#include "test_set_effect.moc"
