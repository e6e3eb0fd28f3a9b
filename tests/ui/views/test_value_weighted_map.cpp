#include "core/attribution/shown_attention.h"
#include "tests/support/runner.h"
#include "tests/ui/views/first_key.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>

namespace test_value_weighted_map {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

constexpr std::size_t kQuery = 3;

/// What the heatmap of the window shows for one cell, once it shows this map.
double shownValue(const Heatmap& heatmap, std::size_t key) {
    return static_cast<double>(
        heatmap.content().cells->tile({{kQuery, kQuery + 1}, {key, key + 1}, 1, 1}).values(0u, 0u));
}

/// A[q, k]·‖v_k W_O‖ of the masked run, as a share of its row.
double expectedValue(const RunResult& result, LayerHead head, std::size_t key) {
    HookSet hooks;
    addAblation(hooks, result.mask, result.masked->model->spec);
    const auto norms = valueNorms(result.masked->model, result.prompt.ids, hooks);
    const Tensor row = valueWeightedPattern(*result.masked, *norms, head, {kQuery, kQuery + 1},
                                            {key, key + 1}, RowScale::SumToOne);
    return static_cast<double>(row(0u, 0u));
}

/// Chooses the first or the last map as a person would.
bool chooseMap(WindowUnderTest& window, Qt::Key key) {
    QTest::keyClick(window.find<QComboBox>("patternMap"), key);
    const QString name = key == Qt::Key_End ? QStringLiteral("value-weighted attention")
                                            : QStringLiteral("attention");
    return QTest::qWaitFor(
        [&] { return window.find<Heatmap>("heatmap")->content().value_name == name; }, kPatience);
}

} // namespace

class TestValueWeightedMap : public QObject {
    Q_OBJECT

private slots:
    void aComboBoxSwapsTheMap() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        auto* heatmap = window.find<Heatmap>("heatmap");
        QVERIFY(chooseMap(window, Qt::Key_End));
        const RunResult& result = *window.document().promptRunner().result();
        const LayerHead head = window.document().selection().head();
        for (const std::size_t key : {0u, 1u, 3u})
            QVERIFY(std::abs(shownValue(*heatmap, key) - expectedValue(result, head, key)) < 1e-5);
        QVERIFY2(heatmap->content().title.contains(QStringLiteral("value-weighted")),
                 qPrintable(heatmap->content().title));
        window.document().selection().lockRow(kQuery);
        QVERIFY(window.find<QLabel>("cellLabel")->text().contains(QStringLiteral("takes from")));
        QVERIFY(chooseMap(window, Qt::Key_Home));
        QVERIFY(window.find<QLabel>("cellLabel")->text().contains(QStringLiteral("looks at")));
        QVERIFY(std::abs(shownValue(*heatmap, 1) -
                         static_cast<double>(result.masked->weight(head, kQuery, 1))) < 1e-5);
    }

    void itFollowsTheMaskAndTheHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        showFirstKey(window);
        auto* heatmap = window.find<Heatmap>("heatmap");
        window.find<QAction>("actionValueWeighted")->trigger();
        window.document().selection().select({3, 1});
        for (std::size_t off = 0; off < 8; ++off)
            window.document().ablation().toggleHead({0, off});
        QVERIFY(window.settled());
        const RunResult& result = *window.document().promptRunner().result();
        QCOMPARE(result.mask.size(), std::size_t{8});
        const double expected = expectedValue(result, {3, 1}, 1);
        QTRY_VERIFY_WITH_TIMEOUT(
            heatmap->content().title.startsWith(QStringLiteral("L3 H1 · value-weighted")) &&
                std::abs(shownValue(*heatmap, 1) - expected) < 1e-5,
            kPatience);
    }

    void figuresSayWhichMapTheyShow() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        showFirstKey(window);
        QVERIFY(chooseMap(window, Qt::Key_End));
        const QString path = settings.path(QStringLiteral("figure.svg"));
        QVERIFY(window->patternView().saveFigure(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString svg = QString::fromUtf8(file.readAll());
        QVERIFY(svg.contains(QStringLiteral("value-weighted")));
        QVERIFY(svg.contains(QStringLiteral("each row divided by its")));
    }

    void allHeadsShowTheSameMap() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        window.find<QAction>("actionAllHeads")->trigger();
        QVERIFY(window.find<QComboBox>("patternMap")->isEnabled());
        window.find<QAction>("actionValueWeighted")->trigger();
        const RunResult& result = *window.document().promptRunner().result();
        const QRgb expected = cellColour(static_cast<float>(expectedValue(result, {4, 1}, 1)), {});
        const auto* mosaic = window.find<HeadMosaic>("allHeads");
        QTRY_VERIFY_WITH_TIMEOUT(!mosaic->cell(4, 1).thumbnail.isNull() &&
                                     mosaic->cell(4, 1).thumbnail.pixel(1, kQuery) == expected,
                                 kPatience);
    }
};

const headscope::test::TestRegistration<TestValueWeightedMap> registration;

} // namespace test_value_weighted_map

#include "test_value_weighted_map.moc"
