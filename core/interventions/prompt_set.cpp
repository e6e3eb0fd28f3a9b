#include "core/interventions/prompt_set.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/heads/mean_interval.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

constexpr double kChangeError = 0.05;

PromptReading readingOf(const LogitReader& reader) {
    PromptReading reading;
    reading.loss = meanLoss(reader.losses());
    if (!reader.predictions().empty())
        reading.best = reader.predictions().front();
    return reading;
}

std::optional<double> divergenceOf(const ModelSpec& spec, const TokenIds& ids,
                                   const LogitReader& whole, const LogitReader& ablated) {
    if (whole.predicting().empty() || ablated.predicting().empty())
        return std::nullopt;
    Metric metric;
    metric.kind = MetricKind::Kl;
    metric.position = whole.predictedAt();
    auto divergence = PromptMetric::make(metric, spec, ids);
    if (!divergence)
        return std::nullopt;
    divergence->keepReference(*metric.position, whole.predicting());
    return divergence->at(*metric.position, ablated.predicting());
}

std::map<HeadTypeId, PerHead<float>> scoresOf(const std::map<HeadTypeId, Measurement>& measurements,
                                              const HeadIndex& heads) {
    std::map<HeadTypeId, PerHead<float>> scores;
    for (const auto& [id, measured] : measurements) {
        PerHead<float>& of_type = scores.emplace(id, PerHead<float>(heads)).first->second;
        for (const LayerHead head : heads)
            of_type[head] = static_cast<float>(measured.heads[head].score);
    }
    return scores;
}

/// Runs a set, some prompts at a time, through both networks.
class SetRun {
public:
    SetRun(PromptSetResult& result, const std::stop_token& stop)
        : result_(result), spec_(result.model->spec), stop_(stop),
          sequences_(promptSequences(result.set.prompts)) {}

    const std::vector<InputSequence>& sequences() const { return sequences_; }

    Result<void> run(std::size_t first, std::size_t count) {
        std::vector<LogitReader> whole;
        std::vector<LogitReader> ablated;
        std::vector<SequenceMeters> meters;
        for (std::size_t i = first; i < first + count; ++i) {
            whole.emplace_back(spec_, sequences_[i].ids, 1);
            ablated.emplace_back(spec_, sequences_[i].ids, 1);
            meters.emplace_back(result_.model, sequences_[i]);
        }
        const bool is_ablated = !result_.mask.empty();
        std::vector<RunItem> items;
        for (std::size_t i = 0; i < count; ++i) {
            if (is_ablated)
                items.push_back(itemOf(first + i, whole[i]));
            RunItem& watched =
                items.emplace_back(itemOf(first + i, is_ablated ? ablated[i] : whole[i]));
            meters[i].watch(watched.hooks);
            watched.observers = {&meters[i]};
            addAblation(watched.hooks, result_.mask, spec_);
        }
        Request request;
        request.logits = false;
        request.keep_attention = false;
        request.last_attention_output = true; // so that what is not finite is refused
        if (const auto runs = runBatch(result_.model, items, request, stop_); !runs)
            return runs.error();
        for (std::size_t i = 0; i < count; ++i) {
            const auto measurements = meters[i].measurements();
            scores_.add(measurements);
            PromptOutcome outcome =
                outcomeOf(sequences_[first + i].ids, whole[i], is_ablated ? &ablated[i] : nullptr);
            outcome.scores = scoresOf(measurements, headIndex(spec_));
            result_.outcomes.push_back(std::move(outcome));
        }
        return {};
    }

    HeadScores scores() const {
        return scores_.scores(
            spec_, {.input = counted(sequences_.size(), "prompt") + " of " + result_.set.name,
                    .bos = bosText(sequences_.front()),
                    .sequences = sequences_.size()});
    }

private:
    RunItem itemOf(std::size_t prompt, LogitReader& reader) const {
        RunItem item;
        item.ids = sequences_[prompt].ids;
        if (spec_.output != OutputHead::None)
            item.read_logits = [&reader](std::size_t position, std::span<const float> logits) {
                reader.read(position, logits);
            };
        return item;
    }

    PromptOutcome outcomeOf(const TokenIds& ids, const LogitReader& whole,
                            const LogitReader* ablated) const {
        PromptOutcome outcome;
        outcome.whole = readingOf(whole);
        outcome.ablated = ablated ? readingOf(*ablated) : outcome.whole;
        if (ablated)
            outcome.divergence = divergenceOf(spec_, ids, whole, *ablated);
        return outcome;
    }

