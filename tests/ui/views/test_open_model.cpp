#include "tests/support/model_variant.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/grid/head_grid_view.h"
#include "ui/views/model/model_dialog.h"
#include "ui/views/window/messages.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/stale.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <atomic>
#include <chrono>
#include <thread>

namespace test_open_model {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

QString writeNonsense(const QString& path) {
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write("this is not a model");
    return path;
}

/// What the file manager sends when a file is let go over the window.
void drop(QWidget* window, const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window, &enter);
    if (!enter.isAccepted())
        return;
    QDropEvent event(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window, &event);
}

void choose(WindowUnderTest& window, const QString& path, const char* action = "actionOpen") {
    window.dialogs.to_open = path;
    window.find<QAction>(action)->trigger();
}

bool opens(WindowUnderTest& window, const std::string& name) {
    return QTest::qWaitFor([&] { return window.document().model()->name == name; }, kPatience) &&
           window.settled();
}

} // namespace

class TestOpenModel : public QObject {
    Q_OBJECT

private slots:
    void aBrokenFileIsExplainedAndNothingChanges() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto model = window.document().model();
        const auto result = window.document().promptRunner().result();
        const QString title = window->windowTitle();
        choose(window, writeNonsense(settings.path(QStringLiteral("broken.h5"))));
        auto* bar = window.find<MessageBar>("messageBar");
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
        QVERIFY2(bar->text().contains(QStringLiteral("broken.h5")), qPrintable(bar->text()));
        QVERIFY(window.document().model() == model);
        QVERIFY(window.document().promptRunner().result() == result);
        QCOMPARE(window->windowTitle(), title);
        QCOMPARE(window.find<QLineEdit>("promptEdit")->text(), QStringLiteral("emma"));
        QTest::mouseClick(window.find<QWidget>("messageClose"), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
    }

