#pragma once

#include "app/cli/mcp/answers.h"
#include "app/cli/mcp/asked_program.h"
#include "app/cli/mcp/folders.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>

namespace headscope::cli {

// The tools that are no commands: models, rows and figure.

/// Their descriptions. figure is there where the window's program, which draws it, is.
nlohmann::json describedOwnTools();

/// {"models": [path]}
std::string modelList(const Folders& folders);

/// Why one of these tools is not asked with such arguments; nothing for any other tool.
Result<void> checkOwnArguments(const std::string& tool, const JsonValue& arguments);

/// Rows of an earlier answer; `arguments` are {"answer", "list", "from", "count"}.
Result<std::string> readRows(const Answers& answers, const JsonValue& arguments);

/// Where a figure is written, which is gone with the object.
class FigureFile {
public:
    static Result<FigureFile> make();
    FigureFile(FigureFile&& other) noexcept;
    FigureFile& operator=(FigureFile&& other) noexcept;
    ~FigureFile();

    std::string path() const { return folder_ + "/figure.png"; }
    /// Its bytes in base64; fails where nothing was written.
    Result<std::string> base64() const;

private:
    explicit FigureFile(std::string folder) : folder_(std::move(folder)) {}

    std::string folder_; ///< of its own
};

/// What draws the pattern of a head into `path`; `arguments` are {"model", "text", "head"}.
Result<AskedProgram> figureProgram(const JsonValue& arguments, const Folders& folders,
                                   const std::string& path);

/// The file of this program.
std::string thisProgram();

} // namespace headscope::cli
