#include "core/attribution/shown_attention.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/window/messages.h"
#include "ui/widgets/heatmap.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTimer>

#include <cmath>

namespace test_export_dialog {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

struct OpenDialog : OpenedDialog<ExportDialog> {
    explicit OpenDialog(WindowUnderTest& window)
        : OpenedDialog(window, "actionExport", "exportDialog") {}

    void choose(ExportWhat what, const QString& extension) const {
        auto* field = find<QComboBox>("exportWhat");
        field->setCurrentIndex(field->findData(static_cast<int>(what)));
        auto* format = find<QComboBox>("exportFormat");
        format->setCurrentIndex(format->findData(extension));
    }
    QString path() const { return find<QLineEdit>("exportPath")->text(); }
    void write() const { QTest::mouseClick(find<QPushButton>("exportWrite"), Qt::LeftButton); }
};

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestExportDialog : public QObject {
    Q_OBJECT

private slots:
    void namesFollowTheConvention_data() {
        QTest::addColumn<int>("what");
        QTest::addColumn<QString>("extension");
        QTest::addColumn<QString>("pattern");
        const auto row = [](const char* name, ExportWhat what, const char* extension,
                            const char* pattern) {
            QTest::newRow(name) << static_cast<int>(what) << QString::fromLatin1(extension)
                                << QString::fromLatin1(pattern);
        };
        row("figure", ExportWhat::Figure, ".pdf", "gpt2-mini-6l_[0-9a-f]{8}_L04H01_pattern\\.pdf");
        row("head", ExportWhat::Head, ".npy", "gpt2-mini-6l_[0-9a-f]{8}_L04H01_pattern\\.npy");
        row("layer", ExportWhat::Layer, ".h5", "gpt2-mini-6l_[0-9a-f]{8}_L04_pattern\\.h5");
        row("all", ExportWhat::AllHeads, ".npz", "gpt2-mini-6l_[0-9a-f]{8}_pattern\\.npz");
        row("scores", ExportWhat::Scores, ".csv", "gpt2-mini-6l_scores\\.csv");
    }
    void namesFollowTheConvention() {
        QFETCH(int, what);
        QFETCH(QString, extension);
        QFETCH(QString, pattern);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        const OpenDialog dialog(window);
        dialog.choose(static_cast<ExportWhat>(what), extension);
        const QString name = QFileInfo(dialog.path()).fileName();
        QVERIFY2(
            QRegularExpression(QRegularExpression::anchoredPattern(pattern)).match(name).hasMatch(),
            qPrintable(name));
    }

    void numbersOfAllHeadsReadBack() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        OpenDialog dialog(window);
        dialog.choose(ExportWhat::AllHeads, QStringLiteral(".h5"));
        window.dialogs.to_save = settings.path(QStringLiteral("all.h5"));
        QTest::mouseClick(dialog.find<QPushButton>("exportBrowse"), Qt::LeftButton);
        QCOMPARE(dialog.path(), window.dialogs.to_save);
        const QPointer<ExportDialog> open = dialog.dialog;
        dialog.write();
        QTRY_VERIFY_WITH_TIMEOUT(!open, kPatience);
        const headscope::test::ReferenceFile file(window.dialogs.to_save.toStdString());
        const Tensor written = file.floats("blocks/5/attn/hook_pattern");
        const Tensor expected = window.document().promptRunner().result()->masked->pattern({5, 6});
        for (std::size_t q = 0; q < expected.dim(0); ++q)
            for (std::size_t k = 0; k < expected.dim(1); ++k)
                QCOMPARE(written(6, q, k), expected(q, k));
    }

