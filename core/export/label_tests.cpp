#include "core/export/label_tests.h"

#include "core/export/formats/kept_json.h"
#include "core/heads/head_type.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/effect_beside.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

constexpr KeptKind kLabelsKind{.key = "headscope_labels",
                               .name = "file of tested labels",
                               .largest = std::size_t{64} << 20,
                               .values = 4'000'000};

/// At all thresholds together: more than two for each of 5000 heads. What a file of little more
/// than labels is read to takes more memory than its JSON.
constexpr std::size_t kMostLabels = 50'000;

// Writing

KeptJson numberJson(double value) {
    return std::isfinite(value) ? KeptJson(value) : KeptJson(nullptr);
}

template <class Each, class ToJson>
KeptJson listJson(const std::vector<Each>& list, ToJson to_json) {
    KeptJson made = KeptJson::array();
    for (const Each& each : list)
        made.push_back(to_json(each));
    return made;
}

KeptJson readingJson(const EffectReading& reading) {
    return {{"measure", static_cast<int>(reading.measure)},
            {"sequences", reading.sequences},
            {"full", numberJson(reading.full)},
            {"least", numberJson(reading.least)},
            {"difference", numberJson(reading.difference)},
            {"low", numberJson(reading.interval.low)},
            {"high", numberJson(reading.interval.high)}};
}

KeptJson questionJson(const AblationEffectQuestion& question) {
    return {{"input", static_cast<int>(question.input)},
            {"by", replacementName(question.replacement())},
            {"others", question.others},
            {"seed", question.seed},
            {"most_sequences", question.most_sequences},
            {"same_type", headListJson(question.same_type)},
            {"labels", listJson(question.labels,
                                [](HeadTypeId type) { return KeptJson(headType(type).key); })}};
}

KeptJson effectJson(const AblationEffect& effect) {
    KeptJson made = readingJson(effect);
    made["question"] = questionJson(effect.question);
    made["others"] = listJson(effect.others, [](const AblationEffect::Other& other) {
        return KeptJson{{"head", headJson(other.head)},
                        {"difference", numberJson(other.difference)}};
    });
    made["replaced"] = listJson(effect.replaced, [](const AblationEffect::Replaced& replaced) {
        return KeptJson{{"by", replacementName(replaced.by)},
                        {"sequences", replaced.sequences},
                        {"difference", numberJson(replaced.difference)},
                        {"low", numberJson(replaced.interval.low)},
                        {"high", numberJson(replaced.interval.high)}};
    });
    return made;
}

KeptJson besideJson(const EffectBeside& beside) {
    KeptJson made = readingJson(beside);
    made["others"] = headListJson(beside.question.others);
    made["by"] = replacementName(beside.question.by);
    return made;
}

KeptJson setJson(const SetScore& set) {
    return {{"set", set.set},
            {"sequences", set.sequences},
            {"score", numberJson(set.score)},
            {"baseline", numberJson(set.baseline)},
            {"low", numberJson(set.low)},
            {"high", numberJson(set.high)}};
}

KeptJson labelJson(const LabelTrust& label) {
    return {{"head", headJson(label.score.head)},
            {"type", headType(label.score.type).key},
            {"score", numberJson(label.score.score)},
            {"effect", label.effect ? effectJson(*label.effect) : KeptJson(nullptr)},
            {"beside", label.beside ? besideJson(*label.beside) : KeptJson(nullptr)},
            {"sets", listJson(label.sets, setJson)},
            {"stable_share", numberJson(label.stable_share)},
            {"resamples", label.resamples}};
}

std::size_t countLabels(std::span<const LabelTests> tests) {
    std::size_t count = 0;
    for (const LabelTests& each : tests)
        count += each.labels.size();
    return count;
}

/// The latest that a file may hold, and one in any case.
std::span<const LabelTests> latest(std::span<const LabelTests> tests) {
    while (tests.size() > 1 && (tests.size() > kMostLabelTests || countLabels(tests) > kMostLabels))
        tests = tests.subspan(1);
    return tests;
}

// Reading

