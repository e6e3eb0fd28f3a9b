#include "ui/views/pattern/outline_box.h"

#include "core/heads/annotation.h"
#include "core/heads/head_type.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/type_controls.h"

#include <QSignalBlocker>

#include <memory>
#include <utility>

namespace headscope::ui {
namespace {

constexpr int kShortestText = 9; ///< letters that are seen of the type, however narrow the window

/// Punctuation and quotations are found by their characters: a prompt has no treebank.
HeatmapOutline outlineOf(HeadTypeId type, const RunResult& result) {
    InputSequence sequence{result.prompt.ids, result.prompt.has_bos};
    sequence.annotation =
        std::make_shared<const Annotation>(annotationOfMarks(result.prompt.pieces));
    const Targets targets = headType(type).targets(result.full->model->spec, sequence);
    return {[targets, sequence = std::move(sequence)](std::size_t query) {
                return targets(sequence, query);
            },
            typeColourOf(type)};
}

} // namespace

OutlineBox::OutlineBox(Document& document, QWidget* parent)
    : QComboBox(parent), document_(document) {
    setObjectName(QStringLiteral("outlinedType"));
    setAccessibleName(tr("Outlined type"));
    setToolTip(tr("Show where a head of this type would look: outlines the cells that its score "
                  "counts"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kShortestText);
    connect(&document_, &Document::modelChanged, this, &OutlineBox::offerTypes);
    offerTypes();
}

void OutlineBox::offerTypes() {
    const auto chosen = type();
    const QSignalBlocker quiet(this); // the pattern is computed again anyway
    clear();
    addItem(tr("No outline"));
    const auto model = document_.model();
    for (const HeadType& type : headTypes()) {
        if (!model || !type.targets || (type.looks_ahead && model->spec.causal))
            continue;
        addItem(typeIcon(type.id), toQString(type.name), static_cast<int>(type.id));
        setItemData(count() - 1, asTip(toQString(type.summary)), Qt::ToolTipRole);
    }
    setType(chosen);
}

std::optional<HeadTypeId> OutlineBox::type() const {
    const QVariant type = currentData();
    return type.isValid() ? std::optional(static_cast<HeadTypeId>(type.toInt())) : std::nullopt;
}

void OutlineBox::setType(std::optional<HeadTypeId> type) {
    setCurrentIndex(type ? qMax(0, findData(static_cast<int>(*type))) : 0);
}

void OutlineBox::toggle() {
    if (type())
        return setType(std::nullopt);
    if (const auto scores = document_.headScorer().scores())
        for (const HeadTypeId label :
             labels(*scores, document_.selection().head(), document_.thresholds()))
            if (findData(static_cast<int>(label)) > 0)
                return setType(label);
    setCurrentIndex(qMin(1, count() - 1));
}

void OutlineBox::addTo(HeatmapContent& content, const RunResult& result) const {
    const auto chosen = type();
    if (!chosen)
        return;
    content.outline = outlineOf(*chosen, result);
    content.note +=
        QStringLiteral(" · ") +
        tr("outlined: where a perfect head of the type “%1” would look").arg(typeName(*chosen));
}

QString OutlineBox::emptyText(const HeatmapContent& content) const {
    const auto chosen = type();
    if (!chosen || !content.outline.columns)
        return {};
    for (std::size_t row = 0; row < content.cells->rows(); ++row)
        if (!content.outline.columns(row).empty())
            return {};
    return tr("Nothing to outline: this prompt has nothing that a head of the type “%1” would "
              "look at.")
        .arg(typeName(*chosen));
}

} // namespace headscope::ui
