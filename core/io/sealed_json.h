#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

namespace headscope {

class JsonReader;

/// While it lives, one reader parses the JSON texts of this thread one after the other, which takes
/// one start in place of many, and a stop request ends that. It is for the texts of one model or
/// document: who takes the reader over may answer for those that follow. Inside another one it
/// shares its reader, and its stop token in place of an empty one.
class JsonReading {
public:
    explicit JsonReading(std::stop_token stop);
    JsonReading(const JsonReading&) = delete;
    JsonReading& operator=(const JsonReading&) = delete;
    ~JsonReading();

private:
    friend std::vector<Result<JsonDocument>>
    readForeignJsons(const std::vector<std::string_view>& texts, const JsonLimits& limits);

    JsonReading* outer_;
    std::shared_ptr<JsonReader> reader_;
    std::stop_token stop_;
};

/// JsonDocument::parse() for a text from anywhere: a sealed reader parses it, and what it answers
/// is checked against the limits and the length of the text. Messages are those of parse(), or
/// "cannot be read: …", not with ErrorCode::Malformed, where no reader can be started or it does
/// not answer.
Result<JsonDocument> readForeignJson(std::string_view text, const JsonLimits& limits = {});

/// The same for many texts in one question.
std::vector<Result<JsonDocument>> readForeignJsons(const std::vector<std::string_view>& texts,
                                                   const JsonLimits& limits = {});

} // namespace headscope
