#include "core/engine/hooks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

namespace test_hook_points {

using namespace headscope;
using namespace headscope::test;

namespace {

std::vector<std::string> namesOf(const ModelSpec& spec) {
    std::vector<std::string> names;
    for (const HookPoint point : hookPoints(spec))
        names.push_back(hookName(spec, point));
    return names;
}

struct TableRow {
    qsizetype axes = 0;
    bool spelled_out = false;
};

/// "blocks.N.hook_resid_pre", "hook_embed"
std::string nameInTable(const ModelSpec& spec, HookPoint point) {
    std::string name = hookName(spec, point);
    const std::string block = "blocks." + std::to_string(point.layer) + ".";
    if (name.starts_with(block))
        return "blocks.N." + name.substr(block.size());
    const std::string prefix = spec.embedding_hook_prefix + "hook_";
    return name.starts_with(prefix) ? name.substr(spec.embedding_hook_prefix.size()) : name;
}

QByteArray listed(const std::vector<std::string>& names) {
    QByteArray text;
    for (const std::string& name : names)
        text += QByteArray::fromStdString(name) + ' ';
    return text.trimmed();
}

} // namespace

/// The names are those of TransformerLens: users type them from habit.
class TestHookPoints : public QObject {
    Q_OBJECT

private slots:
    void namesOfEachFamily_data();
    void namesOfEachFamily();
    void namesAreUnique();
    void tableSaysAllOfThem();
    void expensivePointsAreSpelledOut();
    void shapes();
    void layersDiffer();
    void kindsAreNamedInShort_data();
    void kindsAreNamedInShort();
    void shortNamesOfSeveralAreRefused();
};

void TestHookPoints::namesOfEachFamily_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QByteArray>("expected"); ///< of one-layer models, or their first layer
    QTest::newRow("gpt2")
        << "gpt2"
        << QByteArray("hook_embed hook_pos_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.ln1.hook_scale blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out "
                      "blocks.0.attn.hook_q "
                      "blocks.0.attn.hook_k blocks.0.attn.hook_v blocks.0.attn.hook_attn_scores "
                      "blocks.0.attn.hook_pattern blocks.0.attn.hook_z blocks.0.attn.hook_result "
                      "blocks.0.hook_attn_out blocks.0.hook_resid_mid blocks.0.hook_mlp_in "
                      "blocks.0.ln2.hook_scale blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out "
                      "blocks.0.mlp.hook_pre "
                      "blocks.0.mlp.hook_post blocks.0.hook_mlp_out blocks.0.hook_resid_post "
                      "ln_final.hook_scale ln_final.hook_normalized ln_final.hook_out");
    QTest::newRow("llama")
        << "llama-gqa"
        << QByteArray("hook_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.ln1.hook_scale blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out "
                      "blocks.0.attn.hook_q "
                      "blocks.0.attn.hook_k blocks.0.attn.hook_v blocks.0.attn.hook_rot_q "
                      "blocks.0.attn.hook_rot_k blocks.0.attn.hook_attn_scores "
                      "blocks.0.attn.hook_pattern blocks.0.attn.hook_z blocks.0.attn.hook_result "
                      "blocks.0.hook_attn_out blocks.0.hook_resid_mid blocks.0.hook_mlp_in "
                      "blocks.0.ln2.hook_scale blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out "
                      "blocks.0.mlp.hook_pre "
                      "blocks.0.mlp.hook_pre_linear blocks.0.mlp.hook_post blocks.0.hook_mlp_out "
                      "blocks.0.hook_resid_post ln_final.hook_scale ln_final.hook_normalized "
                      "ln_final.hook_out");
    QTest::newRow("bert")
        << "bert"
        << QByteArray(
               "embed.hook_embed embed.hook_pos_embed embed.hook_token_type_embed "
               "embed.ln.hook_scale embed.ln.hook_normalized embed.ln.hook_out hook_full_embed "
               "blocks.0.hook_resid_pre blocks.0.hook_q_input blocks.0.hook_k_input "
               "blocks.0.hook_v_input blocks.0.attn.hook_q blocks.0.attn.hook_k "
               "blocks.0.attn.hook_v blocks.0.attn.hook_attn_scores "
               "blocks.0.attn.hook_pattern blocks.0.attn.hook_z blocks.0.attn.hook_result "
               "blocks.0.hook_attn_out blocks.0.hook_resid_mid blocks.0.ln1.hook_scale "
               "blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out blocks.0.hook_mlp_in "
               "blocks.0.mlp.hook_pre "
               "blocks.0.mlp.hook_post blocks.0.hook_mlp_out blocks.0.hook_resid_post "
               "blocks.0.ln2.hook_scale blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out "
               "blocks.0.hook_normalized_resid_post mlm_head.ln.hook_scale "
               "mlm_head.ln.hook_normalized mlm_head.ln.hook_out");
    QTest::newRow("gemma2: norms at both ends of a branch")
        << "gemma2"
        << QByteArray("hook_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.ln1.hook_scale blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out "
                      "blocks.0.attn.hook_q "
                      "blocks.0.attn.hook_k blocks.0.attn.hook_v blocks.0.attn.hook_rot_q "
                      "blocks.0.attn.hook_rot_k blocks.0.attn.hook_attn_scores "
                      "blocks.0.attn.hook_pattern blocks.0.attn.hook_z blocks.0.attn.hook_result "
                      "blocks.0.ln1_post.hook_scale blocks.0.ln1_post.hook_normalized "
                      "blocks.0.ln1_post.hook_out "
                      "blocks.0.hook_attn_out blocks.0.hook_resid_mid blocks.0.hook_mlp_in "
                      "blocks.0.ln2.hook_scale blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out "
                      "blocks.0.mlp.hook_pre "
                      "blocks.0.mlp.hook_pre_linear blocks.0.mlp.hook_post "
                      "blocks.0.ln2_post.hook_scale blocks.0.ln2_post.hook_normalized "
                      "blocks.0.ln2_post.hook_out "
                      "blocks.0.hook_mlp_out blocks.0.hook_resid_post ln_final.hook_scale "
                      "ln_final.hook_normalized ln_final.hook_out");
    QTest::newRow("olmo2: norms of outputs, of queries and of keys")
        << "olmo2"
        << QByteArray("hook_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.attn.hook_q blocks.0.attn.hook_k blocks.0.attn.hook_v "
                      "blocks.0.attn.q_norm.hook_scale blocks.0.attn.q_norm.hook_normalized "
                      "blocks.0.attn.q_norm.hook_out "
                      "blocks.0.attn.k_norm.hook_scale blocks.0.attn.k_norm.hook_normalized "
                      "blocks.0.attn.k_norm.hook_out "
                      "blocks.0.attn.hook_rot_q blocks.0.attn.hook_rot_k "
                      "blocks.0.attn.hook_attn_scores blocks.0.attn.hook_pattern "
                      "blocks.0.attn.hook_z blocks.0.attn.hook_result blocks.0.ln1.hook_scale "
                      "blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out blocks.0.hook_attn_out "
                      "blocks.0.hook_resid_mid blocks.0.hook_mlp_in blocks.0.mlp.hook_pre "
                      "blocks.0.mlp.hook_pre_linear blocks.0.mlp.hook_post "
                      "blocks.0.ln2.hook_scale blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out "
                      "blocks.0.hook_mlp_out blocks.0.hook_resid_post ln_final.hook_scale "
                      "ln_final.hook_normalized ln_final.hook_out");
    QTest::newRow("gptj: no middle of a parallel block")
        << "gptj"
        << QByteArray("hook_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.ln1.hook_scale blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out "
                      "blocks.0.attn.hook_q "
                      "blocks.0.attn.hook_k blocks.0.attn.hook_v blocks.0.attn.hook_rot_q "
                      "blocks.0.attn.hook_rot_k blocks.0.attn.hook_attn_scores "
                      "blocks.0.attn.hook_pattern blocks.0.attn.hook_z blocks.0.attn.hook_result "
                      "blocks.0.hook_attn_out blocks.0.hook_mlp_in blocks.0.ln2.hook_scale "
                      "blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out blocks.0.mlp.hook_pre "
                      "blocks.0.mlp.hook_post "
                      "blocks.0.hook_mlp_out blocks.0.hook_resid_post ln_final.hook_scale "
                      "ln_final.hook_normalized ln_final.hook_out");
    QTest::newRow("mixtral: experts")
        << "mixtral"
        << QByteArray("hook_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.ln1.hook_scale blocks.0.ln1.hook_normalized blocks.0.ln1.hook_out "
                      "blocks.0.attn.hook_q "
                      "blocks.0.attn.hook_k blocks.0.attn.hook_v blocks.0.attn.hook_rot_q "
                      "blocks.0.attn.hook_rot_k blocks.0.attn.hook_attn_scores "
                      "blocks.0.attn.hook_pattern blocks.0.attn.hook_z blocks.0.attn.hook_result "
                      "blocks.0.hook_attn_out blocks.0.hook_resid_mid blocks.0.hook_mlp_in "
                      "blocks.0.ln2.hook_scale blocks.0.ln2.hook_normalized blocks.0.ln2.hook_out "
                      "blocks.0.mlp.hook_router_logits blocks.0.mlp.hook_expert_indices "
                      "blocks.0.mlp.hook_expert_weights blocks.0.hook_mlp_out "
                      "blocks.0.hook_resid_post ln_final.hook_scale ln_final.hook_normalized "
                      "ln_final.hook_out");
    QTest::newRow("notebook")
        << "notebook"
        << QByteArray("hook_embed hook_pos_embed blocks.0.hook_resid_pre blocks.0.hook_attn_in "
                      "blocks.0.hook_q_input blocks.0.hook_k_input blocks.0.hook_v_input "
                      "blocks.0.attn.hook_q blocks.0.attn.hook_k blocks.0.attn.hook_v "
                      "blocks.0.attn.hook_attn_scores blocks.0.attn.hook_pattern "
                      "blocks.0.attn.hook_z blocks.0.attn.hook_result blocks.0.hook_attn_out "
                      "blocks.0.hook_resid_post");
}

