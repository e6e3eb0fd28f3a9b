#include "core/pruning/domains.h"

#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/engine/generate.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

namespace headscope {

namespace {

constexpr std::uint64_t kCalibrationStream = 0;
constexpr std::uint64_t kTestStream = 1;
constexpr std::uint64_t kStreams = 2;
/// Documents too short for a passage, or known, are drawn again this many times in all.
constexpr std::size_t kMostDocuments = 1024;

std::string bundledName(const TextDomain& domain, const char* part) {
    return "the bundled " + domain.name + " (" + part + ")";
}

std::string ownName(const Model& model, const char* part) {
    return "text that " + model.name + " writes (" + part + ")";
}

bool canWrite(const Model& model) {
    return model.spec.predictsNextToken() && model.spec.bos_token;
}

Error cannotWrite(const Model& model) {
    return {ErrorCode::Unsupported,
            model.name +
                " cannot write a text: it does not predict the next token, or it has no "
                "token that begins a text; leave out \"" +
                std::string(kOwnText) + "\"."};
}

Result<PruningDomain> bundledDomain(const Model& model, const TextDomain& domain,
                                    const DomainOptions& options) {
    auto calibration = readPassages(model, domain.calibration, bundledName(domain, "calibration"),
                                    options.calibration);
    if (!calibration)
        return calibration.error();
    auto test = readPassages(model, domain.test, bundledName(domain, "test"), options.test);
    if (!test)
        return test.error();
    return PruningDomain{domain.name, *std::move(calibration), *std::move(test),
                         options.calibration};
}

/// The text in passages, and its loss as it was drawn.
struct OwnPassages {
    PassageSet passages;
    double loss = 0.0;
};

Result<std::optional<OwnPassages>> ownPassages(const std::shared_ptr<const Model>& model,
                                               const char* part, const PassageOptions& options,
                                               std::uint64_t stream, const PassageSet* apart,
                                               const Progress& progress,
                                               const std::stop_token& stop) {
    auto text = writeOwnText(model, options, stream, apart, progress, stop);
    if (!text)
        return text.error();
    if (!*text)
        return std::optional<OwnPassages>();
    PassageOptions all = options;
    all.most_tokens = kMostOwnTokens + options.length; // what was written is what is read
    auto passages = passagesFromIds(*model, (*text)->documents, ownName(*model, part), all);
    if (!passages)
        return passages.error();
    return std::optional(OwnPassages{*std::move(passages), (*text)->loss});
}

/// Adds the text that the model writes itself, where it can.
Result<void> addOwn(const std::shared_ptr<const Model>& model, const DomainOptions& options,
                    PruningTexts& texts, const Progress& progress, const std::stop_token& stop) {
    auto calibration = ownPassages(model, "calibration", options.calibration, kCalibrationStream,
                                   nullptr, partOf(progress, 0.0, 0.5), stop);
    if (!calibration)
        return calibration.error();
    if (!*calibration)
        return {};
    auto test = ownPassages(model, "test", options.test, kTestStream, &(*calibration)->passages,
                            partOf(progress, 0.5, 1.0), stop);
    if (!test)
        return test.error();
    if (!*test)
        return {};
    texts.own_loss = (*test)->loss;
    texts.domains.push_back({std::string(kOwnText), std::move((*calibration)->passages),
                             std::move((*test)->passages), options.calibration});
    return {};
}

/// As much of a model's own text as tells its loss.
PassageOptions forItsLoss(PassageOptions options) {
    constexpr std::size_t kEnough = 1024;
    options.most_tokens = std::min(options.most_tokens, kEnough);
    return options;
}

Result<void> checkNames(const std::vector<std::string>& names) {
    const std::vector<std::string> known = domainNames();
    for (const std::string& name : names)
        if (std::ranges::find(known, name) == known.end())
            return Error{ErrorCode::InvalidArgument,
                         "\"" + name + "\" is no text; use some of " + join(known, ", ") + "."};
    return {};
}

} // namespace

Result<std::optional<OwnText>> writeOwnText(const std::shared_ptr<const Model>& model,
                                            const PassageOptions& options, std::uint64_t stream,
                                            const PassageSet* apart, const Progress& progress,
                                            const std::stop_token& stop) {
    if (!canWrite(*model))
        return std::optional<OwnText>();
    std::unordered_set<std::uint64_t> known;
    if (apart != nullptr)
        for (const TokenIds& content : apart->content)
            for (const std::uint64_t run : runsOf(content))
                known.insert(run);
    const std::size_t wanted = std::min(options.most_tokens, kMostOwnTokens);
    const std::size_t shortest = std::max<std::size_t>(2, (options.length - 1) / 4);
    OwnText text;
    double surprisal = 0.0;
    std::size_t drawn = 0;
    std::size_t tokens = 0;
    for (std::uint64_t i = 0; i < kMostDocuments && tokens < wanted; ++i) {
        report(progress, static_cast<double>(tokens) / static_cast<double>(wanted),
               "the model writes a text");
        const auto document =
            generate(model, {*model->spec.bos_token},
                     {.tokens = options.length - 1,
                      .temperature = 1.0,
                      .seed = (options.seed * kMostDocuments + i) * kStreams + stream},
                     {}, stop);
        if (!document)
            return document.error();
        TokenIds ids;
        for (const GeneratedToken& token : *document) {
            ids.push_back(token.id);
            surprisal += -std::log(token.probability);
            ++drawn;
        }
        const auto runs = runsOf(ids);
        const bool shares =
            std::ranges::any_of(runs, [&](std::uint64_t run) { return known.contains(run); });
        if (shares || ids.size() < shortest)
            continue;
        tokens += ids.size();
        text.documents.push_back(std::move(ids));
    }
    if (text.documents.empty())
        return std::optional<OwnText>();
    text.loss = surprisal / static_cast<double>(drawn);
    return std::optional(std::move(text));
}

std::vector<std::string> domainNames() {
    std::vector<std::string> names{std::string(kOwnText)};
    for (const TextDomain& domain : bundledDomains())
        names.push_back(domain.name);
    return names;
}

Result<PruningTexts> pruningDomains(const std::shared_ptr<const Model>& model,
                                    const DomainOptions& options, const Progress& progress,
                                    const std::stop_token& stop) {
    if (auto known = checkNames(options.names); !known)
        return known.error();
    const auto asked = [&](std::string_view name) {
        return options.names.empty() ||
               std::ranges::find(options.names, name) != options.names.end();
    };
    PruningTexts texts;
    std::optional<Error> unreadable;
    for (const TextDomain& domain : bundledDomains()) {
        if (!asked(domain.name))
            continue;
        auto read = bundledDomain(*model, domain, options);
        if (read)
            if (auto apart = checkApart(read->calibration, read->test); !apart)
                read = apart.error();
        if (read)
            texts.domains.push_back(*std::move(read));
        else if (!options.names.empty())
            return read.error();
        else
            unreadable = read.error();
    }
    if (asked(kOwnText)) {
        if (auto added = addOwn(model, options, texts, progress, stop); !added)
            return added.error();
        if (!texts.own_loss && !options.names.empty())
            return cannotWrite(*model);
    }
    if (texts.domains.empty())
        return unreadable.value_or(cannotWrite(*model));
    if (asked(kOwnText) || !options.own_loss)
        return texts;
    auto own = writeOwnText(model, forItsLoss(options.test), kTestStream, nullptr, progress, stop);
    if (!own)
        return own.error();
    if (*own)
        texts.own_loss = (*own)->loss;
    return texts;
}

Result<PruningTexts> pruningTextsOf(const std::shared_ptr<const Model>& model,
                                    PassageSet calibration, PassageSet test,
                                    const PassageOptions& calibration_options,
                                    const Progress& progress, const std::stop_token& stop) {
    if (auto apart = checkApart(calibration, test); !apart)
        return apart.error();
    auto own =
        writeOwnText(model, forItsLoss(calibration_options), kTestStream, nullptr, progress, stop);
    if (!own)
        return own.error();
    PruningTexts texts;
    std::string name = test.name;
    texts.domains.push_back(
        {std::move(name), std::move(calibration), std::move(test), calibration_options});
    if (*own)
        texts.own_loss = (*own)->loss;
    return texts;
}

Result<std::optional<PassageSet>> calibrationNamed(const std::shared_ptr<const Model>& model,
                                                   const std::string& name,
                                                   const PassageOptions& options,
                                                   const std::stop_token& stop) {
    for (const TextDomain& domain : bundledDomains())
        if (name == bundledName(domain, "calibration")) {
            auto read = readPassages(*model, domain.calibration, name, options);
            if (!read)
                return read.error();
            return std::optional(*std::move(read));
        }
    if (name != ownName(*model, "calibration"))
        return std::optional<PassageSet>();
    auto own = ownPassages(model, "calibration", options, kCalibrationStream, nullptr, {}, stop);
    if (!own)
        return own.error();
    if (!*own)
        return cannotWrite(*model);
    return std::optional(std::move((*own)->passages));
}

bool DomainResults::isOutside(const PruningResult& result) const {
    return own_loss && meanOf(result, result.whole.sums).loss > kOutside * *own_loss;
}

std::size_t DomainResults::nearest() const {
    std::optional<std::size_t> own;
    std::optional<std::size_t> best;
    const auto loss = [&](std::size_t i) { return meanOf(domains[i], domains[i].whole.sums).loss; };
    for (std::size_t i = 0; i < domains.size(); ++i)
        if (domains[i].text == kOwnText)
            own = i;
        else if (!best || loss(i) < loss(*best))
            best = i;
    return best && !(own && isOutside(domains[*best])) ? *best : *own;
}

Result<DomainResults> pruneDomains(const std::shared_ptr<const Model>& model,
                                   const PruningTexts& texts, const PruningQuestion& question,
                                   const std::map<std::string, PruningParts>& parts,
                                   const Progress& progress, const std::stop_token& stop) {
    DomainResults results{{}, texts.own_loss};
    const auto count = static_cast<double>(texts.domains.size());
    for (const PruningDomain& domain : texts.domains) {
        const auto done = static_cast<double>(results.domains.size());
        const Progress part = [&](double fraction, std::string_view stage) {
            report(progress, (done + fraction) / count,
                   texts.domains.size() == 1 ? std::string(stage)
                                             : domain.name + ": " + std::string(stage));
        };
        const auto known = parts.find(domain.name);
        auto result =
            pruneAndMeasure(model, domain.calibration, domain.test, question,
                            known == parts.end() ? PruningParts() : known->second, part, stop);
        if (!result)
            return result.error();
        result->text = domain.name;
        results.domains.push_back(*std::move(result));
    }
    return results;
}

} // namespace headscope