/// Whether there are no more than a file may hold.
bool areFew(const JsonValue& tests) {
    std::size_t labels = 0;
    if (tests.size() > kMostLabelTests)
        return false;
    for (const JsonValue& each : tests.elements())
        labels += each.member("labels").size();
    return labels <= kMostLabels;
}

/// The members of one object. What has another form is said once for the whole file.
class Members {
public:
    Members(const JsonValue& object, bool& fits) : object_(object), fits_(fits) {
        fits_ = fits_ && object.isObject();
    }

    JsonValue at(std::string_view key) const { return object_.member(key); }
    /// The members of an object in this one.
    Members in(std::string_view key) const { return {at(key), fits_}; }

    double number(std::string_view key) const {
        const JsonValue value = at(key);
        if (value.isNull())
            return std::numeric_limits<double>::quiet_NaN();
        return valueOf(value.number(), 0.0);
    }
    std::uint64_t whole(std::string_view key) const {
        return valueOf(at(key).whole(), std::uint64_t{0});
    }
    bool flag(std::string_view key) const { return valueOf(at(key).boolean(), false); }
    std::string text(std::string_view key) const {
        const std::string* const text = at(key).text();
        fits_ = fits_ && text != nullptr;
        return text == nullptr ? std::string() : *text;
    }
    LayerHead head(std::string_view key) const { return valueOf(headFrom(at(key)), LayerHead()); }
    std::vector<LayerHead> heads(std::string_view key) const {
        return valueOf(headListFrom(at(key)), {});
    }
    /// One of those up to `last`.
    template <class Choice>
    Choice choice(std::string_view key, Choice last) const {
        const std::uint64_t value = whole(key);
        fits_ = fits_ && value <= static_cast<std::uint64_t>(last);
        return fits_ ? static_cast<Choice>(value) : last;
    }
    Interval interval() const { return {number("low"), number("high")}; }
    template <class Each>
    std::vector<Each> list(std::string_view key, Each (*from)(const Members&)) const {
        std::vector<Each> made;
        fits_ = fits_ && at(key).isArray();
        for (const JsonValue& each : at(key).elements()) {
            if (!fits_)
                return {};
            made.push_back(from(Members(each, fits_)));
        }
        return made;
    }
    bool& fits() const { return fits_; }

private:
    template <class Value>
    Value valueOf(std::optional<Value> value, Value otherwise) const {
        fits_ = fits_ && value.has_value();
        return value ? *std::move(value) : otherwise;
    }

    JsonValue object_;
    bool& fits_;
};

ReplacedBy replacementFrom(const Members& from) {
    const std::string name = from.text("by");
    const ReplacedBy by = replacedByNamed(name);
    from.fits() = from.fits() && replacementName(by) == name;
    return by;
}

void takeReading(const Members& from, EffectReading& reading) {
    reading.measure = from.choice("measure", EffectMeasure::Kl);
    reading.sequences = from.whole("sequences");
    reading.full = from.number("full");
    reading.least = from.number("least");
    reading.difference = from.number("difference");
    reading.interval = from.interval();
}

/// Types that this version does not know make no label of it.
std::vector<HeadTypeId> typesFrom(const JsonValue& keys) {
    std::vector<HeadTypeId> types;
    for (const JsonValue& key : keys.elements())
        if (const auto type = key.text() ? headTypeByKey(*key.text()) : std::nullopt)
            types.push_back(*type);
    return types;
}

AblationEffectQuestion questionFrom(const Members& from, LayerHead head) {
    AblationEffectQuestion question;
    question.head = head;
    question.input = from.choice("input", InputKind::Ordinals);
    const ReplacedBy by = replacementFrom(from);
    question.kind = by.kind;
    question.preserve_patterns = by.preserve_patterns;
    question.others = from.whole("others");
    question.seed = from.whole("seed");
    question.most_sequences = from.whole("most_sequences");
    question.same_type = from.heads("same_type");
    question.labels = typesFrom(from.at("labels"));
    return question;
}

AblationEffect::Other otherFrom(const Members& from) {
    return {from.head("head"), from.number("difference")};
}