    PromptSetResult& result_;
    const ModelSpec& spec_;
    const std::stop_token& stop_;
    std::vector<InputSequence> sequences_;
    SequenceScores scores_;
};

/// The mean of what a reading gives for the prompts that have it; nothing where none has.
template <class Read>
std::optional<double> meanOver(const std::vector<PromptOutcome>& outcomes, Read read) {
    double sum = 0.0;
    std::size_t count = 0;
    for (const PromptOutcome& outcome : outcomes)
        if (const std::optional<double> value = read(outcome)) {
            sum += *value;
            ++count;
        }
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

/// For files, for the screen, and its probability.
void addBest(TableRow& row, const Model& model, const PromptReading& reading) {
    if (!reading.best)
        return row.resize(row.size() + 3);
    row.emplace_back(outputPiece(model, reading.best->id));
    row.emplace_back(displayOutput(model, reading.best->id));
    row.emplace_back(reading.best->probability);
}

void addBestColumns(std::vector<Column>& columns, const std::string& key,
                    const std::string& title) {
    const char* const meaning = "The most probable next token, masked token or class";
    columns.push_back({.key = key, .meaning = meaning});
    columns.push_back(
        {.key = key + " text", .title = title, .files = Files::None, .meaning = meaning});
    columns.push_back({.key = key + "_probability",
                       .title = "p",
                       .decimals = 3,
                       .meaning = "Probability of the predicted token"});
}

std::vector<Column> columnsOf(bool is_ablated, const std::optional<HeadReadingChoice>& choice) {
    std::vector<Column> columns{{.key = "prompt", .title = "prompt"},
                                {.key = "tokens", .title = "tokens"},
                                {.key = "loss",
                                 .title = "loss",
                                 .decimals = 3,
                                 .unit = "nats",
                                 .meaning = "Mean −ln p over the tokens but the first"}};
    if (is_ablated) {
        columns.push_back({.key = "loss_ablated",
                           .title = "ablated",
                           .decimals = 3,
                           .unit = "nats",
                           .meaning = "Loss with the heads ablated"});
        columns.push_back({.key = "change",
                           .title = "change",
                           .decimals = 3,
                           .unit = "nats",
                           .meaning = "Loss with the heads ablated minus that of the whole model"});
        columns.push_back({.key = "kl",
                           .title = "KL",
                           .unit = "nats",
                           .meaning = "How far the prediction moves from the whole model's: "
                                      "Σ p ln(p / q), p the whole model's"});
    }
    if (choice)
        columns.push_back(
            {.key = "score",
             .title = headText(choice->head) + " " + std::string(headType(choice->type).name),
             .decimals = 3,
             .meaning = "The score of the chosen head on this prompt alone"});
    addBestColumns(columns, "best", "predicts");
    if (is_ablated)
        addBestColumns(columns, "best_ablated", "ablated predicts");
    return columns;
}

} // namespace

std::optional<double> PromptOutcome::lossChange() const {
    return whole.loss && ablated.loss ? std::optional(*ablated.loss - *whole.loss) : std::nullopt;
}

bool PromptOutcome::keepsBest() const {
    return whole.best && ablated.best && whole.best->id == ablated.best->id;
}

Result<PromptSetResult> runPromptSet(const std::shared_ptr<const Model>& model, PromptSet set,
                                     const HeadMask& mask, const Progress& progress,
                                     const std::stop_token& stop, const PublishOutcomes& publish) {
    if (const auto possible = checkWithoutStandIns(mask); !possible)
        return possible.error();
    if (set.prompts.empty())
        return Error{ErrorCode::InvalidArgument, "The set holds no prompt; give at least one."};
    PromptSetResult result{.model = model, .set = std::move(set), .mask = mask};
    const std::size_t prompts = result.set.prompts.size();
    SetRun run(result, stop);
    while (result.outcomes.size() < prompts) {
        const std::size_t first = result.outcomes.size();
        report(progress, static_cast<double>(first) / static_cast<double>(prompts),
               "prompt " + std::to_string(first + 1) + " of " + std::to_string(prompts));
        if (auto done = run.run(first, sequencesPerBatch(run.sequences(), first)); !done)
            return done.error();
        if (publish)
            publish(result);
    }
    result.scores = run.scores();
    result.means = meansOf(result);
    return result;
}

