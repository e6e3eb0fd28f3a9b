#include "ui/document/attribution_reading.h"
#include "ui/views/inside/inside_scene.h"
#include "ui/views/inside/inside_table.h"
#include "ui/views/inside/inside_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

struct InsideLayoutText {
    Q_DECLARE_TR_FUNCTIONS(InsideLayoutText)
};

/// Puts one block under the other.
class InsideLayout {
public:
    InsideLayout(const InsideReading& reading, const InsideOptions& options, double width,
                 const QFont& font)
        : reading_(reading), steps_(reading.steps), options_(options), sheet_(width, font) {}

    InsideScene scene() {
        reads();
        makesVectors();
        addInsideTable(reading_, options_, sheet_);
        writes();
        if (steps_.writes)
            says();
        sheet_.scene.size = {sheet_.width, sheet_.y + kInsideInset};
        return std::move(sheet_.scene);
    }

private:
    void heading(int number, const QString& title, const QString& sentence) {
        sheet_.y += kInsideBlockGap;
        sheet_.y = addInsideHeading(sheet_, number, title, sentence,
                                    {kInsideInset, sheet_.width - kInsideInset});
    }

    /// A vector over the whole width.
    void strip(InsidePart part, const QString& label, std::size_t row = 0) {
        InsideLine& line = sheet_.addLine(InsideLineKind::Strip, label);
        line.runs = {sheet_.tiles(steps_, part, row, sheet_.left(), sheet_.right() - sheet_.left(),
                                  line.area)};
    }

    void reads() {
        const QString place = positionName(*reading_.result, steps_.question.query);
        const bool has_norm = steps_.has_norm;
        heading(1, InsideLayoutText::tr("What the head reads"),
                has_norm ? InsideLayoutText::tr("x, the residual stream at %1, and what the norm "
                                                "of layer %2 makes of it.")
                               .arg(place)
                               .arg(steps_.question.head.layer)
                         : InsideLayoutText::tr("x, the residual stream at %1 as it comes to "
                                                "layer %2.")
                               .arg(place)
                               .arg(steps_.question.head.layer));
        strip(InsidePart::Stream, QStringLiteral("x"));
        if (has_norm)
            strip(InsidePart::Read, InsideLayoutText::tr("norm(x)"));
    }

    QString vectorsSentence() const {
        QString text =
            InsideLayoutText::tr("Three products with the head's own columns of W_Q, W_K and W_V; "
                                 "each position has such a key and value.");
        if (steps_.dimensions.turned)
            text += QLatin1Char(' ') +
                    InsideLayoutText::tr("Query and key are then turned by their position.");
        const QString shared = sharingSentence(steps_);
        return shared.isEmpty() ? text : text + QLatin1Char(' ') + shared;
    }

    void makesVectors() {
        heading(2, InsideLayoutText::tr("Query, keys and values"), vectorsSentence());
        const bool sees_itself = ownRow(steps_) < steps_.keys.size();
        vectors(QString(),
                {{InsidePart::OwnQuery, QStringLiteral("q")},
                 {InsidePart::OwnKey, QStringLiteral("k")},
                 {InsidePart::OwnValue, QStringLiteral("v")}},
                sees_itself);
        if (steps_.dimensions.turned)
            vectors(InsideLayoutText::tr("turned"),
                    {{InsidePart::TurnedQuery, QStringLiteral("q")},
                     {InsidePart::TurnedKey, QStringLiteral("k")}},
                    sees_itself);
    }

    /// Side by side, each after its name; of the query alone where it does not see itself.
    void vectors(const QString& label, const QList<std::pair<InsidePart, QString>>& parts,
                 bool all) {
        constexpr double kName = 16.0;
        InsideLine& line = sheet_.addLine(InsideLineKind::Strip, label);
        const double share = (sheet_.right() - sheet_.left() + kInsideGap) / 3.0;
        double x = sheet_.left();
        for (const auto& [part, name] : all ? parts : parts.first(1)) {
            const QRectF place(x, line.area.top(), kName, line.area.height());
            sheet_.scene.captions.append({InsideCaption::Style::Title, place, name});
            line.runs.append(
                sheet_.tiles(steps_, part, 0, x + kName, share - kName - kInsideGap, line.area));
            x += share;
        }
    }