void TestHookPoints::namesOfEachFamily() {
    QFETCH(QString, fixture);
    QFETCH(QByteArray, expected);
    ModelSpec spec = loadFixture(fixture.toStdString())->spec;
    spec.n_layers = 1;
    QCOMPARE(listed(namesOf(spec)), expected);
}

/// resources/hook_points.md: a row for each point of any network, with its number of axes, and a
/// star where globs must spell it out.
void TestHookPoints::tableSaysAllOfThem() {
    QFile file(QStringLiteral(HEADSCOPE_HOOK_TABLE));
    QVERIFY(file.open(QIODevice::ReadOnly));
    std::map<std::string, TableRow> rows;
    for (const QByteArray& line : file.readAll().split('\n'))
        if (line.startsWith("| `")) {
            const QList<QByteArray> cells = line.split('|');
            QCOMPARE(cells.size(), 9);
            const QList<QByteArray> name = cells[1].trimmed().split(' ');
            QVERIFY(rows.emplace(name[0].mid(1, name[0].size() - 2).toStdString(),
                                 TableRow{cells[2].count(',') + 1, name.size() == 2})
                        .second);
        }
    std::set<std::string> found;
    for (const char* fixture : {"gpt2", "llama", "bert", "roberta", "gemma2", "qwen3", "microgpt",
                                "hooked-solu", "mixtral", "deepseek_v3"}) {
        const auto model = loadFixture(fixture);
        for (const HookPoint point : hookPoints(model->spec)) {
            const std::string name = nameInTable(model->spec, point);
            const auto row = rows.find(name);
            QVERIFY2(row != rows.end(), name.c_str());
            QCOMPARE(row->second.axes,
                     static_cast<qsizetype>(hookShape(model->spec, point, 5).size()));
            QCOMPARE(row->second.spelled_out, !hookMatches(model->spec, "*", point));
            found.insert(name);
        }
    }
    for (const auto& [name, row] : rows)
        QVERIFY2(found.contains(name), name.c_str());
}

