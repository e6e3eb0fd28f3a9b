#include "core/export/analysis_calls.h"
#include "core/export/call.h"
#include "core/export/provenance.h"
#include "core/export/pruning_calls.h"
#include "core/export/run_calls.h"
#include "core/export/why_calls.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

namespace test_calls {

using namespace headscope;

namespace {

HeadMask maskOf(AblationKind kind) {
    HeadMask mask;
    mask.set({4, 1}, kind);
    mask.set({4, 2}, kind);
    return mask;
}

Prompt promptOf(const Model& model, const std::string& text, BosMode bos = BosMode::Auto) {
    return test::require(promptFromText(model, text, bos));
}

TokenId tokenOf(const Model& model, const std::string& text) {
    return test::require(tokenFromText(model, text));
}

/// Behind "headscope-cli SUBCOMMAND MODEL ".
std::string words(const Call& call) {
    const std::string line = shellLine(call, ModelNaming::ShortName);
    const std::string start = "headscope-cli " + call.command + ' ' + call.model->short_name + ' ';
    return line.starts_with(start) ? line.substr(start.size()) : line;
}

std::string words(const Result<Call>& call) {
    return call ? words(*call) : call.error().message;
}

std::string expression(const Result<Call>& call) {
    return call ? call->python.expression : call.error().message;
}

} // namespace

class TestCalls : public QObject {
    Q_OBJECT

private slots:
    void aRunNamesPromptAndHeads() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = promptOf(*model, "it's me");
        QCOMPARE(words(runCall(loaded, prompt, {})), std::string("--text 'it'\\''s me'"));
        QCOMPARE(words(runCall(loaded, prompt, maskOf(AblationKind::Zero))),
                 std::string("--text 'it'\\''s me' --ablate 4.1,4.2"));
        QCOMPARE(words(runCall(loaded, prompt, maskOf(AblationKind::Mean))),
                 std::string("--text 'it'\\''s me' --ablate 4.1,4.2 --ablation mean"));
        QCOMPARE(expression(runCall(loaded, prompt, maskOf(AblationKind::Mean))),
                 std::string("m.run(\"it's me\", ablate=[(4, 1), (4, 2)], ablation=\"mean\")"));
        QVERIFY(!runCall(loaded, prompt, maskOf(AblationKind::Resample)));
        HeadMask mixed = maskOf(AblationKind::Zero);
        mixed.set({0, 0}, AblationKind::Mean);
        QVERIFY(!runCall(loaded, prompt, mixed));
    }