    void aNameTurnsNoMessageRound() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        choose(window, writeNonsense(settings.path(QStringLiteral("br\u202Eoken\u0007.h5"))));
        auto* bar = window.find<MessageBar>("messageBar");
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
        QVERIFY2(bar->text().contains(QStringLiteral("br\\u{202e}oken\\u{7}.h5")),
                 qPrintable(bar->text()));
        QCOMPARE(bar->accessibleName(), bar->text());
        bar->showInfo(QStringLiteral("one\ntwo"));
        QCOMPARE(bar->text(), QStringLiteral("one\ntwo"));
    }

    void openingReportsWhatWasLoaded() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QCOMPARE(window->windowTitle(), QStringLiteral("microgpt — Headscope"));
        choose(window, samplePath(QStringLiteral("llama-mini-gqa-4l")));
        QVERIFY(opens(window, "llama-mini-gqa-4l"));
        QCOMPARE(window->windowTitle(), QStringLiteral("llama-mini-gqa-4l — Headscope"));
        auto* bar = window.find<MessageBar>("messageBar");
        QVERIFY(bar->text().startsWith(QStringLiteral("Opened llama-mini-gqa-4l")));
        QTest::mouseClick(window.find<QPushButton>("messageAction"), Qt::LeftButton);
        auto* dialog = window.find<ModelDialog>("modelDialog");
        QVERIFY(dialog);
        auto* table = dialog->findChild<QWidget*>(QStringLiteral("reportTable"));
        QVERIFY(table->isVisible());
        auto* rows = table->findChild<QTableView*>()->model();
        const int all = rows->rowCount();
        QTest::keyClicks(table->findChild<QLineEdit*>(), QStringLiteral("W_Q"));
        QVERIFY(rows->rowCount() > 0);
        QVERIFY(rows->rowCount() < all);
    }

    void aMessageMovesNothing() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto places = [&] {
            QList<QRect> found;
            for (const char* name : {"promptEdit", "tokenStrip", "splitter", "headGrid"}) {
                const auto* widget = window.find<QWidget>(name);
                found << QRect(widget->mapTo(&*window, QPoint()), widget->size());
            }
            return found;
        };
        const auto before = places();
        window->messages().showError(QStringLiteral("Something is wrong. ").repeated(12));
        QCoreApplication::sendPostedEvents();
        const auto* bar = window.find<MessageBar>("messageBar");
        const auto* text = window.find<QLabel>("messageText");
        QVERIFY(bar->isVisible());
        QCOMPARE(places(), before);
        QVERIFY(text->height() >= text->heightForWidth(text->width()));
        window->resize(window->size() - QSize(120, 80));
        QCoreApplication::sendPostedEvents();
        QVERIFY(bar->parentWidget()->rect().contains(bar->geometry()));
        const QRect strip(window.find<QWidget>("tokenStrip")->mapTo(bar->parentWidget(), QPoint()),
                          window.find<QWidget>("tokenStrip")->size());
        QVERIFY(!bar->geometry().intersects(strip));
    }

    void aFolderOpensUnderItsName() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        choose(window, QStringLiteral(HEADSCOPE_TEST_DATA "/weight_files/gpt2-sharded"),
               "actionOpenFolder");
        QVERIFY(opens(window, "gpt2-sharded"));
        QCOMPARE(window->windowTitle(), QStringLiteral("gpt2-sharded — Headscope"));
        QVERIFY(!window.document().model()->tokenizer);
    }

    void aModelOfWeightsAloneSaysWhyItDoesNotRun() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        choose(window, QStringLiteral(HEADSCOPE_TEST_DATA "/keras/odd.keras"));
        QVERIFY(opens(window, "odd"));
        QVERIFY(window.document().promptRunner().error().contains(QStringLiteral("cannot be run")));
        QVERIFY(!window.document().promptRunner().result());
        window.find<QAction>("actionModelCard")->trigger();
        QVERIFY(window.find<ModelDialog>("modelDialog"));
    }

    void headsThatAreNotInTheFileAreGaps() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto part = headscope::test::without("gpt2", "h.0.attn.");
        choose(window, QString::fromStdString(part.write().string()));
        QVERIFY(opens(window, "gpt2"));
        QVERIFY(window.document().promptRunner().error().contains(
            QStringLiteral("so only the attention of layers 1 and 2 is open, as weights")));
        QCOMPARE(window.document().selection().head(), (LayerHead{1, 0}));
        auto* grid = window.find<HeadMosaic>("headGrid");
        QVERIFY(!grid->grab().isNull());
        QVERIFY(grid->cell(0, 2).removed);
        QCOMPARE(grid->cell(0, 2).tooltip.html(), QStringLiteral("L0 H2 is not in the file."));
        QVERIFY(!grid->cell(1, 2).removed);
        window.find<QAction>("actionModelCard")->trigger();
        QVERIFY(window.find<ModelDialog>("modelDialog"));
    }

    void squareMatricesCanBeTurnedRound() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        choose(window, QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/llama-gqa.h5"));
        QVERIFY(opens(window, "llama-gqa"));
        auto* flip = window.find<QAction>("actionFlipSquare");
        QVERIFY(flip->isEnabled());
        const auto before = window.document().model()->weights.layers[0].attn.W_QKV;
        for (const bool flipped : {true, false}) {
            const auto old = window.document().model();
            flip->trigger();
            QVERIFY(QTest::qWaitFor([&] { return window.document().model() != old; }, kPatience));
            QVERIFY(window.settled());
            const auto& now = window.document().model()->weights.layers[0].attn.W_QKV;
            QCOMPARE(std::ranges::equal(now.widened().values(), before.widened().values()),
                     !flipped);
            QCOMPARE(window.document().loadOptions().flip_square_matrices, flipped);
            const QString words = QStringLiteral("square matrices transposed");
            QCOMPARE(window->windowTitle().contains(words), flipped);
            QCOMPARE(window.find<QLabel>("modelLabel")->text().contains(words), flipped);
            QTRY_COMPARE_WITH_TIMEOUT(
                window.find<Heatmap>("heatmap")->content().note.contains(words), flipped,
                kPatience);
            QCOMPARE(window.find<MessageBar>("messageBar")
                         ->text()
                         .contains(QStringLiteral("read transposed")),
                     flipped);
        }
    }

    void aDroppedFileOpens() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        drop(&*window, samplePath(QStringLiteral("notebook")));
        QVERIFY(opens(window, "notebook"));
        QCOMPARE(window.document().promptText(), QStringLiteral("<BOS> I like transformers <EOS>"));
    }

    void recentFilesAreOfferedAndMissingOnesGrey() {
        const TemporarySettings settings;
        QSettings().setValue(
            QStringLiteral("files/recent"),
            QStringList{QStringLiteral("/gone/model.h5"), samplePath(QStringLiteral("notebook"))});
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* menu = window.find<QMenu>("recentMenu");
        emit menu->aboutToShow();
        QCOMPARE(menu->actions().at(0)->text(), QStringLiteral("microgpt.h5"));
        QCOMPARE(menu->actions().at(1)->text(), QStringLiteral("model.h5 (missing)"));
        QVERIFY(!menu->actions().at(1)->isEnabled());
        QVERIFY(menu->actions().at(2)->isEnabled());
        menu->actions().at(2)->trigger();
        QVERIFY(opens(window, "notebook"));
    }

    void theOldModelIsDimmedWhileAnotherLoads() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* grid = window->findChild<HeadGridView*>();
        QVERIFY(grid && !isStale(grid));
        JobRunner* loader = window.document().loader();
        std::atomic<bool> is_loaded = false;
        loader->start(
            [&is_loaded](const Progress&, const std::stop_token&) {
                while (!is_loaded)
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                return 0;
            },
            [](int) {});
        QTRY_VERIFY_WITH_TIMEOUT(isStale(grid), kPatience);
        is_loaded = true;
        QTRY_VERIFY_WITH_TIMEOUT(!isStale(grid), kPatience);
    }

    void recentFilesOfOneNameSayTheirFolder() {
        const TemporarySettings settings;
        QSettings().setValue(
            QStringLiteral("files/recent"),
            QStringList{QStringLiteral("/first/model.h5"), QStringLiteral("/second/model.h5")});
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* menu = window.find<QMenu>("recentMenu");
        emit menu->aboutToShow();
        QCOMPARE(menu->actions().at(1)->text(), QStringLiteral("model.h5 — first (missing)"));
        QCOMPARE(menu->actions().at(2)->text(), QStringLiteral("model.h5 — second (missing)"));
        QVERIFY(menu->actions().at(1)->objectName() != menu->actions().at(2)->objectName());
    }

    void aLastModelThatIsBrokenGivesWayToASample() {
        const TemporarySettings settings;
        WindowUnderTest window;
        StartOptions options;
        options.model = writeNonsense(settings.path(QStringLiteral("broken.h5")));
        window->show();
        window->start(options);
        if (window.find<QMenu>("sampleMenu")->isEmpty())
            QSKIP("the sample models are not beside this build");
        QVERIFY(window.settled());
        QCOMPARE(window.document().model()->name, std::string("gpt2-mini-6l"));
        QVERIFY(
            window.find<MessageBar>("messageBar")->text().contains(QStringLiteral("broken.h5")));
    }

    void theCommandLineChoosesPromptAndHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        StartOptions options;
        options.model = samplePath(QStringLiteral("gpt2-mini-6l"));
        options.text = QStringLiteral("Tom saw");
        options.head = QStringLiteral("2.3");
        QVERIFY(window.start(options));
        QCOMPARE(window.document().promptText(), QStringLiteral("Tom saw"));
        QCOMPARE(window.document().selection().head(), (LayerHead{2, 3}));
    }

    void aHeadThatIsNotThereIsExplained() {
        const TemporarySettings settings;
        WindowUnderTest window;
        StartOptions options;
        options.model = samplePath(QStringLiteral("microgpt"));
        options.head = QStringLiteral("7.9");
        QVERIFY(window.start(options));
        QVERIFY(window.find<MessageBar>("messageBar")->text().contains(QStringLiteral("7.9")));
    }
};

const headscope::test::TestRegistration<TestOpenModel> registration;

} // namespace test_open_model

#include "test_open_model.moc"
