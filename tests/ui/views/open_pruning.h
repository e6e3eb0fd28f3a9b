#pragma once

#include "core/pruning/pruning_curve.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/pruning_bench.h"
#include "ui/views/pruning/pruning_window.h"
#include "ui/widgets/curve_plot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace headscope::ui::test {

/// The bench on few tokens, as a person uses it.
class OpenPruning : public OpenedDialog<PruningWindow> {
public:
    explicit OpenPruning(WindowUnderTest& window)
        : OpenedDialog(window, "actionPrune", "pruningWindow") {}

    void trigger(const char* name) const { find<QAction>(name)->trigger(); }
    void click(const char* name) const {
        QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton);
    }
    QString text(const char* name) const { return find<QLabel>(name)->text(); }
    bool says(const char* label, const QString& words) const {
        return QTest::qWaitFor([&] { return text(label).contains(words); }, kPatience);
    }

    bool readsFew() const {
        find<QComboBox>("pruneDomains")->setCurrentText(QStringLiteral("novel"));
        find<QDoubleSpinBox>("pruneTolerance")->setValue(1000.0); // nothing narrows curves down
        find<QSpinBox>("passageLength")->setValue(64);
        find<QSpinBox>("calibrationTokens")->setValue(512);
        find<QSpinBox>("testTokens")->setValue(512);
        find<QSpinBox>("prunePoints")->setValue(4);
        find<QSpinBox>("randomOrders")->setValue(2);
        return isReady();
    }
    bool isReady() const {
        return QTest::qWaitFor([&] { return find<QPushButton>("pruneMeasure")->isEnabled(); },
                               kPatience);
    }
    /// Exactly these.
    void tick(const QStringList& orders) const {
        for (QCheckBox* box : dialog->findChildren<QCheckBox*>())
            if (box->isChecked() != orders.contains(box->text()))
                QTest::keyClick(box, Qt::Key_Space);
    }
    bool measures(const QStringList& orders) const {
        tick(orders);
        click("pruneMeasure");
        return says("pruneState", QStringLiteral("Measured: "));
    }

    CurvePlot* plot() const { return find<CurvePlot>("pruneCurve"); }
    QWidget* drawing() const { return plot()->childAt(plot()->rect().center()); }
    QPoint onDrawing(CurvePlotPlace place) const {
        plot()->grab(); // lays the axes out
        return drawing()->mapFrom(plot(), plot()->placeOf(place));
    }
    void dragTo(CurvePlotPlace place) const { moveTo(place, Qt::LeftButton); }
    void hover(CurvePlotPlace place) const { moveTo(place, Qt::NoButton); }

private:
    /// Offscreen windows cannot be raised, so that a real pointer might meet another one.
    void moveTo(CurvePlotPlace place, Qt::MouseButtons buttons) const {
        const QPoint position = onDrawing(place);
        QMouseEvent move(QEvent::MouseMove, position, drawing()->mapToGlobal(position),
                         Qt::NoButton, buttons, {});
        QCoreApplication::sendEvent(drawing(), &move);
    }
};

/// What core says to what the bench was asked.
struct Expected {
    explicit Expected(const std::shared_ptr<const Model>& model,
                      std::initializer_list<OrderKind> kinds) {
        PruningTextQuestion few;
        few.length = 64;
        few.calibration_tokens = 512;
        few.test_tokens = 512;
        few.domains = {"novel"};
        texts = readPruningTexts(model, few)->domains.front();
        for (const OrderKind kind : kinds)
            question.orders.push_back({kind});
        question.points = 4;
        question.tolerance = 10.0;
        result = *pruneAndMeasure(model, texts.calibration, texts.test, question);
    }

    HeadSet removed(std::size_t curve, std::size_t point) const {
        return PruningResult::removedAt(result.curves[curve],
                                        result.curves[curve].points[point].units);
    }
    double loss(std::size_t curve, std::size_t point) const {
        return meanOf(result, result.curves[curve].points[point].sums).loss;
    }

    PruningDomain texts;
    PruningQuestion question;
    PruningResult result;
};

inline HeadSet headsOf(const HeadMask& mask) {
    HeadSet heads;
    for (const auto& [head, kind] : mask.heads())
        heads.push_back(head);
    return heads;
}

inline HeadSet sorted(HeadSet heads) {
    std::ranges::sort(heads);
    return heads;
}

inline QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace headscope::ui::test
