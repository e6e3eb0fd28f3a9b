#include "core/model/run_memory.h"

#include <QObject>
#include <QTest>

using namespace headscope;

namespace {

/// Two layers, four query heads that share two KV heads of three dimensions.
ModelSpec smallSpec() {
    ModelSpec spec;
    spec.n_layers = 2;
    spec.d_model = 10;
    spec.n_heads = 4;
    spec.n_kv_heads = 2;
    spec.d_head = 3;
    spec.d_mlp = 20;
    spec.d_vocab = 100;
    return spec;
}

} // namespace

class TestRunMemory : public QObject {
    Q_OBJECT

private slots:
    void countsEveryArray() {
        const RunMemory memory = runMemory(smallSpec(), 5);
        // 4 × d_model + (12 + 6 + 6) + 12 + 2 × 20 floats per token
        QCOMPARE(memory.workspace, std::size_t{5 * (40 + 24 + 12 + 40) * 4});
        // 2 × (12 + 6 + 4) + 100
        QCOMPARE(memory.kept, std::size_t{5 * (44 + 100) * 4});
    }

    void withoutLogitsTheVocabularyCostsNothing() {
        QCOMPARE(runMemory(smallSpec(), 5, false).kept, std::size_t{5 * 44 * 4});
    }

    void absurdLengthsDoNotOverflow() {
        const RunMemory memory = runMemory(smallSpec(), std::size_t{1} << 62);
        QVERIFY(memory.total() > std::size_t{1} << 62);
    }

    void refusalGivesTheFigures() {
        const RunMemory memory = runMemory(smallSpec(), 5);
        QVERIFY(checkRunMemory(memory, 5, memory.total(), "small"));
        const auto refused = checkRunMemory(memory, 5, memory.total() - 1, "small");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::TooLarge);
        QCOMPARE(
            refused.error().message,
            std::string("A run of small over 5 tokens needs 5.20 kB of memory, but 5.20 kB are "
                        "available; close other programs or shorten the prompt."));
    }
};

QTEST_GUILESS_MAIN(TestRunMemory)
#include "test_run_memory.moc"
