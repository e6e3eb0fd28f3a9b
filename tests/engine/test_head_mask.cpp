#include "core/engine/head_mask.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <string>

namespace test_head_mask {

using namespace headscope;

namespace {

ModelSpec specOf(std::size_t layers, std::size_t heads) {
    ModelSpec spec;
    spec.n_layers = layers;
    spec.n_heads = heads;
    spec.n_kv_heads = heads;
    spec.d_head = 2;
    return spec;
}

/// z [position, head, d_head] = 100 · position + 10 · head + dimension, after the mask's editors.
Tensor ablated(const HeadMask& mask, std::size_t layer) {
    HookSet hooks;
    addAblation(hooks, mask, specOf(2, 3));
    Tensor z({4, 3, 2});
    for (std::size_t i = 0; i < z.size(); ++i)
        z.data()[i] = static_cast<float>(100 * (i / 6) + 10 * (i / 2 % 3) + i % 2);
    for (const HookSet::Hook& hook : hooks.hooks())
        if (hook.where.matches(specOf(2, 3), {HookKind::Z, layer}))
            hook.editor({HookKind::Z, layer}, z.view());
    return z;
}

} // namespace

class TestHeadMask : public QObject {
    Q_OBJECT

private slots:
    void parses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("mask");
        QTest::newRow("commas") << QStringLiteral("4.1,4.2") << QStringLiteral("4.1 4.2");
        QTest::newRow("lines") << QStringLiteral("4.1\r\n4.2\n") << QStringLiteral("4.1 4.2");
        QTest::newRow("spaces") << QStringLiteral(" 4.1  4.2 ") << QStringLiteral("4.1 4.2");
        QTest::newRow("sorted") << QStringLiteral("5.0, 0.7") << QStringLiteral("0.7 5.0");
        QTest::newRow("twice") << QStringLiteral("1.1,1.1") << QStringLiteral("1.1");
        QTest::newRow("none") << QString() << QString();
    }
    void parses() {
        QFETCH(QString, text);
        QFETCH(QString, mask);
        const auto parsed = parseHeadMask(text.toStdString(), specOf(6, 8), AblationKind::Mean);
        QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
        QCOMPARE(parsed->text(), mask.toStdString());
        for (const auto& [head, kind] : parsed->heads())
            QCOMPARE(kind, AblationKind::Mean);
        QVERIFY(*parseHeadMask(parsed->text(), specOf(6, 8), AblationKind::Mean) == *parsed);
    }

    void refuses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const QString no_head = QStringLiteral("\"%1\" is no head; write LAYER.HEAD, such as 0.1.");
        for (const char* text : {"4", "4.", ".1", "4.x", "4.1.2", "-1.0", "a", "4:1", "+4.1"})
            QTest::newRow(text) << QString::fromLatin1(text)
                                << no_head.arg(QString::fromLatin1(text));
        const QString no_such =
            QStringLiteral("There is no head %1: this network has layers 0 to 5 and heads 0 to 7.");
        for (const char* text : {"6.0", "0.8", "99999.0"})
            QTest::newRow(text) << QString::fromLatin1(text)
                                << no_such.arg(QString::fromLatin1(text));
        QTest::newRow("overflow") << QStringLiteral("99999999999999999999.0")
                                  << no_head.arg(QStringLiteral("99999999999999999999.0"));
        QTest::newRow("second") << QStringLiteral("0.1,6.0") << no_such.arg(QStringLiteral("6.0"));
    }
    void refuses() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto mask = parseHeadMask(text.toStdString(), specOf(6, 8), AblationKind::Zero);
        QVERIFY(!mask);
        QCOMPARE(QString::fromStdString(mask.error().message), message);
    }

    void isAValue() {
        HeadMask mask;
        mask.set({1, 2}, AblationKind::Zero);
        HeadMask same = mask;
        QVERIFY(same == mask && mask.isAblated({1, 2}) && !mask.isAblated({2, 1}));
        same.set({1, 2}, AblationKind::Mean);
        QVERIFY(same != mask);
        same.clear({1, 2});
        QVERIFY(same.empty() && mask.size() == 1);
    }

    void zeroAndMeanTouchOnlyTheirHead() {
        HeadMask mask;
        mask.set({1, 0}, AblationKind::Zero);
        mask.set({1, 2}, AblationKind::Mean);
        const Tensor z = ablated(mask, 1);
        for (std::size_t position = 0; position < 4; ++position)
            for (std::size_t d = 0; d < 2; ++d) {
                const auto step = static_cast<float>(d);
                QCOMPARE(z(position, 0, d), 0.0f);
                QCOMPARE(z(position, 1, d), static_cast<float>(100 * position) + 10.0f + step);
                QCOMPARE(z(position, 2, d), 150.0f + 20.0f + step);
            }
        const Tensor untouched = ablated({}, 1);
        const Tensor other_layer = ablated(mask, 0);
        QVERIFY(std::ranges::equal(other_layer.values(), untouched.values()));
    }

    void oneEditorPerLayer() {
        HeadMask mask;
        for (const LayerHead head : {LayerHead{0, 0}, LayerHead{1, 0}, LayerHead{1, 2}})
            mask.set(head, AblationKind::Zero);
        HookSet hooks;
        addAblation(hooks, mask, specOf(2, 3));
        QCOMPARE(hooks.hooks().size(), std::size_t{2});
        HookSet none;
        addAblation(none, {}, specOf(2, 3));
        QVERIFY(none.empty());
    }
};

const headscope::test::TestRegistration<TestHeadMask> registration;

} // namespace test_head_mask

#include "test_head_mask.moc"
