// Minimal pairs of subject and verb.

#include "core/datasets/agreement_pairs.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <string>

namespace test_agreement_pairs {

using namespace headscope;

class TestAgreementPairs : public QObject {
    Q_OBJECT

private slots:
    void templatesAgree() {
        const auto pairs = agreementPairs(64);
        QCOMPARE(pairs.size(), 64u);
        const std::set<std::string> of_many{"are", "were", "have", "do"};
        std::size_t many = 0;
        std::size_t distracted = 0;
        for (const AgreementPair& pair : pairs) {
            const std::size_t end = pair.beginning.find(' ', 4);
            const bool subjects = pair.beginning[end - 1] == 's';
            const bool others = pair.beginning.back() == 's';
            QVERIFY(pair.beginning.starts_with("The "));
            QCOMPARE(of_many.contains(pair.right), subjects);
            QCOMPARE(of_many.contains(pair.wrong), !subjects);
            many += subjects;
            distracted += subjects != others;
        }
        QCOMPARE(many, 32u);
        QCOMPARE(distracted, 32u);
        QCOMPARE(agreementPairs(64).back().beginning, pairs.back().beginning);
        QVERIFY(agreementPairs(64, 1).front().beginning != pairs.front().beginning ||
                agreementPairs(64, 1)[1].beginning != pairs[1].beginning);
    }

    void bundledSentencesAreCutBeforeTheVerb() {
        const auto pairs = bundledAgreementPairs();
        const auto has = [&](const char* beginning, const char* right, const char* wrong) {
            return std::ranges::any_of(pairs, [&](const AgreementPair& pair) {
                return pair.beginning == beginning && pair.right == right && pair.wrong == wrong;
            });
        };
        QVERIFY(has("The law", "is", "are"));
        QVERIFY(has("The trophy", "does", "do"));
        QVERIFY(has("Tom said, \"I", "have", "has"));
        QVERIFY(has("The two boys shared an apple because they", "were", "was"));
        QVERIFY(pairs.size() >= 20);
    }
};

const headscope::test::TestRegistration<TestAgreementPairs> registration;

} // namespace test_agreement_pairs

#include "test_agreement_pairs.moc"
