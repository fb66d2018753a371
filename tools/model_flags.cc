#include "tools/model_flags.h"

#include <algorithm>
#include <string>

#include "graph/weight_format.h"
#include "tools/choice.h"

namespace reprise {

void AddModelOptions(CLI::App& app, decoder::Options& model) {
  AddChoice<decoder::Model>(
      app, "--model",
      {{"dense", decoder::Model::kDense}, {"moe", decoder::Model::kMoe}},
      model.model, "Feed-forward blocks [dense]");
  app.add_option_function<std::string>(
         "--format",
         [&model](const std::string& name) {
           const auto format = FindWeightFormat(name);
           if (!format) {
             throw CLI::ValidationError("no weight format '" + name + "'");
           }
           model.format = *format;
         },
         "Weights: a format such as q4_0, q4_k or iq2_xs [q4_0]")
      ->type_name("NAME");
  app.add_option("--layers", model.layers, "Layers [2]")->type_name("N");
  // The cache has to hold a step's tokens.
  app.add_option_function<int>(
         "--tokens",
         [&model](int tokens) {
           model.tokens = tokens;
           model.context = std::max(model.context, tokens);
         },
         "Tokens a step: 1 to decode, many to prefill [1]")
      ->type_name("N");
  app.add_option("--streams", model.streams,
                 "1, or 3: K and V on streams of their own [1]")
      ->type_name("N");
}

}  // namespace reprise
