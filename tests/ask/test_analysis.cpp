#include "core/ask/analysis.h"
#include "core/ask/python_methods.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <set>

namespace test_analysis {

using namespace headscope;

namespace {

Result<Answer> countLayers(const Asking& asking) {
    Answer answer;
    answer.table.columns.push_back({"layers"});
    answer.table.rows.push_back({static_cast<double>(asking.model->spec.n_layers)});
    return answer;
}

/// One of each kind of parameter.
Analysis toy() {
    return {"toy",
            "toy",
            "Count layers",
            "Counts layers.",
            {askPrompt(), askMetric(), required(askToken("token", "A token")),
             askChoice("least_kind", {"one", "two"}, "two", "A kind"),
             askChoices("kinds", {"a", "b"}, "Kinds"), between(1, 9, askCount("top", 3, "Rows")),
             withoutDefault(askNumber("share", 0.0, "A share")), askFlag("all", "All"),
             beside("all", askCounts("sizes", "Sizes")), askAblation(),
             askEntry("weight", "A weight"), askTexts("path", "FROM TO", "A path"),
             askTexts("names", "Names"), askPosition("query", "A query")},
            {{[](const Asked& asked) { return asked.is("all") && asked.has("share"); },
              "{all} has no {least_kind}; leave {share} out."}},
            countLayers};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class TestAnalysis : public QObject {
    Q_OBJECT

private slots:
    void aRuleNamesParametersAsTheUserDoes() {
        Asked asked;
        asked.set("all", true);
        QVERIFY(!brokenRule(toy(), asked, itself));
        asked.set("share", 0.5);
        QCOMPARE(brokenRule(toy(), asked, itself).value_or(""),
                 std::string("all has no least_kind; leave share out."));
        QCOMPARE(brokenRule(toy(), asked, [](const std::string& key) { return "--" + key; })
                     .value_or(""),
                 std::string("--all has no --least_kind; leave --share out."));
    }

    void aMethodOfPythonIsMadeOfTheDeclaration() {
        const Analysis analysis = toy();
        const std::string text = pythonMethods({&analysis, 1});
        for (const char* const line : {
                 "    def toy(\n        self,\n        prompt: Prompt,\n        token: Token,\n"
                 "        *,\n        metric: Metric = \"loss\",\n",
                 "        tokens: Sequence[Token] = (),\n",
                 "        least_kind: Literal[\"one\", \"two\"] = \"two\",\n",
                 "        kinds: Sequence[Literal[\"a\", \"b\"]] = (),\n",
                 "        top: int = 3,\n",
                 "        share: float | None = None,\n",
                 "        all: bool = False,\n",
                 "        sizes: Sequence[int] = (),\n",
                 "        ablate: Sequence[Head] = (),\n",
                 "        weight: tuple[Head, int, int] | None = None,\n",
                 "        path: tuple[str, str] | None = None,\n",
                 "        names: Sequence[str] = (),\n",
                 "        query: Place | None = None,\n",
                 "        bos: Bos = \"auto\",\n        progress: Progress | None = None,\n"
                 "    ) -> Table:\n        \"\"\"Counts layers.\"\"\"\n",
                 "            \"weight\": entry_of(weight),\n",
                 "        return self._ask(\"toy\", words, progress)\n",
             })
            QVERIFY2(contains(text, line), line);
    }

    void eachAnalysisIsDeclaredWhole() {
        std::set<std::string> keys;
        for (const Analysis& analysis : analyses()) {
            QVERIFY2(keys.insert(analysis.key).second, analysis.key.c_str());
            QVERIFY(analysisNamed(analysis.key) == &analysis);
            QVERIFY(!analysis.title.empty() && !analysis.title.ends_with('.'));
            QVERIFY(!analysis.help.empty() && analysis.run != nullptr);
            std::set<std::string> names;
            for (const AnalysisParameter& parameter : analysis.parameters) {
                const bool is_group = parameter.type <= ParameterType::Ablation;
                QVERIFY2(is_group == parameter.key.empty(), parameter.key.c_str());
                QVERIFY(is_group || !parameter.meaning.empty());
                QVERIFY(is_group || names.insert(parameter.key).second);
                QVERIFY(parameter.needs.empty() || names.contains(parameter.needs));
            }
        }
        QVERIFY(analysisNamed("nothing") == nullptr);
    }

    void namesInRulesAreParameters() {
        for (const Analysis& analysis : analyses())
            for (const Rule& rule : analysis.rules) {
                Analysis broken;
                broken.rules = {{[](const Asked&) { return true; }, rule.sentence}};
                const auto isKnown = [&](const std::string& key) {
                    static const std::set<std::string> groups{"metric",   "tokens", "target",
                                                              "position", "ablate", "ablation"};
                    return groups.contains(key) ||
                           std::ranges::find(analysis.parameters, key, &AnalysisParameter::key) !=
                               analysis.parameters.end();
                };
                brokenRule(broken, {}, [&](const std::string& key) {
                    if (!isKnown(key))
                        qFatal("%s: %s", analysis.key.c_str(), key.c_str());
                    return key;
                });
            }
    }
};

const headscope::test::TestRegistration<TestAnalysis> registration;

} // namespace test_analysis

#include "test_analysis.moc"
