#include "core/io/reader/sealed_service.h"

#include "core/io/files/tensor_reading.h"
#include "core/io/reader/seal.h"
#include "core/io/sealed/reader_memory.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/wire.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

struct Request {
    Service service;
    FilePart file;
    bool sealed = true;
};

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

std::optional<Request> parseRequest(std::span<char* const> arguments,
                                    std::span<const Service> services) {
    if (arguments.size() != 5)
        return std::nullopt;
    const std::string_view parser = arguments[1];
    const auto service = std::ranges::find_if(
        services, [&](const Service& each) { return parserName(each.parser) == parser; });
    const auto begin = wholeNumber(arguments[2]);
    const auto bytes = wholeNumber(arguments[3]);
    const std::string_view seal = arguments[4];
    if (service == services.end() || !begin || !bytes || (seal != "sealed" && seal != "unsealed"))
        return std::nullopt;
    return Request{*service, {kReaderFile, *begin, *bytes}, seal == "sealed"};
}

/// Calls `move` for what is left of some bytes, until nothing is. Whether it came to that.
template <class Byte, class Move>
bool moveAll(std::span<Byte> bytes, Move move) {
    while (!bytes.empty()) {
        const ssize_t count = move(bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

void answer(const ReaderAnswer& said) {
    const Bytes bytes = encodeAnswer(said);
    moveAll(std::span(bytes), [](std::span<const std::byte> rest) {
        return ::write(kReaderAnswer, rest.data(), rest.size());
    });
}

bool receive(std::span<std::byte> target) {
    return moveAll(target, [](std::span<std::byte> rest) {
        return ::read(kReaderAnswer, rest.data(), rest.size());
    });
}

/// A question with its length, which comes first; nothing where there is none.
std::optional<Bytes> nextQuestion(std::size_t most) {
    Bytes question(sizeof(std::uint64_t));
    if (!receive(question))
        return std::nullopt;
    const std::uint64_t length = littleEndian(question);
    if (length > most)
        return std::nullopt;
    question.resize(question.size() + length);
    if (!receive(std::span(question).subspan(sizeof(std::uint64_t))))
        return std::nullopt;
    return question;
}

void serve(const Request& request) {
    if (request.service.describe != nullptr)
        answer(request.service.describe(request.file));
    else
        while (const auto question = nextQuestion(request.file.bytes))
            answer(request.service.reply(*question));
}

} // namespace

int serveSealed(std::span<char* const> arguments, std::span<const Service> services) {
    const auto request = parseRequest(arguments, services);
    if (!request || ::fcntl(kReaderFile, F_GETFD) < 0 || ::fcntl(kReaderAnswer, F_GETFD) < 0) {
        std::fputs("This describes a file for Headscope and is of no use by itself.\n", stderr);
        return 2;
    }
    const Parser parser = request->service.parser;
    const std::size_t memory = readerMemory(parser, request->file.bytes);
    const Error out_of_memory = readerIsOutOfMemory(parser, request->file.bytes);
    const std::string problem =
        request->sealed ? sealProcess(kReaderAnswer, memory) : limitProcess(memory);
    if (!problem.empty())
        answer(Refusal{{ErrorCode::Unreadable,
                        "it is only read with a filter of system calls, which this system does "
                        "not set up (" +
                            problem +
                            "); for files that you trust, HEADSCOPE_UNSEALED=1 in the environment "
                            "goes without"},
                       ""});
    else
        try {
            serve(*request);
        } catch (const std::bad_alloc&) {
            answer(Refusal{out_of_memory, ""});
        }
    // No exit handler of a library runs: they may do what is no longer allowed.
    ::_exit(0);
}

} // namespace headscope
