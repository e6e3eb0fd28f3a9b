// Networks of random weights have no heads of any type: under 1 % of them may get its label by
// chance. tests/benchmarks/README.md has the figures.

#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "tests/support/runner.h"
#include "tests/support/untrained_models.h"

#include <QTest>

#include <map>

namespace test_false_positives {

using namespace headscope;
using headscope::test::Sharpness;
using headscope::test::untrainedModels;

class TestFalsePositives : public QObject {
    Q_OBJECT

private slots:
    void underOneInAHundredForEachType() {
        std::map<HeadTypeId, std::size_t> labelled;
        std::size_t heads = 0;
        for (const auto& model : untrainedModels(Sharpness::AsTrained)) {
            const auto scores = scoreHeads(model);
            QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
            heads += scores->heads.size();
            for (const LayerHead head : scores->heads)
                for (const HeadTypeId id : labels(*scores, head, Thresholds()))
                    ++labelled[id];
        }
        QCOMPARE(heads, std::size_t{10 * 4 * 8});
        for (const auto& [id, count] : labelled)
            QVERIFY2(count * 100 < heads,
                     qPrintable(QStringLiteral("%1: %2 of %3 heads")
                                    .arg(QString::fromUtf8(headType(id).key.data()))
                                    .arg(count)
                                    .arg(heads)));
    }
};

const headscope::test::TestRegistration<TestFalsePositives> registration;

} // namespace test_false_positives

#include "test_false_positives.moc"
