#include "ui/views/inside/inside_text.h"

#include "ui/document/attribution_reading.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

struct InsideText {
    Q_DECLARE_TR_FUNCTIONS(InsideText)
};

constexpr std::size_t kTerms = 4;       ///< of a sum that is written out
constexpr std::size_t kListed = 6;      ///< numbers of one tile
constexpr double kSmall = 0.001;        ///< below, numbers have an exponent
constexpr double kLarge = 100000.0;     ///< from here on, too
constexpr double kOtherNumber = 0.0005; ///< share above which a norm has changed a number

QString fixedNumber(double value, int least_decimals) {
    const double size = std::abs(value);
    if (size != 0.0 && (size < kSmall || size >= kLarge))
        return withMinus(QString::number(value, 'e', least_decimals > 3 ? 3 : 1));
    const int decimals = size >= 1000.0 ? 1 : size >= 10.0 ? least_decimals - 1 : least_decimals;
    return withMinus(QString::number(value, 'f', decimals));
}

/// "0.41 × −1.20"
QString term(double a, double b) {
    return QStringLiteral("%1 × %2").arg(shortNumber(a), shortNumber(b));
}

QString written(const QStringList& terms, std::size_t all, const QString& bias = {}) {
    QStringList shown = terms;
    if (all > static_cast<std::size_t>(terms.size()))
        shown << QStringLiteral("…");
    if (!bias.isEmpty())
        shown << bias;
    return shown.join(QStringLiteral(" + "));
}

/// What a part is called in sums.
QString symbol(InsidePart part) {
    switch (part) {
    case InsidePart::Stream:
        return QStringLiteral("x");
    case InsidePart::Read:
        return InsideText::tr("norm(x)");
    case InsidePart::OwnQuery:
    case InsidePart::TurnedQuery:
    case InsidePart::Query:
        return QStringLiteral("q");
    case InsidePart::OwnKey:
    case InsidePart::TurnedKey:
    case InsidePart::Key:
        return QStringLiteral("k");
    case InsidePart::Product:
        return QStringLiteral("q×k");
    case InsidePart::OwnValue:
    case InsidePart::Value:
    case InsidePart::WeightedValue:
        return QStringLiteral("v");
    case InsidePart::Z:
    case InsidePart::HeadZ:
        return QStringLiteral("z");
    case InsidePart::HeadOutput:
        return QStringLiteral("z·W_O");
    case InsidePart::LayerOutput:
        return QStringLiteral("[z]·W_O");
    default:
        return {};
    }
}

/// At the end of what says where a number is.
QString placeOf(const InsideReading& reading, const InsideCell& cell) {
    const HeadSteps& steps = reading.steps;
    if (cell.part == InsidePart::HeadZ)
        return headName({steps.question.head.layer, steps.heads[cell.row]});
    return positionName(*reading.result,
                        isOfKey(cell.part) ? reading.positionOf(cell.row) : steps.question.query);
}

QString explanation(InsidePart part) {
    switch (part) {
    case InsidePart::Stream:
        return InsideText::tr("what the residual stream holds");
    case InsidePart::Read:
        return InsideText::tr("what the norm makes of the stream");
    case InsidePart::OwnQuery:
    case InsidePart::Query:
        return InsideText::tr("the query");
    case InsidePart::OwnKey:
    case InsidePart::Key:
        return InsideText::tr("the key");
    case InsidePart::OwnValue:
    case InsidePart::Value:
    case InsidePart::WeightedValue:
        return InsideText::tr("the value");
    case InsidePart::TurnedQuery:
        return InsideText::tr("the query, turned");
    case InsidePart::TurnedKey:
        return InsideText::tr("the key, turned");
    case InsidePart::Product:
        return InsideText::tr("query times key");
    case InsidePart::Z:
    case InsidePart::HeadZ:
        return InsideText::tr("the head's output z");
    case InsidePart::HeadOutput:
        return InsideText::tr("what the head adds to the stream");
    case InsidePart::LayerOutput:
        return InsideText::tr("what attention adds to the stream");
    default:
        return {};
    }
}

