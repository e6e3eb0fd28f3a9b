#include "app/cli/open_work.h"

#include "core/io/sha256.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace headscope::cli {

void addWords(std::vector<std::string>& words, const CLI::Option& option,
              const std::vector<std::string>& values) {
    const std::string name = "--" + option.get_lnames().front();
    const bool is_together = option.get_items_expected_max() == 0 || isPair(option);
    if (is_together)
        words.push_back(name);
    for (const std::string& value : values) {
        if (!is_together)
            words.push_back(name);
        words.push_back(value);
    }
}

bool isPair(const CLI::Option& option) {
    return option.get_items_expected_min() > 1;
}

std::vector<std::string> wordsOf(const CLI::App& app, const std::vector<std::string>& without) {
    std::vector<std::string> words;
    for (const CLI::Option* const option : app.get_options()) {
        if (option->count() == 0 || option->get_lnames().empty() ||
            std::ranges::find(without, option->get_lnames().front()) != without.end())
            continue;
        const bool is_flag = option->get_items_expected_max() == 0;
        addWords(words, *option, is_flag ? std::vector<std::string>() : option->results());
    }
    return words;
}

std::string takeWords(CLI::App& app, std::vector<std::string> words) {
    std::ranges::reverse(words); // as CLI11 takes them
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? "it asks for help" : error.what();
    }
    return {};
}

namespace {

Result<std::vector<WorkFile>> hashFiles(const std::vector<std::string>& paths) {
    std::vector<WorkFile> files;
    for (const std::string& path : paths) {
        auto hash = sha256OfFile(path);
        if (!hash)
            return hash.error();
        files.push_back({path, *std::move(hash)});
    }
    return files;
}

Error mismatch(std::string sentence) {
    return {ErrorCode::Mismatch, std::move(sentence)};
}

Result<void> checkFiles(const Work& work, const WorkPlan& plan, const std::string& plan_path) {
    const auto files = hashFiles(work.files());
    if (!files)
        return files.error();
    for (std::size_t i = 0; i < files->size() && i < plan.files.size(); ++i)
        if ((*files)[i] != plan.files[i])
            return mismatch((*files)[i].path + " is not the file that " + plan_path +
                            " was made with; restore it, or make the plan anew.");
    if (files->size() != plan.files.size())
        return mismatch("The files that " + plan_path +
                        " names are not those of its question; make the plan anew.");
    return {};
}

Result<void> checkModel(const Model& model, const WorkPlan& plan, const std::string& plan_path) {
    if (model.sha256 != plan.model.sha256)
        return mismatch("The model " + model.path.string() + " is not the one that " + plan_path +
                        " was made with: its SHA-256 is " + model.sha256 + " and should be " +
                        plan.model.sha256 + ".");
    if (model.name != plan.model_name)
        return mismatch("The model " + model.path.string() + " is called " + model.name +
                        " in results and " + plan.model_name + " by " + plan_path +
                        "; give it the name that it had.");
    return {};
}

/// The question of `words`, and how they say that the model is read.
Result<ModelChoice> readWords(Work& work, const WorkPlan& plan, const std::string& plan_path) {
    CLI::App app("", plan.command);
    ModelChoice model;
    addModelOption(app, model)->required(false);
    work.addQuestion(app);
    if (const std::string reason = takeWords(app, plan.words); !reason.empty())
        return Error{ErrorCode::Malformed,
                     "The question of " + plan_path + " cannot be read: " + reason};
    model.command = nullptr; // it ends here, and had no results to write
    return model;
}

Result<WorkQuestion> askQuestion(Work& work, const std::shared_ptr<const Model>& model) {
    auto question = work.prepare(model);
    if (!question)
        return question;
    question->text = sha256OfText(question->text);
    return question;
}

} // namespace

Result<WorkPlan> readPlan(const std::string& path, const std::string& command) {
    auto plan = WorkPlan::read(std::filesystem::path(path));
    if (plan && plan->command != command)
        return mismatch(path + " is a plan of " + plan->command + ", not of " + command +
                        "; give it to headscope-cli " + plan->command + ".");
    return plan;
}

Result<WorkPlan> makePlan(Work& work, const std::string& command, const ModelChoice& choice,
                          std::vector<std::string> words) {
    WorkPlan plan;
    plan.command = command;
    plan.words = std::move(words);
    std::shared_ptr<const Model> model;
    if (!choice.path.empty()) {
        auto opened = openModel(choice);
        if (!opened)
            return opened.error();
        model = *std::move(opened);
        plan.model_name = model->name;
        plan.model = {choice.path, model->sha256};
    }
    auto files = hashFiles(work.files());
    if (!files)
        return files.error();
    plan.files = *std::move(files);
    auto question = askQuestion(work, model);
    if (!question)
        return question.error();
    plan.question = std::move(question->text);
    plan.units = std::move(question->units);
    std::set<std::string_view> names;
    for (const WorkUnit& unit : plan.units)
        if (!names.insert(unit.name).second)
            return Error{ErrorCode::InvalidArgument,
                         "The question asks for " + unit.name + " twice; ask for it once."};
    return plan;
}

Result<void> openWork(Work& work, const WorkPlan& plan, const std::string& plan_path,
                      const std::string& model_path) {
    auto choice = readWords(work, plan, plan_path);
    if (!choice)
        return choice.error();
    if (auto checked = checkFiles(work, plan, plan_path); !checked)
        return checked;
    choice->path = model_path.empty() ? plan.model.path : model_path;
    std::shared_ptr<const Model> model;
    if (work.needsModel() || !choice->path.empty()) {
        auto opened = openModel(*choice);
        if (!opened)
            return opened.error();
        model = *std::move(opened);
        if (auto checked = checkModel(*model, plan, plan_path); !checked)
            return checked;
    }
    const auto question = askQuestion(work, model);
    if (!question)
        return question.error();
    if (question->text != plan.question || question->units != plan.units)
        return mismatch("The question of " + plan_path +
                        " comes out another one here: the plan was changed, or the model's "
                        "tokenizer or config was; make it anew.");
    return {};
}

} // namespace headscope::cli
