#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/model/model.h"

#include <memory>
#include <string>

namespace headscope {

/// The weights of a model as the tensors of a file of its family: loading them with `config` gives
/// the same model. A tensor has the type that it has in `like` if that holds its numbers exactly,
/// else float32. `config` is the text of a config.json that describes the model as
/// it is now (core/loading/model_texts.h where heads were cut out of it); `like` is the file that
/// it was first loaded from, as translate() shows it, whose texts and path are passed on. What a
/// base model lacks, this source lacks, too. Fails when the config describes a network of other
/// tensors than the model has.
Result<std::unique_ptr<TensorSource>> modelSource(std::shared_ptr<const Model> model,
                                                  const std::string& config,
                                                  std::shared_ptr<const TensorSource> like);

} // namespace headscope
