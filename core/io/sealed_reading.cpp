#include "core/io/sealed_reading.h"

#include "core/io/sealed/foreign_text_reader.h"

#include <memory>

namespace headscope {

namespace {

thread_local const SealedReading* innermost_of_thread = nullptr;

} // namespace

SealedReading::SealedReading(const std::stop_token& stop)
    : outer_(innermost()),
      reader_(outer_ ? outer_->reader_ : std::make_shared<ForeignTextReader>()),
      stop_(outer_ && !stop.stop_possible() ? outer_->stop_ : stop) {
    innermost_of_thread = this;
}

SealedReading::~SealedReading() {
    innermost_of_thread = outer_;
}

const SealedReading* SealedReading::innermost() {
    return innermost_of_thread;
}

} // namespace headscope
