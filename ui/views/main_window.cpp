#include "ui/views/main_window.h"

#include "core/engine/head_mask.h"
#include "core/model/model.h"
#include "ui/document/sample_models.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/tables/model_tables.h"
#include "ui/views/ablation/ablation_controls.h"
#include "ui/views/dialogs.h"
#include "ui/views/grid/grid_colouring.h"
#include "ui/views/grid/head_grid_view.h"
#include "ui/views/help/lesson_bar.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/prompt/compare_bar.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/views/scores/effect_panel.h"
#include "ui/views/scores/head_card.h"
#include "ui/views/scores/types_panel.h"
#include "ui/views/window/command.h"
#include "ui/views/window/main_menu.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"
#include "ui/views/window/project_strip.h"
#include "ui/views/window/side_panels.h"
#include "ui/views/window/window_state.h"
#include "ui/widgets/stale.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

constexpr QSize kFirstSize{1280, 800};
constexpr int kSideWidth = 310;
constexpr int kLeastSide = 270;
// A key of Project::view.
constexpr const char* kPages = "pages";
constexpr const char* kSidePanels = "side panels";
constexpr QLatin1Char kBetweenPages{','};
constexpr qsizetype kMostPages = 24;        ///< that a project or the last session may ask for
constexpr std::size_t kLongestPages = 1000; ///< characters of their names
constexpr int kStripPlace = 2;              ///< of a project, after prompt and comparison
constexpr int kSaidFor = 5000;              ///< milliseconds
constexpr int kShortLoading = 200;          ///< milliseconds that are over before anything need dim

QString geometryKey() {
    return QStringLiteral("window/geometry");
}
QString splitterKey() {
    return QStringLiteral("window/splitter");
}
QString pagesKey() {
    return QStringLiteral("window/pages");
}
QString sidePanelsKey() {
    return QStringLiteral("window/sidePanels");
}
QString ownWindowsKey() {
    return QStringLiteral("window/pagesAreWindows");
}

QStringList pagesIn(const Project& project) {
    const auto pages = project.view.find(kPages);
    if (pages == project.view.end())
        return {};
    return toQString(pages->second.substr(0, kLongestPages))
        .split(kBetweenPages, Qt::SkipEmptyParts);
}

bool isFoldedIn(const Project& project) {
    const auto panels = project.view.find(kSidePanels);
    return panels != project.view.end() && panels->second == "folded";
}

/// The one local file of a drop; empty for anything else.
QString droppedFile(const QMimeData* data) {
    const QList<QUrl> urls = data->urls();
    return urls.size() == 1 ? urls.first().toLocalFile() : QString();
}

} // namespace

MainWindow::MainWindow(Dialogs& dialogs, MakeCommands make_commands, ScoreHeads score,
                       QWidget* parent)
    : QMainWindow(parent), dialogs_(dialogs), make_commands_(make_commands),
      document_(std::move(score)) {
    setWindowTitle(tr("Headscope"));
    setAcceptDrops(true);
    layOut();
    makeMenu();
    new StatusView(document_, statusBar());
    restoreGeometryAndChoices();
    heads_->focusGrid();
    connect(&document_, &Document::modelChanged, this, &MainWindow::showModel);
    project_ = new ProjectKeeper({document_, *pattern_, *message_, dialogs_, this,
                                  [this](Project& project) { putLayout(project); },
                                  [this](const Project& project) { takeLayout(project); }});
    connect(pages_, &PageArea::changed, project_, &ProjectKeeper::copySoon);
    auto* strip = new ProjectStrip(document_, *project_, centralWidget());
    static_cast<QVBoxLayout*>(centralWidget()->layout())->insertWidget(kStripPlace, strip);
    connect(&document_.notes(), &NoteBook::problem, message_, &MessageBar::showError);
    connect(&document_.labelTester(), &LabelTester::problem, message_, &MessageBar::showError);
    connect(project_, &ProjectKeeper::pathChanged, this, &MainWindow::showTitle);
    connect(project_, &ProjectKeeper::openFailed, this, &MainWindow::showLoadError);
    connect(&document_, &Document::loadFailed, this, &MainWindow::showLoadError);
    connect(document_.loader(), &JobRunner::busyChanged, this, &MainWindow::dimWhileLoading);
}

/// Views that go out of sight tell the document so, which is gone before they are.
MainWindow::~MainWindow() {
    hide();
}