/// The numbers of a tile.
QString numbersOf(const InsideReading& reading, const InsideCell& cell) {
    const auto number = [&](std::size_t index) {
        return longNumber(insideValue(reading.steps, cell.part, cell.row, index));
    };
    const QString name = symbol(cell.part);
    if (cell.count == 1)
        return QStringLiteral("%1 = %2").arg(indexed(name, cell.index), number(cell.index));
    const QString range = QStringLiteral("%1 … %2").arg(indexed(name, cell.index),
                                                        indexed(name, cell.index + cell.count - 1));
    if (cell.count > kListed) {
        const std::size_t largest = largestIndex(reading.steps, cell);
        return InsideText::tr("%1: the largest is %2 = %3")
            .arg(range, indexed(name, largest), number(largest));
    }
    QStringList numbers;
    for (std::size_t index = cell.index; index < cell.index + cell.count; ++index)
        numbers << number(index);
    return QStringLiteral("%1 = %2").arg(range, numbers.join(QStringLiteral(", ")));
}

/// "2 ·Mary, the key: k₃ = 0.41."
QString tileText(const InsideReading& reading, const InsideCell& cell) {
    return QStringLiteral("%1, %2: %3.")
        .arg(placeOf(reading, cell), explanation(cell.part), numbersOf(reading, cell));
}

/// Σ of terms that are `count`, the largest first.
template <class Factor, class Weight>
QString sumText(std::size_t count, const Factor& factor, const Weight& weight) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(kTerms, count);
    std::ranges::partial_sort(
        order, order.begin() + static_cast<std::ptrdiff_t>(shown), std::ranges::greater(),
        [&](std::size_t index) { return std::abs(factor(index) * weight(index)); });
    QStringList terms;
    for (std::size_t i = 0; i < shown; ++i)
        terms << term(factor(order[i]), weight(order[i]));
    return written(terms, count);
}

/// A number of a product with a weight matrix, after tileText().
QString matrixText(const InsideReading& reading, const InsideCell& cell) {
    const std::size_t index = largestIndex(reading.steps, cell);
    const Model& model = reading.run->model();
    const WrittenProduct product = cell.part == InsidePart::OwnQuery
                                       ? writtenQuery(model, reading.steps, index)
                                       : writtenOutput(model, reading.steps, index);
    QStringList terms;
    for (std::size_t i = 0; i < std::min(kTerms, product.terms.size()); ++i)
        terms << term(product.terms[i].factor, product.terms[i].weight);
    const QString bias =
        product.bias == 0.0 ? QString() : InsideText::tr("bias %1").arg(shortNumber(product.bias));
    const QString text =
        QStringLiteral("%1 = %2 = %3.")
            .arg(indexed(symbol(cell.part), index), written(terms, product.terms.size(), bias),
                 longNumber(product.value));
    const double shown = insideValue(reading.steps, cell.part, cell.row, index);
    const bool is_other =
        std::abs(shown - product.value) > kOtherNumber * (1.0 + std::abs(product.value));
    return is_other ? InsideText::tr("Before it is normalised, limited or scaled: %1").arg(text)
                    : text;
}

QString productText(const InsideReading& reading, const InsideCell& cell) {
    const HeadSteps& steps = reading.steps;
    const std::size_t index = largestIndex(steps, cell);
    const QString text =
        QStringLiteral("%1 × %2 = %3 = %4.")
            .arg(indexed(QStringLiteral("q"), index), indexed(QStringLiteral("k"), index),
                 term(steps.dimensions.query[index], steps.dimensions.keys(cell.row, index)),
                 longNumber(insideValue(steps, InsidePart::Product, cell.row, index)));
    if (cell.count == 1)
        return QStringLiteral("%1: %2").arg(placeOf(reading, cell), text);
    return tileText(reading, cell) + QLatin1Char(' ') + text;
}

QString keyText(const InsideReading& reading, const InsideCell& cell) {
    const QString text = tileText(reading, cell);
    const QueryDimensions& dimensions = reading.steps.dimensions;
    if (!dimensions.turned)
        return text;
    const std::size_t index = largestIndex(reading.steps, cell);
    return text + QLatin1Char(' ') +
           InsideText::tr("Before rotary positions %1 = %2.")
               .arg(indexed(QStringLiteral("k"), index),
                    longNumber(dimensions.keys_before(cell.row, index)));
}

