// What is copied of runs of prompts: MODEL as its argument; on its standard input a line for each,
// with the path that the model shall have and its prompt, both an x and hexadecimal digits. It
// answers with "command WORDS…" or "refused", a line each, also in hexadecimal digits: what *Copy
// as Command* puts on the clipboard, then the words that the shell shall make of it.

#include "core/base/text.h"
#include "core/export/call.h"
#include "core/export/run_calls.h"
#include "core/loading/load_model.h"
#include "core/model/prompt.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using namespace headscope;

/// "x616263" as "abc"
std::string fromHexadecimal(std::string_view digits) {
    std::string bytes;
    digits.remove_prefix(1); // or nothing would stand for no bytes
    for (; digits.size() >= 2; digits.remove_prefix(2))
        bytes += static_cast<char>(std::stoi(std::string(digits.substr(0, 2)), nullptr, 16));
    return bytes;
}

std::string toHexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 0xF];
    }
    return text + ' ';
}

std::string answer(const Model& model, const std::string& path, const std::string& text) {
    const auto prompt = promptFromText(model, text, BosMode::Auto);
    auto call = prompt ? runCall({model, {}}, *prompt, {}) : Result<Call>(prompt.error());
    if (!call)
        return "refused";
    call->model->path = path;
    std::string line = toHexadecimal(shellLines({&*call, 1}));
    line += toHexadecimal(call->command) + toHexadecimal(path);
    for (const CallWord& word : call->words) {
        const bool joined = word.value && word.value->starts_with('-');
        line += joined ? toHexadecimal(word.option + '=' + *word.value)
                       : toHexadecimal(word.option) + toHexadecimal(word.value.value_or(""));
    }
    return line;
}

} // namespace

int main(int argc, char** argv) {
    const auto model =
        argc == 2 ? loadModel(argv[1]) : Error{ErrorCode::InvalidArgument, "one model"};
    if (!model)
        return 1;
    std::string path;
    std::string prompt;
    while (std::cin >> path >> prompt)
        std::cout << answer(**model, fromHexadecimal(path), fromHexadecimal(prompt)) << std::endl;
}
