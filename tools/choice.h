// An option with a fixed set of words, each for one value.
#ifndef REPRISE_TOOLS_CHOICE_H_
#define REPRISE_TOOLS_CHOICE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace reprise {

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

// `value` keeps what it holds when the option is not given.
template <typename T>
CLI::Option* AddChoice(CLI::App& app, const std::string& flag,
                       const Choices<T>& choices, T& value,
                       const std::string& description) {
  std::string words;
  for (const auto& [word, meaning] : choices) {
    words += (words.empty() ? "" : "|") + word;
  }
  const auto find = [choices, words, &value](const std::string& given) {
    for (const auto& [word, meaning] : choices) {
      if (word != given) continue;
      value = meaning;
      return;
    }
    throw CLI::ValidationError("'" + given + "' is none of " + words);
  };
  return app.add_option_function<std::string>(flag, find, description)
      ->type_name(words);
}

}  // namespace reprise

#endif  // REPRISE_TOOLS_CHOICE_H_