    void writes() {
        const QString ablated =
            steps_.is_ablated
                ? QLatin1Char(' ') + InsideLayoutText::tr("This head is ablated: what stands in "
                                                          "for its z is shown.")
                : QString();
        heading(6, InsideLayoutText::tr("All heads side by side, and W_O"),
                (options_.all_heads
                     ? InsideLayoutText::tr("The z of all heads of the layer, one after the other, "
                                            "times W_O is what attention adds to the stream.")
                     : InsideLayoutText::tr("The head's z times its own rows of W_O is what it "
                                            "adds to the stream; the heads of a layer add up.")) +
                    ablated);
        if (options_.all_heads)
            concatenation();
        else
            aloneZ();
        strip(InsidePart::HeadOutput, InsideLayoutText::tr("this head adds"));
        if (!steps_.layer_output.empty())
            strip(InsidePart::LayerOutput, InsideLayoutText::tr("attention adds"));
    }

    /// In the colours that it has in the weighted sum.
    void aloneZ() {
        strip(InsidePart::HeadZ, QStringLiteral("z"), placeOfHead(steps_));
        sheet_.scene.lines.last().runs.last().full = fullColour(steps_, InsidePart::Z);
    }

    void concatenation() {
        const double names = sheet_.y;
        sheet_.y += sheet_.small_height;
        InsideLine& line = sheet_.addLine(InsideLineKind::Strip, QStringLiteral("z"));
        constexpr double kBetween = 4.0;
        const std::size_t heads = steps_.heads.size();
        double share = (sheet_.right() - sheet_.left()) / static_cast<double>(heads);
        for (std::size_t head = 0; head < heads; ++head) {
            const double x = sheet_.left() + static_cast<double>(head) * share;
            line.runs.append(sheet_.tiles(steps_, InsidePart::HeadZ, head, x,
                                          std::max(1.0, share - kBetween), line.area));
            share = std::min(share, line.runs.last().area.width() + kBetween);
            const bool is_this = head == placeOfHead(steps_);
            line.runs.last().is_marked = is_this;
            const QString name = QString::number(steps_.heads[head]);
            if (QFontMetricsF(sheet_.small_font).horizontalAdvance(name) < share)
                sheet_.scene.captions.append(
                    {is_this ? InsideCaption::Style::Title : InsideCaption::Style::Column,
                     {x, names, share, sheet_.small_height},
                     name});
        }
    }

    void says() {
        heading(7, InsideLayoutText::tr("What it says to the prediction"),
                InsideLayoutText::tr("What the head adds, read through the last norm and the "
                                     "unembedding: the tokens whose logits it raises and lowers "
                                     "most."));
        const auto& [raised, lowered] = *steps_.writes;
        for (std::size_t row = 0; row < std::max(raised.size(), lowered.size()); ++row) {
            InsideLine& line = sheet_.addLine(InsideLineKind::Strip, QString());
            const double half = (sheet_.width - 2.0 * kInsideInset) / 2.0;
            if (row < raised.size())
                line.runs.append(
                    token(InsidePart::Raised, row, raised[row], kInsideInset, half, line.area));
            if (row < lowered.size())
                line.runs.append(token(InsidePart::Lowered, row, lowered[row], kInsideInset + half,
                                       half, line.area));
        }
    }

    InsideRun token(InsidePart part, std::size_t row, const WrittenToken& written, double x,
                    double width, const QRectF& line) const {
        constexpr double kMost = 340.0;
        return {part,
                row,
                {x, line.top(), std::min(kMost, width - kInsideGap), line.height()},
                1,
                1,
                fullColour(steps_, part),
                tokenText(reading_.run->model(), written.id)};
    }

    const InsideReading& reading_;
    const HeadSteps& steps_;
    const InsideOptions& options_;
    InsideSheet sheet_;
};

} // namespace

InsideScene layOutInside(const InsideReading& reading, const InsideOptions& options, double width,
                         const QFont& font) {
    return InsideLayout(reading, options, width, font).scene();
}

} // namespace headscope::ui