void TestHookPoints::namesAreUnique() {
    const ModelSpec spec = loadFixture("llama-gqa")->spec;
    const std::vector<std::string> names = namesOf(spec);
    QCOMPARE(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    QCOMPARE(std::count(names.begin(), names.end(), "blocks.2.attn.hook_rot_k"), 1);
}

void TestHookPoints::expensivePointsAreSpelledOut() {
    const ModelSpec spec = loadFixture("gpt2")->spec;
    const HookPoint result{HookKind::Result, 1};
    QVERIFY(!hookMatches(spec, "*", result));
    QVERIFY(!hookMatches(spec, "blocks.1.attn.*", result));
    QVERIFY(hookMatches(spec, "blocks.*.attn.hook_result", result));
    QVERIFY(!hookMatches(spec, "blocks.0.attn.hook_result", result));
    QVERIFY(hookMatches(spec, "blocks.1.attn.*", {HookKind::Z, 1}));
    QVERIFY(!hookMatches(spec, "blocks.1.attn.hook_", {HookKind::Z, 1}));
}

void TestHookPoints::shapes() {
    const ModelSpec spec = loadFixture("llama-mqa-headdim")->spec; // 6 heads of 16, one KV head
    QCOMPARE(hookShape(spec, {HookKind::Q, 0}, 5), (Shape{5, 6, 16}));
    QCOMPARE(hookShape(spec, {HookKind::RotK, 0}, 5), (Shape{5, 1, 16}));
    QCOMPARE(hookShape(spec, {HookKind::Pattern, 0}, 5), (Shape{6, 5, 5}));
    QCOMPARE(hookShape(spec, {HookKind::KInput, 0}, 5), (Shape{5, 1, 48}));
    QCOMPARE(hookShape(spec, {HookKind::MlpPreLinear, 0}, 5), (Shape{5, 80}));
    QCOMPARE(hookShape(spec, {HookKind::Ln2Scale, 0}, 5), (Shape{5, 1}));
}

/// Experts in the first and the third of three layers; a second layer that turns nothing.
void TestHookPoints::layersDiffer() {
    const ModelSpec mixture = loadFixture("qwen3_moe")->spec;
    const ModelSpec smollm3 = loadFixture("smollm3")->spec;
    for (std::size_t layer = 0; layer < 3; ++layer) {
        const std::string block = "blocks." + std::to_string(layer) + ".";
        QCOMPARE(hookNamed(mixture, block + "mlp.hook_pre").has_value(), layer == 1);
        QCOMPARE(hookNamed(mixture, block + "mlp.hook_pre_linear").has_value(), layer == 1);
        QCOMPARE(hookNamed(mixture, block + "mlp.hook_router_logits").has_value(), layer != 1);
        QCOMPARE(hookNamed(smollm3, block + "attn.hook_rot_q").has_value(), layer != 1);
    }
    QCOMPARE(hookShape(mixture, {HookKind::RouterLogits, 0}, 5), (Shape{5, 6}));
    QCOMPARE(hookShape(mixture, {HookKind::ExpertIndices, 0}, 5), (Shape{5, 3}));
}

void TestHookPoints::kindsAreNamedInShort_data() {
    QTest::addColumn<std::string>("given");
    for (const char* given : {"z", "hook_z", "attn.hook_z", "blocks.0.attn.hook_z", "*z", "hook_"})
        QTest::newRow(given) << std::string(given);
}

void TestHookPoints::kindsAreNamedInShort() {
    QFETCH(std::string, given);
    const auto kind = parseHookKind(given, loadFixture("gpt2")->spec);
    if (given == "*z" || given == "hook_" || given.starts_with("blocks."))
        QCOMPARE(kind.error().code, ErrorCode::NotFound);
    else
        QVERIFY(kind && *kind == HookKind::Z);
}

/// Of the norms before attention and before the MLP, and of one that only later layers have.
void TestHookPoints::shortNamesOfSeveralAreRefused() {
    const auto several = parseHookKind("normalized", loadFixture("gpt2")->spec);
    QCOMPARE(several.error().code, ErrorCode::InvalidArgument);
    QCOMPARE(several.error().message,
             std::string("\"normalized\" could be ln1.hook_normalized or ln2.hook_normalized or "
                         "ln_final.hook_normalized; write one of these."));
    QVERIFY(*parseHookKind("ln2.hook_normalized", loadFixture("gpt2")->spec) ==
            HookKind::Ln2Normalized);
    QVERIFY(*parseHookKind("mlp.hook_pre", loadFixture("qwen3_moe")->spec) == HookKind::MlpPre);
}

const headscope::test::TestRegistration<TestHookPoints> registration;

} // namespace test_hook_points

#include "test_hook_points.moc"
