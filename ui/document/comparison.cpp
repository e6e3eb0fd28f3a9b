#include "ui/document/comparison.h"

#include "core/loading/load_model.h"
#include "ui/tables/head_text.h"

#include <unordered_map>
#include <utility>

namespace headscope::ui {
namespace {

/// Tokens as numbers that are equal where their texts are.
class TokenTexts {
public:
    TokenIds numbersOf(const Prompt& prompt) {
        TokenIds numbers;
        for (const std::string& piece : prompt.pieces)
            numbers.push_back(
                numbers_.try_emplace(piece, static_cast<TokenId>(numbers_.size())).first->second);
        return numbers;
    }

private:
    std::unordered_map<std::string, TokenId> numbers_;
};

/// Ids of two models may be different tokens.
TokenAlignment alignmentOf(const RunResult& a, const RunResult& b,
                           const std::vector<AlignedPair>& by_hand) {
    if (a.full->model == b.full->model)
        return alignTokens(a.prompt.ids, b.prompt.ids, by_hand);
    TokenTexts texts;
    const TokenIds first = texts.numbersOf(a.prompt);
    return alignTokens(first, texts.numbersOf(b.prompt), by_hand);
}

bool haveTheSameHeads(const ModelSpec& a, const ModelSpec& b) {
    return a.n_layers == b.n_layers && a.allHeads() == b.allHeads();
}

/// "6 layers of 8 heads", or without some: "6 layers and 40 heads"
QString shapeText(const ModelSpec& spec) {
    const std::size_t heads = spec.allHeads().size();
    return heads == spec.n_layers * spec.n_heads
               ? Comparison::tr("%1 layers of %2 heads").arg(spec.n_layers).arg(spec.n_heads)
               : Comparison::tr("%1 layers and %2 heads").arg(spec.n_layers).arg(heads);
}

bool asksTheSame(const RunQuestion& a, const RunQuestion& b) {
    return a.model == b.model && a.text == b.text && a.bos == b.bos && a.mask == b.mask;
}

} // namespace

Comparison::Comparison(QObject* parent) : QObject(parent) {
    connect(&runner_, &PromptRunner::resultChanged, this, [this](bool other_tokens) {
        if (other_tokens)
            by_hand_.clear();
        align();
    });
}

void Comparison::turnOn() {
    if (is_on_)
        return;
    is_on_ = true;
    emit changed();
    run(false);
}

void Comparison::turnOff() {
    if (!is_on_)
        return;
    is_on_ = false;
    loader_.cancel();
    aligner_.cancel();
    runner_.forget();
    prompt_text_.clear();
    other_model_.reset();
    ablates_as_a_ = true;
    by_hand_.clear();
    compared_ = {};
    setSide(Side::A);
    emit changed();
    emit sourceChanged();
}

void Comparison::setPromptText(const QString& text) {
    if (text == prompt_text_)
        return;
    prompt_text_ = text;
    emit changed();
    run(true);
}

void Comparison::setAblatesAsA(bool as_a) {
    if (as_a == ablates_as_a_)
        return;
    ablates_as_a_ = as_a;
    emit changed();
    run(false);
}

void Comparison::openModel(const QString& path) {
    loader_.start(
        [file = path.toStdString()](const Progress& progress, std::stop_token stop) {
            return loadModel(file, {}, progress, stop);
        },
        [this, path](const Result<std::shared_ptr<const Model>>& loaded) {
            takeModel(path, loaded);
        });
}

void Comparison::takeModel(const QString& path,
                           const Result<std::shared_ptr<const Model>>& loaded) {
    if (!loaded)
        return emit loadFailed(path, toQString(loaded.error().message));
    const ModelSpec& spec = (*loaded)->spec;
    if (!haveTheSameHeads(spec, question_of_a_.model->spec))
        return emit loadFailed(
            path, tr("%1 has %2, and the open model %3; heads can be compared only between models "
                     "that have the same.")
                      .arg(toQString((*loaded)->name), shapeText(spec),
                           shapeText(question_of_a_.model->spec)));
    takeOtherModel(*loaded);
}

void Comparison::takeOtherModel(std::shared_ptr<const Model> model) {
    other_model_ = std::move(model);
    runner_.forget();
    by_hand_.clear();
    align();
    emit changed();
    run(false);
}

void Comparison::useSameModel() {
    if (other_model_)
        takeOtherModel(nullptr);
}

void Comparison::setSide(Side side) {
    if (side == side_)
        return;
    side_ = side;
    emit changed();
    emit sourceChanged();
}

PatternSource Comparison::source() const {
    if (!is_on_ || side_ == Side::A)
        return {};
    PatternSource source = side_ == Side::Difference
                               ? compared_
                               : PatternSource{runner_.result(), nullptr, nullptr, {}};
    source.side = side_;
    return source;
}

void Comparison::alignByHand(AlignedPair pair) {
    by_hand_ = withPair(std::move(by_hand_), pair);
    align();
}

void Comparison::alignByItself() {
    by_hand_.clear();
    align();
}

std::optional<std::size_t> Comparison::counterpartOfA(std::size_t position) const {
    const auto& alignment = compared_.other_of;
    return alignment && position < alignment->size() ? (*alignment)[position] : std::nullopt;
}

std::optional<std::size_t> Comparison::counterpartOfB(std::size_t position) const {
    const auto& alignment = compared_.other_of;
    for (std::size_t of_a = 0; alignment && of_a < alignment->size(); ++of_a)
        if ((*alignment)[of_a] == position)
            return of_a;
    return std::nullopt;
}

std::optional<std::size_t> Comparison::positionInA(std::optional<std::size_t> row) const {
    return row && side_ == Side::B ? counterpartOfB(*row) : row;
}

std::optional<std::size_t> Comparison::positionInB(std::optional<std::size_t> row) const {
    return row && side_ != Side::B ? counterpartOfA(*row) : row;
}

std::optional<std::size_t> Comparison::rowOfA(std::size_t position) const {
    return side_ == Side::B ? counterpartOfA(position) : position;
}

std::optional<std::size_t> Comparison::rowOfB(std::size_t position) const {
    return side_ == Side::B ? position : counterpartOfB(position);
}

RunQuestion Comparison::questionOfB() const {
    RunQuestion question = question_of_a_;
    question.reads_types = false; // no view shows those of B
    if (other_model_)
        question.model = other_model_;
    if (!prompt_text_.isEmpty())
        question.text = prompt_text_.toStdString();
    if (!ablates_as_a_)
        question.mask = {};
    return question;
}

void Comparison::follow(const RunQuestion& question, bool after_pause) {
    if (!is_on_) {
        question_of_a_ = question;
        return;
    }
    const RunQuestion before = questionOfB();
    const bool fits = !other_model_ || haveTheSameHeads(other_model_->spec, question.model->spec);
    const bool same_model = question_of_a_.model == question.model;
    question_of_a_ = question;
    if (!fits || (!same_model && !other_model_)) {
        if (!fits)
            other_model_.reset();
        runner_.forget();
        compared_ = {};
        emit changed();
        emit sourceChanged();
    }
    if (!asksTheSame(questionOfB(), before) || !runner_.result())
        run(after_pause);
}

void Comparison::setA(std::shared_ptr<const RunResult> result) {
    if (a_ && result && a_->prompt.ids != result->prompt.ids)
        by_hand_.clear();
    a_ = std::move(result);
    align();
}

void Comparison::run(bool after_pause) {
    if (!is_on_ || !question_of_a_.model)
        return;
    if (after_pause)
        runner_.runAfterPause(questionOfB());
    else
        runner_.run(questionOfB());
}

void Comparison::align() {
    if (!is_on_)
        return;
    const auto b = runner_.result();
    if (!a_ || !b) {
        aligner_.cancel();
        compared_ = {};
        return emit sourceChanged();
    }
    aligner_.start(
        [a = a_, b, by_hand = by_hand_](const Progress&, const std::stop_token&) {
            return alignmentOf(*a, *b, by_hand);
        },
        [this, a = a_, b](TokenAlignment alignment) {
            compared_ = {a, b, std::make_shared<const TokenAlignment>(std::move(alignment)), {}};
            emit sourceChanged();
        });
}

} // namespace headscope::ui
