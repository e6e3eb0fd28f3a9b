#pragma once

#include "core/base/result.h"

#include <memory>
#include <stop_token>

namespace headscope {

class ForeignTextReader;

/// While it lives, one sealed reader parses the texts of this thread one after the other, which
/// takes one start in place of many, and a stop request ends that. It is for the texts of one model
/// or document: who takes the reader over may answer for those that follow. Inside another one it
/// shares its reader, and its stop token in place of an empty one.
class SealedReading {
public:
    explicit SealedReading(const std::stop_token& stop);
    SealedReading(const SealedReading&) = delete;
    SealedReading& operator=(const SealedReading&) = delete;
    ~SealedReading();

    /// The innermost one of this thread; null if there is none.
    static const SealedReading* innermost();
    ForeignTextReader& reader() const { return *reader_; }
    const std::stop_token& stop() const { return stop_; }

private:
    const SealedReading* outer_;
    std::shared_ptr<ForeignTextReader> reader_;
    std::stop_token stop_;
};

} // namespace headscope