    void analysesReadRunsWithAblatedHeads() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = promptOf(*model, "Mary");
        const LensQuestion lens{prompt.ids, 5, std::nullopt, maskOf(AblationKind::Zero)};
        QCOMPARE(words(lensCall(loaded, prompt, lens)),
                 std::string("--text Mary --ablate 4.1,4.2"));
        QCOMPARE(expression(lensCall(loaded, prompt, lens)),
                 std::string("m.lens(\"Mary\", ablate=[(4, 1), (4, 2)])"));
        QCOMPARE(
            words(insideCall(loaded, prompt, maskOf(AblationKind::Zero), {{4, 1}, 1, 2.5})),
            std::string("--text Mary --head 4.1 --query 1 --temperature 2.5 --ablate 4.1,4.2"));
        QCOMPARE(expression(insideCall(loaded, prompt, {}, {{4, 1}, 1})),
                 std::string("m.inside(\"Mary\", (4, 1), query=1)"));
        PredictionQuestion question;
        question.token = tokenOf(*model, " the");
        question.position = 1;
        question.ablated = maskOf(AblationKind::Mean);
        QCOMPARE(expression(attributionCall(loaded, prompt, question)),
                 std::string("m.attribute(\"Mary\", \" the\", position=1, ablate=[(4, 1), (4, "
                             "2)], ablation=\"mean\")"));
    }

    void compositionIsOfOneKind() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const Call call = compositionCall({*model, {}}, CompositionKind::K, 7, Offset{3});
        QCOMPARE(words(call), std::string("--composition --kind k --top 7 --offset 3"));
        QCOMPARE(expression(call),
                 std::string("m.circuits(composition=True, kind=\"k\", top=7, offset=3)"));
    }

    void bosIsNamedWhereItIsNotTheRule() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt without = promptOf(*model, "Mary", BosMode::No);
        QCOMPARE(words(scoresCall(loaded, {&without, 1})), std::string("--text Mary --bos no"));
        QCOMPARE(expression(scoresCall(loaded, {&without, 1})),
                 std::string("m.heads([\"Mary\"], bos=\"no\")"));
    }

    void aHyphenIsNoOption() {
        const auto model = test::loadSample("gpt2-mini-6l");
        QCOMPARE(words(runCall({*model, {}}, promptOf(*model, "--json"), {})),
                 std::string("--text=--json"));
    }

    void twoTextsAreTwoTexts() {
        const auto model = test::loadFixture("bert-pair");
        const LoadedModel loaded{*model, {}};
        const Prompt pair = promptOf(*model, "the cat[SEP]a dog");
        QCOMPARE(words(runCall(loaded, pair, {})),
                 std::string("--text 'the cat' --text-pair 'a dog'"));
        QCOMPARE(expression(runCall(loaded, pair, {})),
                 std::string("m.run((\"the cat\", \"a dog\"))"));
    }

    void withoutATokenizerThePromptIsIds() {
        Model model = *test::loadSample("microgpt");
        model.tokenizer = nullptr;
        const Prompt prompt = test::require(promptFromIds(model, {0, 1, 2}, BosMode::No));
        QCOMPARE(words(runCall({model, {}}, prompt, {})), std::string("--ids '0 1 2'"));
        QCOMPARE(expression(runCall({model, {}}, prompt, {})), std::string("m.run([0, 1, 2])"));
    }

    /// Half of a character is a token whose text no tokenizer reads.
    void aTokenWithoutATextMakesIdsOfAll() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const Prompt prompt = promptOf(*model, "Mary", BosMode::No);
        TokenId half = 0;
        while (outputFromText(*model, outputPiece(*model, half)) &&
               *outputFromText(*model, outputPiece(*model, half)) == half)
            ++half;
        PredictionQuestion question;
        question.token = half;
        QVERIFY(words(attributionCall({*model, {}}, prompt, question))
                    .starts_with("--ids " + std::to_string(prompt.ids[0])));
        QVERIFY(words(attributionCall({*model, {}}, prompt, question))
                    .find("--token " + std::to_string(half)) != std::string::npos);
    }

    void theModelIsNamedAsItWasOpened() {
        Model model = *test::loadSample("microgpt");
        LoadOptions options;
        options.flip_square_matrices = true;
        options.transpose_heads = true;
        model.path = "/home/me/my model/model.safetensors";
        model.name = "my model";
        QCOMPARE(shellLine(scoresCall({model, options}), ModelNaming::ShortName),
                 std::string("headscope-cli heads 'my model/model.safetensors' --flip-square "
                             "--transpose-heads"));
        QCOMPARE(shellLine(scoresCall({model, options})),
                 std::string("headscope-cli heads '/home/me/my model/model.safetensors' "
                             "--flip-square --transpose-heads"));
        const Call call = scoresCall({model, options});
        QCOMPARE(pythonLines({&call, 1}),
                 std::string("import headscope\n\n"
                             "m = headscope.open(\"/home/me/my model/model.safetensors\", "
                             "flip_square_matrices=True, transpose_heads=True)\n"
                             "scores = m.heads()\nscores\n"));
    }

    void patternsOfARunWithAblatedHeadsComeFromTheRun() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = promptOf(*model, "Mary");
        const std::string name = "gpt2-mini-6l_" + provenanceOf(*model, prompt, {}).promptId();
        QCOMPARE(words(patternCall(loaded, prompt, {}, {4, 1})),
                 "--text Mary --layer 4 --head 1 -o " + name + "_L04H01_pattern.csv");
        QCOMPARE(words(patternCall(loaded, prompt, maskOf(AblationKind::Zero), {4, 1})),
                 "--text Mary --ablate 4.1,4.2 --hooks blocks.4.attn.hook_pattern -o " + name +
                     "_L04_pattern.npz");
        QCOMPARE(expression(patternCall(loaded, prompt, {}, {4, 1})),
                 std::string("m.run(\"Mary\", hooks=[\"blocks.4.attn.hook_pattern\"])"
                             "[\"blocks.4.attn.hook_pattern\"][1]"));
    }

    void patternsOfAllHeadsAndOfSomeLayers() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = promptOf(*model, "Mary");
        QVERIFY(words(patternsCall(loaded, prompt, {})).starts_with("--text Mary -o gpt2"));
        QVERIFY(words(patternsCall(loaded, prompt, {}, {4, 4})).starts_with("--text Mary --layer"));
        QVERIFY(words(patternsCall(loaded, prompt, {}, {4, 2}))
                    .starts_with("--text Mary --hooks blocks.2.attn.hook_pattern,"
                                 "blocks.4.attn.hook_pattern -o "));
        QVERIFY(words(patternsCall(loaded, prompt, maskOf(AblationKind::Zero)))
                    .starts_with("--text Mary --ablate 4.1,4.2 --hooks "
                                 "'blocks.*.attn.hook_pattern' -o "));
    }

    void metricsNameTheirTokens() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt clean = promptOf(*model, "- Mary");
        const Prompt corrupted = promptOf(*model, "- John");
        PatchQuestion question;
        question.clean = clean.ids;
        question.corrupted = corrupted.ids;
        question.hook = HookKind::Z;
        question.by_position = true;
        question.by_head = true;
        question.metric.kind = MetricKind::LogitDifference;
        question.metric.token = tokenOf(*model, " Mary");
        question.metric.other = tokenOf(*model, "-");
        QCOMPARE(words(patchCall(loaded, {clean, corrupted}, question)),
                 std::string("--clean='- Mary' --corrupted='- John' --hook attn.hook_z --by "
                             "position,head --metric logit-diff --tokens ' Mary' -"));
        QCOMPARE(expression(patchCall(loaded, {clean, corrupted}, question)),
                 std::string("m.patch(\"- Mary\", \"- John\", hook=\"attn.hook_z\", "
                             "by=[\"position\", \"head\"], metric=\"logit-diff\", "
                             "tokens=[\" Mary\", \"-\"])"));
        PathQuestion paths;
        paths.receivers = {{{5, 3}, AttentionInput::Q}};
        paths.metric.kind = MetricKind::Loss;
        QCOMPARE(words(pathCall(loaded, {clean, corrupted}, paths)),
                 std::string("--clean='- Mary' --corrupted='- John' --path all 5.3:q --metric "
                             "loss"));
        QCOMPARE(expression(pathCall(loaded, {clean, corrupted}, paths)),
                 std::string("m.patch(\"- Mary\", \"- John\", path=(\"all\", \"5.3:q\"), "
                             "metric=\"loss\")"));
        paths.metric.targets = {{0, 0}};
        QVERIFY(!pathCall(loaded, {clean, corrupted}, paths));
    }

    void aCellIsNamedWithWhatItIsComparedWith() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        const Prompt prompt = promptOf(*model, "Mary and");
        const HeadMask none;
        ScoreQuestion cell{{4, 1}, 2, 1, ScoreContrast::Key, 0};
        const ExplainedCell explained{loaded, prompt, none, cell};
        const std::string start = "--text 'Mary and' --head 4.1 --query 2 --key 1 --against 0";
        QCOMPARE(words(scorePartsCall(explained)), start);
        QCOMPARE(words(scoreSignalsCall(explained, 12)), start + " --signals 12");
        QCOMPARE(words(scoreDimensionsCall(explained, true)), start + " --dimensions --all-keys");
        QCOMPARE(words(weightTokensCall(explained)),
                 std::string("--text 'Mary and' --weight 4.1:2:1"));
        TraceQuestion trace{cell, 0.2, 28, {{{WriterKind::Head, {3, 5}}, 1}}, 0.4};
        QCOMPARE(words(traceCall(explained, trace)),
                 start + " --trace --least 0.2 --nodes 28 --follow-from 0.4 --follow 3.5:1");
        QCOMPARE(
            expression(traceCall(explained, trace)),
            std::string("m.why(\"Mary and\", (4, 1), query=2, key=1, against=\"0\", trace=True, "
                        "least=0.2, nodes=28, follow_from=0.4, follow=[\"3.5:1\"])"));
        RemovalQuestion removal{
            {4, 1}, 2, 1, HeadSide::Query, StreamWriter{WriterKind::Mlp, {2, 0}}};
        QCOMPARE(words(removalCall(explained, removal, std::nullopt)),
                 start + " --remove 'query:mlp 2'");
        QCOMPARE(words(removalCall(explained, removal, 3)),
                 start + " --remove 'query:direction 3'");
        removal.seed = 7;
        QVERIFY(!removalCall(explained, removal, std::nullopt));
        cell.contrast = ScoreContrast::Nothing;
        QVERIFY(words(scorePartsCall(explained)).ends_with("--against none"));
        const HeadMask mask = maskOf(AblationKind::Zero);
        QVERIFY(!weightTokensCall({loaded, prompt, mask, cell}));
    }

    void oddLinesOfASetAreJson() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadedModel loaded{*model, {}};
        PromptSetResult set;
        set.model = model;
        for (const char* const text : {"it's", "two\nlines", " space", "{\"}"})
            set.set.prompts.push_back(promptOf(*model, text));
        const auto call = promptsCall(loaded, set, {}, BosMode::No,
                                      HeadReadingChoice{{4, 1}, HeadTypeId::Induction});
        QCOMPARE(shellLine(test::require(call), ModelNaming::ShortName),
                 std::string("printf '%s\\n' 'it'\\''s' '{\"prompt\":\"two\\nlines\"}' "
                             "'{\"prompt\":\" space\"}' '{\"prompt\":\"{\\\"}\"}' | headscope-cli "
                             "prompts gpt2-mini-6l.h5 - --bos no --score 4.1:induction"));
        QCOMPARE(expression(call),
                 std::string("m.prompts([\"it's\", \"two\\nlines\", \" space\", \"{\\\"}\"], "
                             "bos=\"no\", score=((4, 1), \"induction\"))"));
        QVERIFY(words(promptsCall(loaded, set, "/tmp/my set.txt", BosMode::Auto, {}))
                    .ends_with("'/tmp/my set.txt'"));
        set.set.prompts.assign(2000, promptOf(*model, std::string(80, 'a')));
        QVERIFY(!promptsCall(loaded, set, {}, BosMode::Auto, {}));
    }

    void pruningNamesEverything() {
        Model model = *test::loadSample("gpt2-mini-6l");
        model.path = "/my models/it's.h5";
        const LoadedModel loaded{model, {}};
        PruningQuestion question;
        question.orders = {{OrderKind::Gradient},
                           {OrderKind::OwnList},
                           {OrderKind::Random, 3},
                           {OrderKind::Random, 4}};
        question.points = 4;
        question.limits = {2, {{0, 1}, {1, 3}}};
        question.compensation = Compensation::Ridge;
        PruningTextFiles texts;
        texts.calibration = "/a.txt";
        texts.seed = 3;
        QCOMPARE(shellLine(test::require(pruningCall(loaded, texts, question, "/heads.txt", 2.5))),
                 std::string("headscope-cli prune '/my models/it'\\''s.h5' --calibrate /a.txt "
                             "--calibrate-tokens 4096 --test-tokens 4096 --length 128 --seed 3 "
                             "--orders gradient,list:/heads.txt,random:2 --points 4 --unit head "
                             "--least 2 --protect 0.1,1.3 --ablation zero --compensate ridge "
                             "--tolerance 2.5"));
        QCOMPARE(expression(pruningCall(loaded, texts, question, "/heads.txt", 2.5)),
                 std::string("m.prune(\"gradient,list:/heads.txt,random:2\", "
                             "calibrate=\"/a.txt\", calibrate_tokens=4096, test_tokens=4096, "
                             "length=128, seed=3, points=4, unit=\"head\", least=2, "
                             "protect=[(0, 1), (1, 3)], ablation=\"zero\", "
                             "compensate=\"ridge\", tolerance=2.5)"));
        QVERIFY(!pruningCall(loaded, texts, question, "/my,heads.txt", 2.5));
    }

    void stringsOfPythonAreEscaped() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const auto call = runCall({*model, {}}, promptOf(*model, "a \"b\"\\\n\t\x01 é 🙂"), {});
        QCOMPARE(expression(call), std::string("m.run(\"a \\\"b\\\"\\\\\\n\\t\\x01 é 🙂\")"));
    }

    void nothingThatIsCopiedActs() {
        Model model = *test::loadSample("gpt2-mini-6l");
        const Prompt prompt = promptOf(model, "a\x03\x15\nid\r\u0085\u202e");
        model.path = "/a\x1b/\xff.h5";
        const auto call = runCall({model, {}}, prompt, {});
        QCOMPARE(shellLine(test::require(call)),
                 std::string("headscope-cli run \"$(printf '/a\\033/\\377.h5')\" --text "
                             "\"$(printf 'a\\003\\025\\012id\\015\\302\\205\\342\\200\\256')\""));
        QCOMPARE(pythonOpening(*call->model),
                 std::string("m = headscope.open(\"/a\\x1b/\\udcff.h5\")"));
        QCOMPARE(expression(call), std::string("m.run(\"a\\x03\\x15\\nid\\r\\x85\\u202e\")"));
        const std::vector<ScriptStep> steps{{"Ran \x03\x15\nid\r\u202e\xff"}};
        QVERIFY(shellScript(steps).ends_with("\n# Ran \\u{3}\\u{15}\n# id\\u{d}\\u{202e}\\xFF\n"));
        QVERIFY(pythonScript(steps).ends_with("\n# Ran \\u{3}\\u{15}\n# id\\u{d}\\u{202e}\\xFF\n"));
    }

    void aZeroByteIsGivenAsIds() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const Prompt prompt = promptOf(*model, std::string("a\0b", 3));
        QVERIFY(words(runCall({*model, {}}, prompt, {})).starts_with("--ids "));
    }

    void pythonOpensEachModelOnce() {
        const auto a = test::loadSample("gpt2-mini-6l");
        const auto b = test::loadSample("llama-mini-gqa-4l");
        const Calls calls{scoresCall({*a, {}}), scoresCall({*a, {}}), scoresCall({*b, {}})};
        const std::string lines = pythonLines(calls);
        QCOMPARE(QString::fromStdString(lines).count(QStringLiteral("headscope.open(")), 2);
        QVERIFY(lines.ends_with("\nscores\n"));
    }
};

const headscope::test::TestRegistration<TestCalls> registration;

} // namespace test_calls

#include "test_calls.moc"