QString valueText(const InsideReading& reading, const InsideCell& cell) {
    const HeadSteps& steps = reading.steps;
    const std::size_t index =
        largestIndex(steps, {InsidePart::Value, cell.row, cell.index, cell.count});
    const double weight = steps.keys[cell.row].weight;
    return tileText(reading, {InsidePart::Value, cell.row, cell.index, cell.count}) +
           QLatin1Char(' ') +
           InsideText::tr("Weight times value, %1 = %2, is its part of %3 = %4.")
               .arg(term(weight, steps.values(cell.row, index)),
                    longNumber(weight * steps.values(cell.row, index)),
                    indexed(QStringLiteral("z"), index), longNumber(steps.z[index]));
}

QString zText(const InsideReading& reading, const InsideCell& cell) {
    const HeadSteps& steps = reading.steps;
    const std::size_t index = largestIndex(steps, cell);
    const QString sum = sumText(
        steps.keys.size(), [&](std::size_t row) { return steps.keys[row].weight; },
        [&](std::size_t row) { return steps.values(row, index); });
    return (cell.count == 1 ? QString() : tileText(reading, cell) + QLatin1Char(' ')) +
           InsideText::tr("Weights times values: %1 = %2 = %3.")
               .arg(indexed(QStringLiteral("z"), index), sum, longNumber(steps.z[index]));
}

QString dotText(const InsideReading& reading, const InsideCell& cell) {
    const QueryDimensions& dimensions = reading.steps.dimensions;
    const QString sum = sumText(
        dimensions.query.size(), [&](std::size_t index) { return dimensions.query[index]; },
        [&](std::size_t index) { return dimensions.keys(cell.row, index); });
    return InsideText::tr("%1: q · k = %2 = %3, over %4 dimensions.")
        .arg(placeOf(reading, cell), sum, longNumber(reading.steps.keys[cell.row].product),
             QString::number(dimensions.query.size()));
}

QString exponentText(const HeadSteps& steps, double score, double result) {
    const QString difference = QStringLiteral("%1 − %2").arg(
        shortNumber(score), steps.largest < 0.0
                                ? QStringLiteral("(%1)").arg(shortNumber(steps.largest))
                                : shortNumber(steps.largest));
    const QString exponent = steps.isWhatIf()
                                 ? QStringLiteral("(%1) / %2")
                                       .arg(difference, temperatureText(steps.question.temperature))
                                 : difference;
    return QStringLiteral("exp(%1) = %2").arg(exponent, longNumber(result));
}

QString weightText(const HeadSteps& steps, double exponential) {
    const double weight = exponential / steps.sum;
    return QStringLiteral("%1 / %2 = %3 (%4)")
        .arg(longNumber(exponential), longNumber(steps.sum), longNumber(weight),
             percentText(weight));
}

QString scoreText(const HeadSteps& steps, const KeySteps& key, InsidePart part) {
    switch (part) {
    case InsidePart::Scaled:
        return InsideText::tr("q · k times the scale: %1 = %2%3.")
            .arg(term(key.product, steps.scale), longNumber(key.scaled),
                 scaleText(steps).startsWith(QChar(0x00F7))
                     ? QStringLiteral(" (%1)").arg(scaleText(steps))
                     : QString());
    case InsidePart::Capped:
        return InsideText::tr("The soft-cap: %1 × tanh(%2 / %1) = %3.")
            .arg(shortNumber(steps.softcap), shortNumber(key.scaled), longNumber(key.capped));
    case InsidePart::Distance:
        return InsideText::tr("The bias by distance adds %1.")
            .arg(longNumber(key.score - key.capped));
    case InsidePart::Score:
        return InsideText::tr("The score: %1 + %2 = %3.")
            .arg(shortNumber(key.capped), shortNumber(key.score - key.capped),
                 longNumber(key.score));
    case InsidePart::Exponential:
        return InsideText::tr("Of the score less the largest one: %1.")
            .arg(exponentText(steps, key.score, key.exponential));
    default:
        return InsideText::tr("The weight is its share of the sum: %1.")
            .arg(weightText(steps, key.exponential));
    }
}

QString tokenReadout(const InsideReading& reading, const InsideCell& cell) {
    const bool raised = cell.part == InsidePart::Raised;
    const HeadWrites& writes = *reading.steps.writes;
    const WrittenToken& token = (raised ? writes.raised : writes.lowered)[cell.row];
    return (raised ? InsideText::tr("The head raises the logit of %1 by %2, directly and compared "
                                    "with the mean of all tokens.")
                   : InsideText::tr("The head lowers the logit of %1 by %2, directly and compared "
                                    "with the mean of all tokens."))
        .arg(tokenText(reading.run->model(), token.id),
             longNumber(std::abs(static_cast<double>(token.change))));
}