PromptSetMeans meansOf(const PromptSetResult& result) {
    PromptSetMeans means;
    means.loss = meanOver(result.outcomes, [](const PromptOutcome& o) { return o.whole.loss; });
    if (result.mask.empty())
        return means;
    means.ablated_loss =
        meanOver(result.outcomes, [](const PromptOutcome& o) { return o.ablated.loss; });
    means.divergence =
        meanOver(result.outcomes, [](const PromptOutcome& o) { return o.divergence; });
    means.kept_best = meanOver(result.outcomes, [](const PromptOutcome& o) {
        return o.whole.best ? std::optional(o.keepsBest() ? 1.0 : 0.0) : std::nullopt;
    });
    std::vector<double> changes;
    for (const PromptOutcome& outcome : result.outcomes)
        if (const auto change = outcome.lossChange())
            changes.push_back(*change);
    means.change = meanInterval(changes, kChangeError);
    return means;
}

std::string promptSetText(const PromptSetResult& result) {
    const PromptSetMeans& means = result.means;
    std::string text = counted(result.outcomes.size(), "prompt") + " of " + result.set.name;
    if (means.loss)
        text += ": loss " + fixedText(*means.loss, 3) + " nats";
    if (means.loss && means.ablated_loss) {
        const double change = *means.ablated_loss - *means.loss;
        text += ", " + fixedText(*means.ablated_loss, 3) + " with heads ablated (" +
                (change > 0.0 ? "+" : "") + fixedText(change, 3);
        if (!std::isnan(means.change.low))
            text += ", 95 % " + fixedText(means.change.low, 3) + " to " +
                    fixedText(means.change.high, 3);
        text += ")";
    }
    if (means.kept_best)
        text += "; " + fixedText(100.0 * *means.kept_best, 0) + " % of the predictions stay";
    if (!result.set.left_out.empty())
        text += "; left out: " + counted(result.set.left_out.size(), "line") + ", of which line " +
                std::to_string(result.set.left_out.front().line) + ": " +
                result.set.left_out.front().reason;
    return text;
}

Result<HeadReadingChoice> parseHeadReading(const std::string& text, const ModelSpec& spec) {
    const std::size_t colon = text.find(':');
    const auto head = parseHead(text.substr(0, colon), spec);
    if (!head)
        return head.error();
    const auto type = colon == std::string::npos
                          ? std::nullopt
                          : headTypeByKey(std::string_view(text).substr(colon + 1));
    if (!type)
        return Error{
            ErrorCode::InvalidArgument,
            "\"" + text +
                "\" is no score; write a head and one of its types, such as 4.1:induction."};
    return HeadReadingChoice{*head, *type};
}

Table promptSetTable(const PromptSetResult& result, const std::optional<HeadReadingChoice>& choice,
                     const Provenance& provenance) {
    const bool is_ablated = !result.mask.empty();
    Table table;
    table.caption = provenance.model_name + ": " + promptSetText(result);
    table.key = "prompts";
    table.columns = columnsOf(is_ablated, choice);
    for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
        const PromptOutcome& outcome = result.outcomes[i];
        const Prompt& prompt = result.set.prompts[i];
        TableRow row{promptText(prompt), prompt.ids.size(), outcome.whole.loss};
        if (is_ablated)
            row.insert(row.end(), {outcome.ablated.loss, outcome.lossChange(), outcome.divergence});
        if (choice) {
            const auto of_type = outcome.scores.find(choice->type);
            row.push_back(of_type == outcome.scores.end()
                              ? Value()
                              : Value(float{of_type->second[choice->head]}));
        }
        addBest(row, *result.model, outcome.whole);
        if (is_ablated)
            addBest(row, *result.model, outcome.ablated);
        table.rows.push_back(std::move(row));
    }
    const PromptSetMeans& means = result.means;
    table.fields = {{"set", result.set.name},
                    {"mean_loss", means.loss},
                    {"mean_loss_ablated", means.ablated_loss},
                    {"change_low", is_ablated ? Value(means.change.low) : Value()},
                    {"change_high", is_ablated ? Value(means.change.high) : Value()},
                    {"mean_kl", means.divergence},
                    {"kept_best", means.kept_best}};
    if (choice) {
        table.fields.push_back({"score_head", choice->head});
        table.fields.push_back({"score_type", headType(choice->type).key});
    }
    List left_out;
    for (const LineLeftOut& line : result.set.left_out)
        left_out.push_back(Record{{"line", line.line}, {"reason", line.reason}});
    table.fields.push_back({"left_out", std::move(left_out), Files::Json});
    table.provenance = provenance;
    return table;
}

} // namespace headscope
