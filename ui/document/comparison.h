#pragma once

#include "core/model/model.h"
#include "ui/document/prompt_run.h"
#include "ui/document/prompt_runner.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::ui {

/// A second run, B, beside that of the document, A: of another prompt, with all heads on, of
/// another model of the same shape, or of several of these. Lives on the GUI thread.
class Comparison : public QObject {
    Q_OBJECT

public:
    explicit Comparison(QObject* parent = nullptr);

    bool isOn() const { return is_on_; }
    void turnOn();
    void turnOff(); ///< forgets B

    /// Empty: the prompt of A.
    QString promptText() const { return prompt_text_; }
    void setPromptText(const QString& text);
    /// Whether the heads that are ablated in A are so in B; else B has all heads on.
    bool ablatesAsA() const { return ablates_as_a_; }
    void setAblatesAsA(bool as_a);
    /// The model of B where it is another; null: that of A.
    std::shared_ptr<const Model> otherModel() const { return other_model_; }
    void openModel(const QString& path);
    void useSameModel();
    JobRunner* loader() { return &loader_; }

    PromptRunner& runner() { return runner_; }
    const PromptRunner& runner() const { return runner_; }

    Side side() const { return side_; }
    void setSide(Side side); ///< Document::showSide() keeps the locked row
    /// What maps are drawn of, where it is not A alone; else empty.
    PatternSource source() const;

    /// A, B and which token of B matches which of A, whatever the side; empty until both have run.
    const PatternSource& compared() const { return compared_; }
    bool isAlignedByHand() const { return !by_hand_.empty(); }
    void alignByHand(AlignedPair pair); ///< `first` of A, `second` of B
    void alignByItself();

    // The row of what is shown that a token has, and back; nothing where it has none.
    std::optional<std::size_t> rowOfA(std::size_t position) const;
    std::optional<std::size_t> rowOfB(std::size_t position) const;
    std::optional<std::size_t> positionInA(std::optional<std::size_t> row) const;
    std::optional<std::size_t> positionInB(std::optional<std::size_t> row) const;

    /// The document has asked this of A; B follows in what it shares.
    void follow(const RunQuestion& question, bool after_pause);
    /// The document has run A; null: it has none.
    void setA(std::shared_ptr<const RunResult> result);

signals:
    void changed();       ///< what B is, whether there is one, or the side
    void sourceChanged(); ///< what maps are drawn of, or which tokens match
    void loadFailed(const QString& path, const QString& message);

private:
    RunQuestion questionOfB() const;
    // The token that matches one of the other prompt; nothing where none does.
    std::optional<std::size_t> counterpartOfA(std::size_t position) const;
    std::optional<std::size_t> counterpartOfB(std::size_t position) const;
    void run(bool after_pause);
    void takeModel(const QString& path, const Result<std::shared_ptr<const Model>>& loaded);
    void takeOtherModel(std::shared_ptr<const Model> model);
    void align();

    bool is_on_ = false;
    QString prompt_text_;
    bool ablates_as_a_ = true;
    std::shared_ptr<const Model> other_model_;
    RunQuestion question_of_a_;
    std::shared_ptr<const RunResult> a_;
    std::vector<AlignedPair> by_hand_;
    Side side_ = Side::A;
    PatternSource compared_; ///< B − A; null until both have run
    JobRunner loader_;
    PromptRunner runner_;
    JobRunner aligner_;
};

} // namespace headscope::ui
