#include "ui/views/tokens/token_reading.h"

#include "core/model/prompt.h"
#include "ui/document/token_groups.h"
#include "ui/tables/head_text.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/widgets/colours.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace headscope::ui {

namespace {

/// With spaces and line ends as they are.
QString safeText(const QString& text) {
    QString safe;
    for (const uint letter : text.toUcs4()) {
        const auto code = static_cast<char32_t>(letter);
        const QString character = QString::fromUcs4(&code, 1);
        const bool is_space = code == U' ' || code == U'\n' || code == U'\t';
        safe += is_space ? character : toQString(displayPiece(character.toStdString()));
    }
    return safe;
}

} // namespace

QVector<TextPiece> promptPieces(const RunResult& result) {
    const PromptLetters letters(result.prompt);
    QVector<TextPiece> pieces;
    std::size_t written = 0; // code points of the text
    const auto addBetween = [&](std::size_t end) {
        if (written < end)
            pieces.append({safeText(letters({written, end})), 0, 0, false});
    };
    for (const TokenGroup& group : tokenGroups(result.prompt)) {
        const QString& label = result.shown_pieces[static_cast<qsizetype>(group.first)];
        if (group.isOfText()) {
            addBetween(group.range.begin);
            pieces.append({safeText(letters(group.range)), group.first, group.tokens, false});
            written = group.range.end;
        } else if (result.prompt.text.empty()) {
            if (!pieces.isEmpty())
                pieces.append({QStringLiteral(" "), 0, 0, false});
            pieces.append({label, group.first, 1, false});
        } else {
            pieces.append({label, group.first, 1, true});
        }
    }
    addBetween(letters.size());
    return pieces;
}

namespace {

struct ReadingText {
    Q_DECLARE_TR_FUNCTIONS(TokenReading)
};

constexpr std::size_t kMostOfEach = 1; ///< of several heads

double largestOf(const CellSource& cells) {
    double largest = 0.0;
    for (const float value : cells.overview().values.values())
        if (!std::isnan(value))
            largest = std::max(largest, std::fabs(static_cast<double>(value)));
    return largest > 0.0 ? largest : 1.0;
}

/// The value of full strength in each map.
std::vector<double> largestOf(const TokenReading& reading, const PatternSettings& settings) {
    const bool are_differences = reading.maps.areDifferences();
    std::vector<double> largest(reading.patterns.size(), 1.0);
    if (settings.own_scale || are_differences)
        std::ranges::transform(reading.patterns, largest.begin(), [](const HeadPattern& pattern) {
            return largestOf(*pattern.shown);
        });
    if (are_differences && !settings.own_scale)
        std::ranges::fill(largest, std::ranges::max(largest));
    return largest;
}

CellColours scaleOf(const TokenReading& reading, std::size_t head,
                    const PatternSettings& settings) {
    const bool are_differences = reading.maps.areDifferences();
    const double high = reading.largest[head];
    return {are_differences ? ColourMap::Diverging : settings.colours,
            are_differences ? -high : 0.0, high,
            valueScale(settings, reading.hides_first_key, reading.first_key_share)};
}

/// The values beside a token, NaN for those that are not visible or hidden.
std::vector<float> valuesAround(const HeadPattern& pattern, std::size_t token,
                                TokenDirection direction) {
    const CellRange one{token, token + 1};
    const CellRange all{0, pattern.cells->columns()};
    const bool reads = direction == TokenDirection::Reads;
    const Tensor cells = pattern.cells->exact(reads ? one : all, reads ? all : one);
    std::vector<float> values(cells.values().begin(), cells.values().end());
    if (reads && token > 0 && pattern.hidesFirstKey())
        values[0] = std::numeric_limits<float>::quiet_NaN();
    return values;
}

QString fewerHeadsText(const TokenReading& reading) {
    return ReadingText::tr("the first %1 of %2 chosen heads")
        .arg(reading.heads.size())
        .arg(reading.chosen);
}

QString headsTitle(const TokenReading& reading, const Document& document) {
    const PatternSource& source = reading.source();
    const PatternMap map = reading.maps.map();
    if (reading.heads.size() == 1)
        return patternTitle(source, reading.heads.front(), document.scoresOf(source).get(),
                            document.thresholds(), map);
    PatternSource unnamed = source; // the side is said once
    unnamed.side.reset();
    QStringList titles;
    for (const LayerHead head : reading.heads)
        titles << patternTitle(unnamed, head, nullptr, document.thresholds());
    QString title = titles.join(QStringLiteral(", "));
    if (source.side)
        title.prepend(sideName(*source.side) + QStringLiteral(" · "));
    if (map != PatternMap::Attention)
        title += QStringLiteral(" · ") + valueName(map, false);
    return title;
}

} // namespace