void MainWindow::layOut() {
    auto* central = new QWidget(this);
    message_ = new MessageBar(central);
    prompt_ = new PromptBar(document_, this);
    connect(&prompt_->writer(), &PromptWriter::said, this,
            [this](const QString& text) { message_->showInfo(text); });
    offerCopies(prompt_->outcome(), repetitionOfRun);
    compare_ = new CompareBar(document_, dialogs_, this);
    connect(compare_, &CompareBar::loadFailed, message_, &MessageBar::showError);
    heads_ = new HeadGridView(document_, this);
    pattern_ = new PatternView(document_, this);
    splitter_ = new QSplitter(Qt::Horizontal, this);
    splitter_->setObjectName(QStringLiteral("splitter"));
    splitter_->addWidget(heads_);
    pages_ = new PageArea(pattern_, tr("Patterns"), this);
    splitter_->addWidget(pages_);
    splitter_->addWidget(makeSidePanel());
    sides_ = new SidePanels(*splitter_, *pages_, this);
    splitter_->setChildrenCollapsible(false);
    splitter_->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(prompt_);
    layout->addWidget(compare_);
    auto* ablation = new AblationStrip(document_, central);
    layout->addWidget(ablation);
    offerCopies(ablation, repetitionOfRun);
    lesson_ = new LessonBar(document_, *pattern_, central);
    layout->addWidget(lesson_);
    layout->addWidget(splitter_, 1);
    setCentralWidget(central);
}

QList<CommandMenu> MainWindow::commands() {
    return make_commands_(*this);
}

void MainWindow::makeMenu() {
    menu_ = new MainMenu(menuBar(), commands(), document_);
    connect(pattern_, &PatternView::pageAsked, pages_, &PageArea::showPatterns);
    connect(pages_, &PageArea::changed, menu_, &MainMenu::refresh);
    connect(sides_, &SidePanels::changed, menu_, &MainMenu::refresh);
    connect(pattern_, &PatternView::settingsChanged, menu_, &MainMenu::refresh);
    connect(pattern_, &PatternView::whyChanged, menu_, &MainMenu::refresh);
    connect(&document_.comparison(), &Comparison::changed, menu_, &MainMenu::refresh);
    connect(&document_.notes(), &NoteBook::changed, menu_, &MainMenu::refresh);
    connect(&heads_->colouring(), &GridColouring::changed, menu_, &MainMenu::refresh);
    for (const char* const id : {"actionCopyPicture", "actionCopyCommand", "actionCopyPython",
                                 "actionExport", "actionResetZoom"})
        pattern_->addAction(menu_->action(QString::fromLatin1(id)));
    for (const char* const id :
         {"actionAblateHead", "actionAblateGroup", "actionAblateLayer", "actionTestEffect",
          "actionTestLabels", "actionBookmark", "actionExport"})
        heads_->addAction(menu_->action(QString::fromLatin1(id)));
}

/// In its context menu; the keys are those of the page in the middle.
void MainWindow::offerCopies(QWidget* widget, Repetition (*repetition)(const Document&)) {
    auto* copies = new CopyActions(
        widget, [this, repetition] { return repetition(document_); }, CopyActions::Keys::None);
    copies->offerOn(widget);
    connect(copies, &CopyActions::said, this,
            [this](const QString& text) { statusBar()->showMessage(text.simplified(), kSaidFor); });
}

QWidget* MainWindow::makeSidePanel() {
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 12, 8);
    layout->setSpacing(14);
    auto* effect = new EffectPanel(document_, content);
    auto* types = new TypesPanel(document_, content);
    layout->addWidget(new HeadCard(document_, content));
    layout->addWidget(effect);
    layout->addWidget(new AblationPanel(document_, content));
    layout->addWidget(types);
    offerCopies(effect, repetitionOfEffect);
    offerCopies(types, repetitionOfScores);
    layout->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    scroll->setMinimumWidth(
        std::max(kLeastSide, content->minimumSizeHint().width() +
                                 scroll->verticalScrollBar()->sizeHint().width()));
    return scroll;
}

void MainWindow::restoreGeometryAndChoices() {
    const QSettings settings;
    resize(kFirstSize.boundedTo(screen()->availableSize()));
    restoreGeometry(settings.value(geometryKey()).toByteArray());
    if (!splitter_->restoreState(settings.value(splitterKey()).toByteArray()))
        splitter_->setSizes({kSideWidth, kFirstSize.width() - 2 * kSideWidth, kSideWidth});
    restoreChoices(document_, *pattern_);
    pages_->setWindows(settings.value(ownWindowsKey(), false).toBool());
    if (!settings.value(sidePanelsKey(), true).toBool())
        sides_->show(false);
}

/// Those that the model allows. The names come from a project, too: they open pages, and no other
/// command is theirs.
void MainWindow::openPages(const QStringList& pages) {
    for (const QString& page : pages.first(std::min(kMostPages, pages.size()))) {
        const QStringList words = page.split(u' ');
        QAction* open = menu_->page(words.first());
        if (open == nullptr || !open->isEnabled())
            continue;
        open->trigger();
        if (words.size() > 1 && pages_->current())
            pages_->moveAcross();
    }
    pages_->showPatterns();
}

void MainWindow::putLayout(Project& project) const {
    project.view[kPages] = pages_->layoutText().join(kBetweenPages).toStdString();
    project.view[kSidePanels] = sides_->areFolded() ? "folded" : "as there is room";
}

/// Projects of earlier versions do not name pages, which then stay.
void MainWindow::takeLayout(const Project& project) {
    if (!project.view.contains(kPages))
        return;
    pages_->closeAll();
    openPages(pagesIn(project));
    const bool folds = isFoldedIn(project);
    if (folds != sides_->areFolded())
        sides_->show(!folds);
}

