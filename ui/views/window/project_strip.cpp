#include "ui/views/window/project_strip.h"

#include "core/heads/head_type.h"
#include "core/model/model.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/window/project_keeper.h"
#include "ui/widgets/labels.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>

namespace headscope::ui {
namespace {

const QColor kProjectTint(0, 114, 178);
constexpr qsizetype kMostTypes = 3; ///< that are named

/// "Induction, Previous token and 2 more"; empty: none differs.
QString movedTypes(const Thresholds& own, const Thresholds& now) {
    QStringList names;
    for (const HeadType& type : headTypes())
        if (own.of(type.id) != now.of(type.id))
            names << typeName(type.id);
    const qsizetype more = names.size() - kMostTypes;
    if (more <= 0)
        return names.join(QStringLiteral(", "));
    return ProjectStrip::tr("%1 and %2 more")
        .arg(names.first(kMostTypes).join(QStringLiteral(", ")))
        .arg(more);
}

} // namespace

ProjectStrip::ProjectStrip(Document& document, ProjectKeeper& keeper, QWidget* parent)
    : TintedFrame(kProjectTint, parent), document_(document), keeper_(keeper) {
    setObjectName(QStringLiteral("projectStrip"));
    text_ = new TextLabel(this);
    text_->setObjectName(QStringLiteral("projectStripText"));
    text_->setWordWrap(true);
    use_own_ = new QPushButton(tr("Use My Settings"), this);
    use_own_->setObjectName(QStringLiteral("useOwnSettings"));
    use_own_->setToolTip(tr("Goes back to the thresholds, BOS and kind of ablation that were there "
                            "before the project was opened"));
    add_notes_ = new QPushButton(tr("Add to My Notes"), this);
    add_notes_->setObjectName(QStringLiteral("addProjectNotes"));
    add_notes_->setToolTip(tr("Your own notes stay; where both say something, the project's text "
                              "follows yours"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 8, 4);
    layout->addWidget(text_, 1);
    layout->addWidget(use_own_);
    layout->addWidget(add_notes_);
    connect(use_own_, &QPushButton::clicked, &keeper_, &ProjectKeeper::useOwnSettings);
    connect(add_notes_, &QPushButton::clicked, &document_.notes(), &NoteBook::addProjectNotes);
    connect(&keeper_, &ProjectKeeper::pathChanged, this, &ProjectStrip::showState);
    connect(&document_, &Document::labelsChanged, this, &ProjectStrip::showState);
    connect(&document_, &Document::promptChanged, this, &ProjectStrip::showState);
    connect(&document_.ablation(), &Ablation::kindChanged, this, &ProjectStrip::showState);
    connect(&document_.notes(), &NoteBook::changed, this, &ProjectStrip::showState);
    showState();
}

QString ProjectStrip::settingsText() const {
    const Project* const own = keeper_.ownChoices();
    const auto model = document_.model();
    if (own == nullptr || !model)
        return {};
    QStringList parts;
    if (const QString types = movedTypes(own->thresholds, document_.thresholds()); !types.isEmpty())
        parts << tr("thresholds (%1)").arg(types);
    if (model->spec.bos_token && own->bos != document_.bosMode())
        parts << tr("BOS");
    if (own->ablation_kind != document_.ablation().kind())
        parts << tr("kind of ablation");
    if (parts.isEmpty())
        return {};
    return tr("While the project “%1” is open, other settings than yours are used: %2.")
        .arg(QFileInfo(keeper_.path()).completeBaseName(), parts.join(QStringLiteral(", ")));
}

QString ProjectStrip::notesText() const {
    const std::size_t heads = document_.notes().projectNotes().size();
    if (heads == 0)
        return {};
    return heads == 1 ? tr("It has a note on one head that is not among yours.")
                      : tr("It has notes on %1 heads that are not among yours.").arg(heads);
}

void ProjectStrip::showState() {
    QString settings = settingsText();
    const QString notes = notesText();
    use_own_->setVisible(!settings.isEmpty());
    add_notes_->setVisible(!notes.isEmpty());
    if (settings.isEmpty() && !notes.isEmpty())
        settings =
            keeper_.path().isEmpty()
                ? tr("What was open is restored.")
                : tr("The project “%1” is open.").arg(QFileInfo(keeper_.path()).completeBaseName());
    text_->setText(notes.isEmpty() ? settings : settings + QLatin1Char(' ') + notes);
    setVisible(!text_->text().isEmpty());
}

} // namespace headscope::ui
