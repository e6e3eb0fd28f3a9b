#include "ui/views/grid/mosaic_heads.h"

#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "ui/markup/markup.h"
#include "ui/tables/effect_text.h"
#include "ui/tables/head_text.h"
#include "ui/tables/trust_text.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/views/grid/type_controls.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/head_mosaic.h"

#include <QCoreApplication>
#include <QScrollArea>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace headscope::ui {

LayerHead headAt(int row, int column) {
    return {static_cast<std::size_t>(row), static_cast<std::size_t>(column)};
}

HeadOrder::HeadOrder(const HeadScores& scores, HeadTypeId type) {
    heads_.reserve(scores.heads.layers());
    for (std::size_t layer = 0; layer < scores.heads.layers(); ++layer) {
        const auto key = [&](std::size_t head) {
            const double score = scores.at(type, {layer, head}).score;
            return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
        };
        auto& heads = heads_.emplace_back();
        for (const LayerHead head : scores.heads.in(layer))
            heads.push_back(head.head);
        std::stable_sort(heads.begin(), heads.end(),
                         [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
    }
}

std::optional<LayerHead> HeadOrder::headAt(int row, int column) const {
    const LayerHead place = ui::headAt(row, column);
    if (isByNumber())
        return place;
    const auto& heads = heads_[place.layer];
    return place.head < heads.size() ? std::optional(LayerHead{place.layer, heads[place.head]})
                                     : std::nullopt;
}

int HeadOrder::columnOf(LayerHead head) const {
    if (isByNumber())
        return static_cast<int>(head.head);
    const auto& heads = heads_[head.layer];
    return static_cast<int>(std::ranges::find(heads, head.head) - heads.begin());
}

namespace {

/// The mosaic does not offer places without a head.
LayerHead headInCell(GridCell cell, const HeadOrder& order) {
    return order.headAt(cell.row, cell.column).value_or(headAt(cell.row, cell.column));
}

GridCell gridCellOf(LayerHead head, const HeadOrder& order) {
    return {static_cast<int>(head.layer), order.columnOf(head)};
}

} // namespace

void connectHeadChoice(HeadMosaic& mosaic, Document& document, const HeadOrder& order) {
    QObject::connect(&mosaic, &HeadMosaic::selected, &document,
                     [&document, &order](int row, int column) {
                         document.selection().select(headInCell({row, column}, order));
                     });
    QObject::connect(&mosaic, &HeadMosaic::severalChosen, &document, [&mosaic, &document, &order] {
        std::vector<LayerHead> heads;
        for (const GridCell cell : mosaic.chosenCells())
            heads.push_back(headInCell(cell, order));
        document.selection().choose(
            heads, headInCell({mosaic.selectedRow(), mosaic.selectedColumn()}, order));
    });
    QObject::connect(&mosaic, &HeadMosaic::toggleRequested, &document, [&document] {
        document.ablation().toggleHeads(document.selection().chosen());
    });
    QObject::connect(
        &document.selection(), &Selection::pointedAtChanged, &mosaic, [&mosaic, &document, &order] {
            const auto head = document.selection().pointedAt();
            mosaic.setPointed(head ? std::optional(gridCellOf(*head, order)) : std::nullopt);
        });
}

void followZoom(HeadMosaic& mosaic, QScrollArea& area) {
    QObject::connect(
        &mosaic, &HeadMosaic::zoomed, &area,
        [&mosaic, &area](int row, int column) {
            const QRect cell = mosaic.cellRect(row, column);
            const QSize half = area.viewport()->size() / 2;
            area.ensureVisible(cell.center().x(), cell.center().y(), half.width(), half.height());
        },
        Qt::QueuedConnection);
}

void showHeadChoice(HeadMosaic& mosaic, const Document& document, const HeadOrder& order) {
    if (!document.model())
        return;
    QVector<GridCell> cells;
    for (const LayerHead head : document.selection().chosen())
        cells << gridCellOf(head, order);
    mosaic.setChosen(cells, gridCellOf(document.selection().head(), order));
}

namespace {

struct CellText {
    Q_DECLARE_TR_FUNCTIONS(CellText)
};

/// Whether a test said something of it.
bool isJudged(const LabelTrust* trust) {
    return trust && trust->word() != TrustWord::Untested && trust->word() != TrustWord::Description;
}

/// "induction 0.59 (cause), sink 0.50"
QString spokenScores(const HeadScores& scores, LayerHead head, const std::vector<HeadTypeId>& types,
                     const LabelTester& tester) {
    QStringList spoken;
    for (const HeadTypeId id : types) {
        const double score = scores.at(id, head).score;
        const LabelTrust* const trust = tester.label(head, id);
        spoken << (isJudged(trust)
                       ? labelWithWord(*trust)
                       : QStringLiteral("%1 %2").arg(typeName(id), std::isnan(score)
                                                                       ? CellText::tr("not defined")
                                                                       : scoreText(score)));
    }
    return spoken.join(QStringLiteral(", "));
}

void addTypes(MosaicCell& cell, const HeadScores& scores, LayerHead head,
              const std::vector<HeadTypeId>& types, const LabelTester& tester) {
    for (const HeadTypeId id : types) {
        if (cell.letters.isEmpty()) {
            cell.colour = typeColourOf(id);
            const LabelTrust* const trust = tester.label(head, id);
            cell.look = trust ? chipLook(trust->word()) : ChipLook::Full;
            cell.strength = std::clamp(scores.at(id, head).aboveBaseline(), 0.0, 1.0);
        }
        cell.letters += QLatin1Char(headType(id).letter);
    }
}

void addValue(MosaicCell& cell, double score, bool labelled) {
    cell.value = shortScoreText(score);
    cell.bold = labelled;
    if (std::isnan(score))
        return;
    cell.colour = colourAt(ColourMap::Viridis, score);
    cell.strength = 1.0;
}

void addScores(MosaicCell& cell, const HeadScores& scores, LayerHead head, const Document& document,
               const CellChoice& choice) {
    const QSet<HeadTypeId>& shown = document.selection().shownTypes();
    std::vector<HeadTypeId> types = labels(scores, head, document.thresholds());
    const bool labelled = choice.score && std::ranges::find(types, *choice.score) != types.end();
    if (!shown.isEmpty())
        std::erase_if(types, [&](HeadTypeId id) { return !shown.contains(id); });
    cell.faded = !shown.isEmpty() && types.empty();
    if (!choice.score) {
        addTypes(cell, scores, head, types, document.labelTester());
    } else if (!cell.faded) {
        addValue(cell, scores.at(*choice.score, head).score, labelled);
        types = {*choice.score};
    }
    cell.spoken = spokenScores(scores, head, types, document.labelTester());
}

EffectMark markOf(EffectVerdict verdict) {
    return verdict == EffectVerdict::Needed       ? EffectMark::Dot
           : verdict == EffectVerdict::Interferes ? EffectMark::Bar
                                                  : EffectMark::Ring;
}

/// The mark is that of the clearest verdict; the tool tip says all.
void addEffects(MosaicCell& cell, std::span<const AblationEffect> effects) {
    if (effects.empty())
        return;
    const EffectVerdict verdict = clearestVerdict(effects);
    cell.effect = markOf(verdict);
    cell.effect_words = verdictName(verdict);
    for (const AblationEffect& effect : effects)
        cell.tooltip +=
            markup(u"<br>%1", CellText::tr("Ablating it (%1): %2, %3 nats")
                                  .arg(effectLabels(effect), verdictName(effect.verdict()),
                                       signedNats(effect.difference)));
}

/// The word of each label and what it says.
void addTrust(MosaicCell& cell, std::span<const LabelTrust> labels) {
    for (const LabelTrust& label : labels)
        cell.tooltip += markup(u"<br>%1: <b>%2</b>. %3", typeName(label.score),
                               wordName(label.word()), wordMeaning(label.word()));
}

MosaicCell cellOf(const Document& document, LayerHead head, const CellChoice& choice) {
    const auto scores = document.headScorer().scores();
    MosaicCell cell;
    if (scores)
        addScores(cell, *scores, head, document, choice);
    if (!choice.order.isByNumber())
        cell.name = QStringLiteral("H%1").arg(head.head);
    cell.tooltip = headTooltip(document.model()->spec, scores.get(), head, document.thresholds(),
                               document.ablation().mask());
    addTrust(cell, document.labelTester().labels(head));
    cell.ablated = document.ablation().mask().isAblated(head);
    addEffects(cell, document.effectTester().effects(head));
    return cell;
}

MosaicCell cellAt(const Document& document, std::optional<LayerHead> head,
                  const CellChoice& choice) {
    if (head && document.model()->spec.hasHead(*head))
        return cellOf(document, *head, choice);
    MosaicCell gap;
    gap.removed = true;
    if (head && choice.order.isByNumber())
        gap.tooltip = Markup(missingHeadTooltip(document.model()->spec, *head));
    return gap;
}

} // namespace

QVector<MosaicCell> headCells(const Document& document, const CellChoice& choice) {
    QVector<MosaicCell> cells;
    const auto model = document.model();
    if (!model)
        return cells;
    const auto n_layers = static_cast<int>(model->spec.n_layers);
    const auto n_heads = static_cast<int>(model->spec.n_heads);
    cells.reserve(qsizetype{n_layers} * n_heads);
    for (int row = 0; row < n_layers; ++row)
        for (int column = 0; column < n_heads; ++column)
            cells.append(cellAt(document, choice.order.headAt(row, column), choice));
    return cells;
}

} // namespace headscope::ui
