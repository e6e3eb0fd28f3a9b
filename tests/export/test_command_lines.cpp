#include "core/export/command_lines.h"
#include "core/export/provenance.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

using namespace headscope;

namespace {

HeadMask maskOf(AblationKind kind) {
    HeadMask mask;
    mask.set({4, 1}, kind);
    mask.set({4, 2}, kind);
    return mask;
}

} // namespace

class TestCommandLines : public QObject {
    Q_OBJECT

private slots:
    void aRunNamesPromptAndHeads() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = test::require(promptFromText(*model, "it's me", BosMode::Auto));
        QCOMPARE(runCommandLine(loaded, prompt, {}),
                 std::string("headscope-cli run gpt2-mini-6l.h5 --text 'it'\\''s me'"));
        QCOMPARE(runCommandLine(loaded, prompt, maskOf(AblationKind::Zero)),
                 std::string("headscope-cli run gpt2-mini-6l.h5 --text 'it'\\''s me' "
                             "--ablate 4.1,4.2"));
        QCOMPARE(runCommandLine(loaded, prompt, maskOf(AblationKind::Mean)),
                 std::string("headscope-cli run gpt2-mini-6l.h5 --text 'it'\\''s me' "
                             "--ablate 4.1,4.2 --ablation mean"));
    }

    void bosIsNamedWhereItIsNotTheRule() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt without = test::require(promptFromText(*model, "Mary", BosMode::No));
        QCOMPARE(promptScoresCommandLine(loaded, without),
                 std::string("headscope-cli heads gpt2-mini-6l.h5 --text Mary --bos no"));
    }

    void aHyphenIsNoOption() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const Prompt prompt = test::require(promptFromText(*model, "--json", BosMode::Auto));
        QCOMPARE(runCommandLine({*model, {}}, prompt, {}),
                 std::string("headscope-cli run gpt2-mini-6l.h5 --text=--json"));
    }

    void withoutATokenizerThePromptIsIds() {
        Model model = *test::loadSample("microgpt");
        model.tokenizer = nullptr;
        const Prompt prompt = test::require(promptFromIds(model, {0, 1, 2}, BosMode::No));
        QCOMPARE(runCommandLine({model, {}}, prompt, {}),
                 std::string("headscope-cli run microgpt.h5 --ids '0 1 2' --bos no"));
    }

    void theModelIsNamedAsItWasOpened() {
        Model model = *test::loadSample("microgpt");
        LoadOptions options;
        options.flip_square_matrices = true;
        options.transpose_heads = true;
        model.path = "/home/me/my model/model.safetensors";
        model.name = "my model";
        QCOMPARE(scoresCommandLine({model, options}),
                 std::string("headscope-cli heads 'my model/model.safetensors' --flip-square "
                             "--transpose-heads"));
    }

    void patternsOfARunWithAblatedHeadsComeFromTheRun() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = test::require(promptFromText(*model, "Mary", BosMode::Auto));
        const std::string name = "gpt2-mini-6l_" + provenanceOf(*model, prompt, {}).promptId();
        QCOMPARE(patternCommandLine(loaded, prompt, {}, {4, 1}),
                 std::string("headscope-cli export gpt2-mini-6l.h5 --text Mary --layer 4 --head 1 "
                             "-o ") +
                     name + "_L04H01_pattern.csv");
        QCOMPARE(patternCommandLine(loaded, prompt, maskOf(AblationKind::Zero), {4, 1}),
                 std::string("headscope-cli run gpt2-mini-6l.h5 --text Mary --ablate 4.1,4.2 "
                             "--hooks blocks.4.attn.hook_pattern -o ") +
                     name + "_L04_pattern.npz");
    }
};

const headscope::test::TestRegistration<TestCommandLines> registration;
#include "test_command_lines.moc"