AblationEffect::Replaced replacedFrom(const Members& from) {
    return {replacementFrom(from), from.whole("sequences"), from.number("difference"),
            from.interval()};
}

AblationEffect effectFrom(const Members& from, LayerHead head) {
    AblationEffect effect;
    takeReading(from, effect);
    effect.question = questionFrom(from.in("question"), head);
    effect.others = from.list("others", otherFrom);
    effect.replaced = from.list("replaced", replacedFrom);
    return effect;
}

EffectBeside besideFrom(const Members& from, LayerHead head) {
    EffectBeside beside;
    takeReading(from, beside);
    beside.question = {.head = head, .others = from.heads("others"), .by = replacementFrom(from)};
    return beside;
}

SetScore setFrom(const Members& from) {
    return {from.text("set"),        from.whole("sequences"), from.number("score"),
            from.number("baseline"), from.number("low"),      from.number("high")};
}

/// Nothing for a type that this version does not know.
std::optional<LabelTrust> labelFrom(const Members& from) {
    const auto type = headTypeByKey(from.text("type"));
    if (!type)
        return std::nullopt;
    LabelTrust label;
    label.score.head = from.head("head");
    label.score.type = *type;
    label.score.score = from.number("score");
    if (!from.at("effect").isNull())
        label.effect = effectFrom(from.in("effect"), label.score.head);
    if (!from.at("beside").isNull())
        label.beside = besideFrom(from.in("beside"), label.score.head);
    label.sets = from.list("sets", setFrom);
    label.stable_share = from.number("stable_share");
    label.resamples = from.whole("resamples");
    return label;
}

/// By head and type; of those that come twice the first.
void sortLabels(std::vector<LabelTrust>& labels) {
    const auto key = [](const LabelTrust& label) {
        return std::pair(label.score.head, label.score.type);
    };
    std::ranges::stable_sort(labels, {}, key);
    const auto are_same = [&](const LabelTrust& one, const LabelTrust& other) {
        return key(one) == key(other);
    };
    labels.erase(std::unique(labels.begin(), labels.end(), are_same), labels.end());
}

LabelTests testsFrom(const Members& from) {
    LabelTests tests;
    tests.square_flipped = squaresFrom(from.at("square_matrices"));
    tests.thresholds = thresholdsFrom(from.at("thresholds"));
    for (std::optional<LabelTrust>& label : from.list("labels", labelFrom))
        if (label)
            tests.labels.push_back(*std::move(label));
    sortLabels(tests.labels);
    for (const JsonValue& note : from.at("notes").elements())
        if (note.text() != nullptr)
            tests.notes.push_back(*note.text());
    return tests;
}

} // namespace

Result<void> writeLabelTests(const std::filesystem::path& path, std::span<const LabelTests> tests) {
    KeptJson list = KeptJson::array();
    const std::span<const LabelTests> kept = latest(tests);
    if (countLabels(kept) > kMostLabels)
        return cannotKeep(path,
                          {ErrorCode::TooLarge,
                           "there are more than " + std::to_string(kMostLabels) + " labels."});
    for (const LabelTests& each : kept)
        list.push_back({{"square_matrices", squaresJson(each.square_flipped)},
                        {"thresholds", thresholdsJson(each.thresholds)},
                        {"notes", each.notes},
                        {"labels", listJson(each.labels, labelJson)}});
    return writeKept(path, kLabelsKind,
                     {{"app_version", HEADSCOPE_VERSION}, {"tests", std::move(list)}});
}

Result<std::vector<LabelTests>> readLabelTests(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return std::vector<LabelTests>();
    const auto document = readKept(path, kLabelsKind);
    if (!document)
        return document.error();
    bool fits = true;
    const Members root(document->root(), fits);
    if (root.text("app_version") != HEADSCOPE_VERSION && fits)
        return std::vector<LabelTests>();
    std::vector<LabelTests> tests;
    fits = fits && areFew(root.at("tests"));
    if (fits)
        tests = root.list("tests", testsFrom);
    if (!fits)
        return Error{ErrorCode::Malformed,
                     path.string() + " is damaged: a tested label is missing or has another form."};
    return tests;
}

} // namespace headscope