void MainWindow::dimWhileLoading() {
    const auto dim = [this](bool dimmed) {
        for (int i = 0; i < splitter_->count(); ++i)
            setStale(splitter_->widget(i), dimmed);
    };
    if (!document_.loader()->isBusy())
        return dim(false);
    QTimer::singleShot(kShortLoading, this,
                       [this, dim] { dim(document_.loader()->isBusy() && document_.model()); });
}

void MainWindow::start(const StartOptions& options) {
    project_->offerRecovery();
    const LastView last = lastView();
    const QString path = !options.model.isEmpty() ? QFileInfo(options.model).absoluteFilePath()
                         : QFileInfo::exists(last.model_path) ? last.model_path
                                                              : firstSampleModel();
    if (path.isEmpty())
        return;
    if (ProjectKeeper::isProject(path))
        return openPath(path);
    const bool goes_on = path == last.model_path;
    std::optional<QString> text = options.text;
    if (!text && goes_on && !last.prompt.isEmpty())
        text = last.prompt;
    after_start_ = [this, options, goes_on, head = last.head] {
        if (!options.head.isEmpty())
            selectFromText(options.head);
        else if (goes_on)
            document_.selection().select(head);
        if (goes_on)
            openPages(QSettings().value(pagesKey()).toStringList());
    };
    document_.open(path, text);
}

void MainWindow::selectFromText(const QString& head) {
    const auto mask =
        parseHeadMask(head.toStdString(), document_.model()->spec, AblationKind::Zero);
    if (!mask)
        message_->showError(toQString(mask.error().message));
    else if (!mask->empty())
        document_.selection().select(mask->heads().begin()->first);
}

void MainWindow::flipSquareMatrices() {
    announce_ = true;
    document_.flipSquareMatrices();
}

void MainWindow::openPath(const QString& path) {
    if (!project_->mayGo())
        return;
    if (ProjectKeeper::isProject(path)) {
        QStringList known = recent_.paths();
        for (const SampleModel& sample : sampleModels())
            known << sample.path;
        recent_.add(path);
        return project_->open(path, known);
    }
    announce_ = true;
    document_.open(path);
}

void MainWindow::saySaved(const QString& path) {
    message_->showInfo(tr("Saved %1.").arg(path), tr("&Open It"), [this, path] { openPath(path); });
}

void MainWindow::showTitle() {
    const auto model = document_.model();
    if (!model)
        return;
    QString name = toQString(model->name);
    if (!project_->path().isEmpty())
        name = tr("%1: %2").arg(QFileInfo(project_->path()).completeBaseName(), name);
    setWindowTitle((document_.loadOptions().flip_square_matrices
                        ? tr("%1, square matrices transposed — Headscope")
                        : tr("%1 — Headscope"))
                       .arg(asTitle(name)));
}

void MainWindow::showModel() {
    const auto model = document_.model();
    showTitle();
    recent_.add(QString::fromStdString(model->path.string()));
    message_->endMessage();
    menu_->refillSubmenus();
    if (std::exchange(announce_, false))
        sayOpened(*model);
    if (const auto act = std::exchange(after_start_, nullptr))
        act();
}

void MainWindow::sayOpened(const Model& model) {
    QString text = tr("Opened %1: %2, %3 tensors used, %4 ignored.")
                       .arg(toQString(model.name), modelSummary(model, modelCard(model)),
                            QString::number(model.report.used.size()),
                            QString::number(model.report.ignored.size()));
    if (document_.loadOptions().flip_square_matrices)
        text += QLatin1Char(' ') +
                tr("Its %1 square matrices are read transposed; if attention is noise now, they "
                   "were right before (View > Read Square Matrices Transposed).")
                    .arg(model.report.square_matrices);
    message_->showInfo(text, tr("&Load Report"),
                       [this] { menu_->action(QStringLiteral("actionLoadReport"))->trigger(); });
}

void MainWindow::showLoadError(const QString& path, const QString& message) {
    if (project_->isOpening())
        return; // its model may be elsewhere
    announce_ = false;
    message_->showError(message);
    const QString sample = firstSampleModel();
    const bool nothing_open = !document_.model() && !sample.isEmpty() && path != sample;
    if (!nothing_open)
        return;
    after_start_ = [this, message] { message_->showError(message); };
    document_.open(sample);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!project_->mayGo())
        return event->ignore();
    project_->close();
    QSettings settings;
    settings.setValue(geometryKey(), saveGeometry());
    settings.setValue(splitterKey(), splitter_->saveState());
    settings.setValue(ownWindowsKey(), pages_->hasWindows());
    Project layout;
    putLayout(layout);
    const Project* const own = project_->ownChoices();
    const Project& kept = own ? *own : layout;
    settings.setValue(pagesKey(), pagesIn(kept));
    settings.setValue(sidePanelsKey(), !isFoldedIn(kept));
    keepSession(document_, *pattern_, own);
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedFile(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    openPath(droppedFile(event->mimeData()));
}

} // namespace headscope::ui
