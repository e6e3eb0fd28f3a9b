#include "tests/support/runner.h"
#include "tests/ui/widgets/reader_events.h"
#include "ui/widgets/colour_legend.h"
#include "ui/widgets/complex_plane.h"
#include "ui/widgets/curve_plot.h"
#include "ui/widgets/head_graph.h"
#include "ui/widgets/layer_bars.h"
#include "ui/widgets/scatter_plot.h"
#include "ui/widgets/weight_histogram.h"

#include <QtTest>

namespace test_charts_for_readers {

using namespace headscope::ui;
using namespace headscope::ui::test;

class TestChartsForReaders : public QObject {
    Q_OBJECT

private slots:
    void picturesOfNumbersAreCharts() {
        CurvePlot curves;
        ScatterPlot scatter;
        HeadGraph graph;
        ComplexPlane plane;
        LayerBars bars;
        ColourLegend legend;
        WeightHistogram histogram;
        for (QWidget* widget : std::initializer_list<QWidget*>{&curves, &scatter, &graph, &plane,
                                                               &bars, &legend, &histogram})
            QVERIFY2(readerOf(*widget)->role() == QAccessible::Chart,
                     widget->metaObject()->className());
        QCOMPARE(readerOf(scatter)->text(QAccessible::Name), QStringLiteral("Scatter plot"));
    }

    void histogramsSayWhatTheyCount() {
        WeightHistogram histogram;
        histogram.setCounts({3, 0, 1, 0});
        QCOMPARE(readerOf(histogram)->text(QAccessible::Description),
                 QStringLiteral("0.00 to 0.25: 3 sequences; 0.50 to 0.75: 1 sequence"));
    }

    void barsSayWhatIsLeftOfEachLayer() {
        LayerBars bars;
        bars.setLayers({{{true, false}, QStringLiteral("layer 0: 1 of 2")},
                        {{true, true}, QStringLiteral("layer 1: 2 of 2")}});
        QCOMPARE(readerOf(bars)->text(QAccessible::Description),
                 QStringLiteral("layer 0: 1 of 2\nlayer 1: 2 of 2"));
    }
};

const headscope::test::TestRegistration<TestChartsForReaders> registration;

} // namespace test_charts_for_readers

#include "test_charts_for_readers.moc"
