#include "ui/views/pruning/carry_bar.h"

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/export/pruning_files.h"
#include "core/pruning/tables.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <optional>
#include <utility>

namespace headscope::ui {
namespace {

struct SavedAndTimed {
    Result<SavedModel> saved;
    std::optional<Gain> speed;
};

Recipe chosenRecipe(const PruningBench& bench) {
    const PruningDomain& texts = *bench.measuredTexts();
    return recipeFor(*bench.model(), bench.removed(), bench.chosenCurve()->order.spec.name(),
                     bench.result()->question.compensation, texts.calibration,
                     texts.calibration_options);
}

struct FormEnding {
    QString extension; ///< of a folder none
    QString filter;
};

FormEnding endingOf(ModelForm form) {
    switch (form) {
    case ModelForm::HuggingFace:
        return {QString(), CarryBar::tr("Folder (*)")};
    case ModelForm::Gguf:
        return {QStringLiteral(".gguf"), CarryBar::tr("GGUF (*.gguf)")};
    case ModelForm::Hdf5:
        break;
    }
    return {QStringLiteral(".h5"), CarryBar::tr("HDF5 (*.h5)")};
}

} // namespace

CarryBar::CarryBar(PruningBench& bench, Dialogs& dialogs, Sources sources, QWidget* parent)
    : QWidget(parent), bench_(bench), dialogs_(dialogs), sources_(std::move(sources)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    apply_ = addButton("applyCut", tr("Appl&y as Ablation"),
                       tr("Ablates the heads of the chosen point in the grid, and no others"));
    save_ = addButton("saveSmaller", tr("Sa&ve Smaller Model"),
                      tr("Writes the model without these heads, compared with the masked one, "
                         "with its recipe beside it"));
    fillSaveMenu();
    recipe_ = addButton("saveRecipe", tr("Save Reci&pe …"),
                        tr("Writes which heads go and how, for headscope-cli prune --recipe"));
    figure_ = addButton("saveCurveFigure", tr("Fi&gure …"),
                        tr("Writes the curves as .svg, .pdf or .png in light colours"));
    numbers_ = addButton("saveCurveNumbers", tr("N&umbers …"),
                         tr("Writes every point with its intervals as .csv, .json or .h5"));
    layout->addWidget(sources_.copies->makeButton(this));
    layout->addStretch(1);
    connect(apply_, &QPushButton::clicked, this, [this] { sources_.apply(); });
    connect(recipe_, &QPushButton::clicked, this, &CarryBar::saveRecipe);
    connect(figure_, &QPushButton::clicked, this, &CarryBar::saveFigure);
    connect(numbers_, &QPushButton::clicked, this, &CarryBar::saveNumbers);
    connect(&bench_, &PruningBench::resultChanged, this, &CarryBar::showState);
    connect(&bench_, &PruningBench::chosenChanged, this, &CarryBar::showState);
    connect(&worker_, &JobRunner::busyChanged, this, &CarryBar::showState);
    showState();
}

QPushButton* CarryBar::addButton(const char* name, const QString& text, const QString& tip) {
    QPushButton* button = makeButton(name, text, tip, this);
    layout()->addWidget(button);
    return button;
}

void CarryBar::fillSaveMenu() {
    auto* menu = new QMenu(save_);
    const auto add = [&](const char* name, const QString& text, ModelForm form) {
        QAction* action = menu->addAction(text, this, [this, form] { saveModel(form); });
        action->setObjectName(QString::fromLatin1(name));
    };
    add("saveSmallerHdf5", tr("For &Headscope (.h5) …"), ModelForm::Hdf5);
    add("saveSmallerFolder", tr("For &transformers (folder) …"), ModelForm::HuggingFace);
    add("saveSmallerGguf", tr("For &llama.cpp (.gguf) …"), ModelForm::Gguf);
    save_->setMenu(menu);
}

void CarryBar::showState() {
    const bool cut = bench_.chosenCut() != nullptr;
    const bool curves = bench_.result() && !bench_.result()->curves.empty();
    apply_->setEnabled(cut);
    save_->setEnabled(cut && !worker_.isBusy());
    recipe_->setEnabled(cut);
    figure_->setEnabled(curves);
    // A table has a verdict, which needs whole curves.
    numbers_->setEnabled(bench_.verdict().has_value() && !worker_.isBusy());
}

QString CarryBar::askPath(const QString& name, const QString& extension, const QString& filter) {
    return askWhereToExport(dialogs_, this, toQString(bench_.model()->name) + name, extension,
                            filter);
}

void CarryBar::saveModel(ModelForm form) {
    const auto [extension, filter] = endingOf(form);
    const QString path = askPath(QStringLiteral("-pruned"), extension, filter);
    if (path.isEmpty())
        return;
    if (const auto named = smallerModelForm(path.toStdString()); !named)
        return emit said(toQString(named.error().message));
    emit said(tr("Writing the smaller model …"));
    worker_.start(
        [model = bench_.model(), texts = bench_.measuredTexts(), removed = bench_.removed(),
         recipe = chosenRecipe(bench_), file = path.toStdString()](
            const Progress& progress, const std::stop_token& stop) -> SavedAndTimed {
            const Progress shown = withTimeLeft(progress);
            const auto cut = compensatedCut(model, texts->calibration, removed, recipe.compensation,
                                            partOf(shown, 0.0, 0.2), stop);
            if (!cut)
                return {cut.error(), {}};
            auto saved = saveWithRecipe(model, *cut, file, texts->test, recipe,
                                        partOf(shown, 0.2, 0.9), stop);
            auto speed = saved ? speedGain(model, saved->model, texts->test, stop) : std::nullopt;
            return {std::move(saved), std::move(speed)};
        },
        [this, path](const SavedAndTimed& done) { finishModel(done.saved, path, done.speed); });
}

void CarryBar::finishModel(const Result<SavedModel>& saved, const QString& path,
                           const std::optional<Gain>& speed) {
    if (!saved)
        return emit said(toQString(saved.error().message));
    keepExportFolder(path);
    if (speed)
        emit speedMeasured(*speed);
    QString message =
        tr("Saved %1, %2 (predicted %3), with its recipe; it differs by %4 of the largest logit "
           "from the masked model.")
            .arg(path, toQString(byteText(saved->bytes)),
                 toQString(byteText(saved->predicted_bytes)),
                 QString::number(saved->difference, 'g', 2));
    if (!saved->loader_reason.empty())
        message += QLatin1Char(' ') + tr("With transformers, open it by the load_model.py inside.");
    if (!saved->note.empty())
        message += QLatin1Char(' ') + toQString(saved->note);
    emit said(message);
    emit modelSaved(path);
}

void CarryBar::saveRecipe() {
    const QString path = askPath(QStringLiteral("-pruned"), QStringLiteral(".recipe.json"),
                                 tr("Recipe (*.recipe.json)"));
    if (!path.isEmpty())
        finishFile(writeRecipe(path.toStdString(), chosenRecipe(bench_)), path);
}

void CarryBar::saveFigure() {
    const QString path = askPath(QStringLiteral("_pruning"), QStringLiteral(".svg"),
                                 tr("SVG (*.svg);;PDF (*.pdf);;PNG (*.png)"));
    if (!path.isEmpty())
        finishFile(sources_.save_figure(path), path);
}

void CarryBar::saveNumbers() {
    const QString path = askPath(QStringLiteral("_pruning"), QStringLiteral(".csv"), tableFilter());
    if (path.isEmpty())
        return;
    worker_.start(
        [model = bench_.model(), texts = bench_.allMeasuredTexts(), results = bench_.judged(),
         verdict = *bench_.verdict(),
         file = path.toStdString()](const Progress&, const std::stop_token&) {
            PruningTexts judged = *texts;
            judged.domains.resize(results.domains.size());
            const Table table =
                pruningTable(results, verdict, *model, judged, provenanceOf(*model));
            return writePruningCurves(file, table, results);
        },
        [this, path](const Result<void>& written) { finishFile(written, path); });
}

void CarryBar::finishFile(const Result<void>& written, const QString& path) {
    emit said(outcomeOfWriting(written, path));
}

} // namespace headscope::ui