QString sumReadout(const HeadSteps& steps, InsidePart part) {
    switch (part) {
    case InsidePart::SinkScore:
        return InsideText::tr("The learned sink has the score %1 for every query.")
            .arg(longNumber(*steps.sink));
    case InsidePart::SinkExponential:
        return InsideText::tr("The learned sink: %1.")
            .arg(exponentText(steps, *steps.sink, steps.sink_exponential));
    case InsidePart::SinkWeight:
        return InsideText::tr("The learned sink takes %1 and writes nothing.")
            .arg(weightText(steps, steps.sink_exponential));
    case InsidePart::Sum:
        return InsideText::tr("The sum of all exponentials is %1.").arg(longNumber(steps.sum));
    default:
        return InsideText::tr("The weights of the keys add up to %1.")
            .arg(longNumber(insideValue(steps, InsidePart::WeightSum, 0, 0)));
    }
}

QString vectorReadout(const InsideReading& reading, const InsideCell& cell) {
    switch (cell.part) {
    case InsidePart::OwnQuery:
    case InsidePart::HeadOutput:
        return tileText(reading, cell) + QLatin1Char(' ') + matrixText(reading, cell);
    case InsidePart::Product:
        return productText(reading, cell);
    case InsidePart::Key:
        return keyText(reading, cell);
    case InsidePart::Value:
    case InsidePart::WeightedValue:
        return valueText(reading, cell);
    case InsidePart::Z:
        return zText(reading, cell);
    default:
        return tileText(reading, cell);
    }
}

} // namespace

QString shortNumber(double value) {
    return fixedNumber(value, 3);
}

QString tileNumber(double value) {
    const double size = std::abs(value);
    return withMinus(QString::number(value, 'f', size >= 100.0 ? 0 : size >= 10.0 ? 1 : 2));
}

QString longNumber(double value) {
    return fixedNumber(value, 4);
}

QString indexed(const QString& name, std::size_t index) {
    constexpr char16_t kSubscriptZero = u'\u2080';
    QString text = name;
    for (const QChar digit : QString::number(index))
        text += QChar(static_cast<char16_t>(kSubscriptZero + digit.digitValue()));
    return text;
}

QString insideReadout(const InsideReading& reading, const InsideCell& cell) {
    if (isVector(cell.part))
        return vectorReadout(reading, cell);
    if (cell.part == InsidePart::Raised || cell.part == InsidePart::Lowered)
        return tokenReadout(reading, cell);
    if (!isOfKey(cell.part))
        return sumReadout(reading.steps, cell.part);
    if (cell.part == InsidePart::Dot)
        return dotText(reading, cell);
    return QStringLiteral("%1: %2").arg(
        placeOf(reading, cell), scoreText(reading.steps, reading.steps.keys[cell.row], cell.part));
}

QString sharingSentence(const HeadSteps& steps) {
    QStringList others;
    for (const LayerHead head : steps.group)
        if (head != steps.question.head)
            others << QString::number(head.head);
    if (others.isEmpty())
        return {};
    if (others.size() == 1)
        return InsideText::tr("Its keys and values are shared with head %1.").arg(others.front());
    const QString last = others.takeLast();
    return InsideText::tr("Its keys and values are shared with heads %1 and %2.")
        .arg(others.join(QStringLiteral(", ")), last);
}

QString whatIfSentence(double temperature) {
    return temperature == 1.0 ? QString()
                              : InsideText::tr("What if: temperature %1; the network's own is 1")
                                    .arg(temperatureText(temperature));
}

QString temperatureText(double temperature) {
    return QString::number(temperature, 'f', temperature < 1.0 ? 2 : 1);
}

QString scaleText(const HeadSteps& steps) {
    const auto dimensions = static_cast<double>(steps.dimensions.query.size());
    constexpr double kNear = 1e-6;
    return std::abs(steps.scale * std::sqrt(dimensions) - 1.0) < kNear
               ? QStringLiteral("÷ √%1").arg(steps.dimensions.query.size())
               : QStringLiteral("× %1").arg(shortNumber(steps.scale));
}

} // namespace headscope::ui