    void numbersAreThoseOfTheMapThatIsShown() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.find<QAction>("actionValueWeighted")->trigger();
        OpenDialog dialog(window);
        dialog.choose(ExportWhat::Figure, QStringLiteral(".png"));
        QVERIFY2(dialog.path().endsWith(QStringLiteral("_L04H01_value_weighted.png")),
                 qPrintable(dialog.path()));
        dialog.choose(ExportWhat::Head, QStringLiteral(".h5"));
        QVERIFY(dialog.path().endsWith(QStringLiteral("_L04H01_value_weighted.h5")));
        const QString path = settings.path(QStringLiteral("weighted.h5"));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        const QPointer<ExportDialog> open = dialog.dialog;
        dialog.write();
        QTRY_VERIFY_WITH_TIMEOUT(!open, kPatience);
        const headscope::test::ReferenceFile file(path.toStdString());
        const Tensor written = file.floats("blocks/4/attn/value_weighted/1");
        const Run& run = *window.document().promptRunner().result()->masked;
        const auto norms = valueNorms(run.model, run.ids);
        const Tensor expected =
            valueWeightedPattern(run, *norms, {4, 1}, {0, 15}, {0, 15}, RowScale::SumToOne);
        for (std::size_t q = 0; q < 15; ++q)
            for (std::size_t k = 0; k < 15; ++k)
                QVERIFY(std::abs(written(q, k) - expected(q, k)) < 1e-6f);
    }

    void theShortcutWorksFromThePrompt() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window->promptBar().focusPrompt();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_E, Qt::ControlModifier);
        QVERIFY(window.find<ExportDialog>("exportDialog"));
    }

    /// A label without a field shows the mark of its mnemonic as it stands.
    void everyMnemonicLeadsToAField() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenDialog dialog(window);
        for (const QLabel* label : dialog.dialog->findChildren<QLabel*>())
            if (label->text().contains(QLatin1Char('&')))
                QVERIFY2(label->buddy(), qPrintable(label->text()));
        dialog.dialog->activateWindow(); // no window manager does it here
        QTRY_COMPARE(QApplication::activeWindow(), static_cast<QWidget*>(dialog.dialog));
        QTest::keyClick(dialog.dialog, Qt::Key_I, Qt::AltModifier);
        QVERIFY(dialog.find<QLineEdit>("exportPath")->hasFocus());
    }

    void figureIsWritten() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto* heatmap = window.find<Heatmap>("heatmap");
        QTRY_VERIFY_WITH_TIMEOUT(heatmap->content().title.startsWith(QStringLiteral("L4 H1")),
                                 kPatience);
        OpenDialog dialog(window);
        dialog.choose(ExportWhat::Figure, QStringLiteral(".svg"));
        const QString path = settings.path(QStringLiteral("figure.svg"));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        dialog.write();
        const QString svg = textOf(path);
        QVERIFY(svg.contains(QStringLiteral("<svg")));
        QVERIFY(svg.contains(QStringLiteral("L4 H1")));
        auto* message = window.find<MessageBar>("messageBar");
        QCOMPARE(message->text(), QStringLiteral("Written: ") + path);
        auto* show = message->findChild<QPushButton*>();
        QCOMPARE(show->text(), QStringLiteral("Show in &Folder"));
        QTest::mouseClick(show, Qt::LeftButton);
        QCOMPARE(window.dialogs.shown_in_folder, path);
    }

    void picturesHaveAMenu() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* heatmap = window.find<Heatmap>("heatmap");
        QTRY_VERIFY_WITH_TIMEOUT(heatmap->content().cells, kPatience);
        QWidget* plot = heatmap->childAt(heatmap->cellCentre(0, 0));
        QStringList offered;
        QTimer::singleShot(100, this, [&] {
            if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                for (const QAction* action : menu->actions())
                    offered << action->objectName();
                menu->close();
            }
        });
        const QPoint at = plot->rect().center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, plot->mapToGlobal(at));
        QApplication::sendEvent(plot, &event);
        QTRY_COMPARE(
            offered,
            (QStringList{QStringLiteral("actionCopyPicture"), QStringLiteral("actionCopyCommand"),
                         QStringLiteral("actionCopyPython"), QStringLiteral("actionExport"),
                         QStringLiteral("actionResetZoom")}));
    }

    void thePictureIsCopied() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QTRY_VERIFY_WITH_TIMEOUT(window.find<Heatmap>("heatmap")->content().cells, kPatience);
        QApplication::clipboard()->clear();
        window.find<QAction>("actionCopyPicture")->trigger();
        const QImage copied = QApplication::clipboard()->image();
        QCOMPARE(copied.width(), 2 * kFigureSize.width());
    }

    void scoresAreWritten() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        OpenDialog dialog(window);
        dialog.choose(ExportWhat::Scores, QStringLiteral(".csv"));
        const QString path = settings.path(QStringLiteral("scores.csv"));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        const QPointer<ExportDialog> open = dialog.dialog;
        dialog.write();
        QTRY_VERIFY_WITH_TIMEOUT(!open, kPatience);
        QCOMPARE(textOf(path).count(QLatin1Char('\n')), 1 + 6 * 8 * 27);
    }

    void aFailureIsOneSentenceAndTheDialogStays() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        OpenDialog dialog(window);
        dialog.choose(ExportWhat::Head, QStringLiteral(".csv"));
        dialog.find<QLineEdit>("exportPath")->setText(QStringLiteral("/nowhere/at/all.csv"));
        dialog.write();
        auto* state = dialog.find<QLabel>("exportState");
        QTRY_VERIFY_WITH_TIMEOUT(state->text().contains(QStringLiteral("/nowhere/at")), kPatience);
        QVERIFY(dialog.dialog->isVisible());
        QVERIFY(dialog.find<QPushButton>("exportWrite")->isEnabled());
    }

    void aWrongEndingIsRefused() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        OpenDialog dialog(window);
        dialog.choose(ExportWhat::Head, QStringLiteral(".csv"));
        const QString path = settings.path(QStringLiteral("numbers.doc"));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        dialog.write();
        QCOMPARE(dialog.find<QLabel>("exportState")->text(),
                 QStringLiteral("numbers.doc should end in .npz or .npy or .h5 or .csv or .json."));
        QVERIFY(!QFile::exists(path));
    }
};

const headscope::test::TestRegistration<TestExportDialog> registration;

} // namespace test_export_dialog

#include "test_export_dialog.moc"