Result<TokenReading> readTokens(const PatternSource& source, const std::vector<LayerHead>& heads,
                                const PatternSettings& settings, const PatternMaps& known,
                                const std::stop_token& stop) {
    auto maps = PatternMaps::read(source, settings.map, known, stop);
    if (!maps)
        return maps.error();
    TokenReading reading;
    reading.maps = *std::move(maps);
    reading.chosen = heads.size();
    reading.heads.assign(heads.begin(),
                         heads.begin() + std::min<std::ptrdiff_t>(std::ssize(heads), kHeadColours));
    for (const LayerHead head : reading.heads) {
        HeadPattern& pattern = reading.patterns.emplace_back(reading.maps.of(head));
        readFirstKey(pattern);
        reading.first_key_share +=
            pattern.first_key_share / static_cast<double>(reading.heads.size());
    }
    reading.hides_first_key =
        !reading.maps.areDifferences() && hidesFirstKey(settings, reading.first_key_share);
    for (HeadPattern& pattern : reading.patterns) {
        if (reading.hides_first_key)
            hideFirstKey(pattern, settings.rescale_rows);
        pattern.shown->exact({0, 1}, {0, 1}); // so that columns are known, off the window
    }
    reading.largest = largestOf(reading, settings);
    return reading;
}

TokenContent tokenContent(const TokenReading& reading, const PatternSettings& settings,
                          const Document& document) {
    TokenContent content;
    content.text = promptPieces(*reading.result());
    content.labels = reading.source().labels();
    for (std::size_t i = 0; i < reading.heads.size(); ++i)
        content.heads.append(
            {headName(reading.heads[i]), reading.patterns[i].shown, scaleOf(reading, i, settings)});
    content.title = headsTitle(reading, document);
    content.note =
        patternNote(reading.source(), reading.patterns.front()) +
        scaleNote(valueScale(settings, reading.hides_first_key, reading.first_key_share));
    if (reading.heads.size() < reading.chosen)
        content.note += QStringLiteral(" · ") + fewerHeadsText(reading);
    if (document.loadOptions().flip_square_matrices)
        content.note += QStringLiteral(" · ") + ReadingText::tr("square matrices transposed");
    return content;
}

QString readingText(const TokenReading& reading, std::size_t token, TokenDirection direction) {
    const bool is_one = reading.heads.size() == 1;
    QStringList parts;
    for (std::size_t i = 0; i < reading.heads.size(); ++i) {
        const std::vector<float> values = valuesAround(reading.patterns[i], token, direction);
        const QString name = is_one ? QString() : headName(reading.heads[i]) + QLatin1Char(' ');
        parts << name + strongestText(*reading.result(), values, is_one ? kMostNamed : kMostOfEach);
    }
    const bool reads = direction == TokenDirection::Reads;
    if (const HeadPattern& one = reading.patterns.front();
        is_one && reads && token > 0 && one.hidesFirstKey())
        parts << tokenValue(*reading.result(), 0, one.first_key[token]); // hidden, but not unsaid
    const QString name = tokenName(*reading.result(), token);
    const QString others = parts.join(QStringLiteral(" · "));
    if (is_one)
        return readingSentence(reading.patterns.front(), direction).arg(name, others);
    return (reads ? ReadingText::tr("query %1 → %2") : ReadingText::tr("key %1 ← %2"))
        .arg(name, others);
}

QString pairText(const TokenReading& reading, std::size_t query, std::size_t key) {
    if (reading.heads.size() == 1)
        return cellText(reading.source(), reading.patterns.front(), query, key);
    QStringList parts;
    for (std::size_t i = 0; i < reading.heads.size(); ++i) {
        const float value =
            reading.patterns[i].cells->exact({query, query + 1}, {key, key + 1})(0, 0);
        parts << headName(reading.heads[i]) + QLatin1Char(' ') +
                     (std::isnan(value) ? ReadingText::tr("masked")
                                        : QString::number(static_cast<double>(value), 'f', 3));
    }
    return ReadingText::tr("query %1 → key %2 · %3")
        .arg(tokenName(*reading.result(), query), tokenName(*reading.result(), key),
             parts.join(QStringLiteral(" · ")));
}

QString leftOutText(const TokenReading& reading) {
    QStringList parts;
    if (reading.heads.size() < reading.chosen)
        parts << fewerHeadsText(reading);
    if (reading.hides_first_key)
        parts << ReadingText::tr("without the first key ‹%1› (%2 of the attention)")
                     .arg(reading.result()->shown_pieces.first(),
                          percentText(reading.first_key_share));
    return parts.join(QStringLiteral(" · "));
}

} // namespace headscope::ui
