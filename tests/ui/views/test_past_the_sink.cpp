#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/widgets/colour_legend.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace test_past_the_sink {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestPastTheSink : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        heatmap_ = window_->find<Heatmap>("heatmap");
        button_ = window_->find<QToolButton>("firstKey");
        prompt_ = window_->document().promptText();
    }
    void init() {
        Document& document = window_->document();
        document.ablation().clearMask();
        document.setPromptText(prompt_);
        document.selection().select({4, 1});
        (*window_)->patternView().setSettings({});
        (*window_)->patternView().showPage(PatternPage::Heatmap);
        QTRY_COMPARE_WITH_TIMEOUT(heatmap_->content().row_labels.size(), 15, kPatience);
        QVERIFY(window_->settled());
        QVERIFY(shows("L4 H1", true)); // BOS holds three quarters of the default prompt
    }
    void cleanupTestCase() { window_.close(); }

    void itHidesByItselfSaysSoAndComesBackByOneClick() {
        QVERIFY(button_->isChecked());
        QVERIFY2(heatmap_->content().column_axis.startsWith(
                     QStringLiteral("key, without ‹<|endoftext|>› (")),
                 qPrintable(heatmap_->content().column_axis));
        QVERIFY(button_->toolTip().contains(QStringLiteral("hidden")));
        QVERIFY(std::isnan(shown(14, 0)));
        QTest::mouseClick(button_, Qt::LeftButton, {}, QPoint(8, button_->height() / 2));
        QVERIFY(shows("L4 H1", false));
        QVERIFY(!button_->isChecked());
        QCOMPARE(heatmap_->content().column_axis, QStringLiteral("key"));
        QVERIFY(!std::isnan(shown(14, 0)));
        QTest::mouseClick(button_, Qt::LeftButton, {}, QPoint(8, button_->height() / 2));
        QVERIFY(shows("L4 H1", true));
    }

    void aHeadWithoutASinkKeepsItsFirstKey() {
        window_->document().selection().select({0, 0}); // a previous-token head
        QVERIFY(shows("L0 H0", false));
        QVERIFY(!button_->isChecked());
    }

    void aLongPromptShowsWhereTheHeadLooks() {
        const QStringList pool =
            QStringLiteral("to when dog small woman a went not was came because and the John she "
                           "with her gave home back drink Mary store old at")
                .split(QLatin1Char(' '));
        QStringList words;
        std::uint32_t state = 7; // words in no order, so that nearly all is given to BOS
        for (int i = 0; i < 178; ++i) {
            state = state * 1103515245u + 12345u;
            words << pool[static_cast<qsizetype>((state >> 16) % 25)];
        }
        window_->document().setPromptText(words.join(QLatin1Char(' ')));
        QTRY_VERIFY_WITH_TIMEOUT(heatmap_->content().row_labels.size() >= 179, kPatience);
        QVERIFY(shows("L4 H1", true));
        QVERIFY2(heatmap_->content().note.contains(QStringLiteral("colours")),
                 qPrintable(heatmap_->content().note));
        // In the plain picture hardly a cell stands out; in this one the keys it looks at do.
        const auto cells = heatmap_->content().cells;
        const auto seen = [&](ValueScale scale) {
            const CellColours colours{ColourMap::Viridis, 0.0, 1.0, scale};
            return std::ranges::count_if(cells->overview().values.values(), [&](float value) {
                return fractionOf(static_cast<double>(value), colours) > 0.25;
            });
        };
        const auto scale = heatmap_->content().note.contains(QStringLiteral("logarithmic"))
                               ? ValueScale::Logarithmic
                               : ValueScale::SquareRoot;
        const auto plain = seen(ValueScale::Linear);
        QVERIFY2(seen(scale) > 4 * std::max<qsizetype>(plain, 20),
                 qPrintable(QStringLiteral("%1 %2").arg(seen(scale)).arg(plain)));
    }

    void rowsAndScaleAreChosenInTheMenu() {
        choose("rescaleRows");
        QTRY_VERIFY_WITH_TIMEOUT(
            heatmap_->content().note.contains(QStringLiteral("rows divided by what is left")),
            kPatience);
        double sum = 0.0;
        for (std::size_t key = 1; key < 15; ++key)
            sum += static_cast<double>(shown(14, key));
        QVERIFY(std::abs(sum - 1.0) < 1e-4);
        const QImage linear = heatmap_->grab().toImage();
        choose("scaleSquareRoot");
        QTRY_VERIFY_WITH_TIMEOUT(heatmap_->content().note.contains(QStringLiteral("square root")),
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(heatmap_->grab().toImage() != linear, kPatience);
        const QImage square_root = heatmap_->grab().toImage();
        choose("scaleLogarithmic");
        QTRY_VERIFY_WITH_TIMEOUT(heatmap_->content().note.contains(QStringLiteral("logarithmic")),
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(heatmap_->grab().toImage() != square_root, kPatience);
    }

    void allHeadsFollowTheSameChoice() {
        QTest::mouseClick(window_->find<QToolButton>("allHeadsButton"), Qt::LeftButton);
        auto* mosaic = window_->find<HeadMosaic>("allHeads");
        const auto pixel = [&](int row, int column, int x, int y) {
            return mosaic->cell(row, column).thumbnail.pixel(x, y);
        };
        const auto is_drawn = [&](bool hidden) {
            return QTest::qWaitFor(
                [&] {
                    return !mosaic->cell(5, 7).thumbnail.isNull() && !mosaic->cell(5, 7).faded &&
                           (qAlpha(pixel(4, 1, 0, 14)) == 0) == hidden;
                },
                kPatience);
        };
        choose("firstKeyHidden");
        QVERIFY(is_drawn(true));
        QCOMPARE(qAlpha(pixel(4, 1, 1, 14)), 255);
        QVERIFY(button_->isChecked());
        choose("firstKeyShown");
        QVERIFY(is_drawn(false));
        QVERIFY(!button_->isChecked());
    }

    void differencesHaveZeroInTheMiddle() {
        window_->document().ablation().toggleHead({0, 0});
        QVERIFY(window_->settled());
        window_->find<QAction>("actionDifference")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(heatmap_->content().value_name,
                                  QStringLiteral("change of attention"), kPatience);
        QCOMPARE(heatmap_->colourMap(), ColourMap::Diverging);
        const RunResult& result = *window_->document().promptRunner().result();
        QTRY_VERIFY_WITH_TIMEOUT(std::fabs(shown(14, 3) - (result.masked->weight({4, 1}, 14, 3) -
                                                           result.full->weight({4, 1}, 14, 3))) <
                                     1e-6f,
                                 kPatience);
        QTest::mouseClick(window_->find<QToolButton>("allHeadsButton"), Qt::LeftButton);
        const auto* legend = window_->find<ColourLegend>("allHeadsLegend");
        QTRY_COMPARE_WITH_TIMEOUT(legend->colours().map, ColourMap::Diverging, kPatience);
        QCOMPARE(legend->colours().low, -legend->colours().high);
        double largest = 0.0;
        for (const LayerHead head : result.full->model->spec.allHeads()) {
            const Tensor with = result.masked->pattern(head);
            const Tensor without = result.full->pattern(head);
            for (std::size_t i = 0; i < with.size(); ++i)
                largest = std::max(
                    largest, std::abs(static_cast<double>(with.values()[i] - without.values()[i])));
        }
        QVERIFY(std::abs(legend->colours().high - largest) < 1e-5);
    }

    void withoutAnAblatedHeadADifferenceSaysThatThereIsNone() {
        window_->find<QAction>("actionDifference")->trigger();
        auto* notice = window_->find<QLabel>("staleLabel");
        QTRY_COMPARE_WITH_TIMEOUT(
            notice->text(),
            QStringLiteral("No head is ablated, so nothing differs from the whole model."),
            kPatience);
        window_->document().ablation().toggleHead({0, 0});
        QTRY_VERIFY_WITH_TIMEOUT(!notice->isVisible(), kPatience);
    }

    void theFigureSaysWhatItHides() {
        OpenedDialog<ExportDialog> dialog(*window_, "actionExport", "exportDialog");
        const QString path = window_.settings().path(QStringLiteral("figure.svg"));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        QTest::mouseClick(dialog.find<QPushButton>("exportWrite"), Qt::LeftButton);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString svg = QString::fromUtf8(file.readAll());
        QVERIFY(svg.contains(QStringLiteral("first key hidden")));
    }

    void theChoiceIsKept() {
        choose("firstKeyShown");
        choose("scaleSquareRoot");
        window_->close();
        QVERIFY(window_.openAgain(QString()));
        QCOMPARE((*window_)->patternView().settings().first_key, FirstKey::Shown);
        QCOMPARE((*window_)->patternView().settings().scale, std::optional(ValueScale::SquareRoot));
    }

private:
    /// Waits until the heatmap shows this head, with the first key hidden or not.
    bool shows(const char* head, bool hidden) {
        return QTest::qWaitFor(
            [&] {
                return heatmap_->content().title.startsWith(QString::fromLatin1(head)) &&
                       heatmap_->content().bars.empty() == !hidden;
            },
            kPatience);
    }
    float shown(std::size_t query, std::size_t key) {
        return heatmap_->content()
            .cells->tile({{query, query + 1}, {key, key + 1}, 1, 1})
            .values(0u, 0u);
    }
    void choose(const char* entry) {
        button_->menu()->findChild<QAction*>(QString::fromLatin1(entry))->trigger();
    }

    SharedWindow window_;
    QString prompt_;
    Heatmap* heatmap_ = nullptr;
    QToolButton* button_ = nullptr;
};

const headscope::test::TestRegistration<TestPastTheSink> registration;

} // namespace test_past_the_sink

#include "test_past_the_sink.moc"
