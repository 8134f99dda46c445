// Damaged scene files end in a scene or in mistakes, never in anything else.
#include <gtest/gtest.h>

#include <random>

#include "io/text_file.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::TemporaryScenes;

std::vector<std::string> own_scenes() {
  std::vector<std::string> texts;
  for (const SceneInfo& info : list_scenes()) texts.push_back(read_text_file(info.path, info.name));
  texts.push_back(read_text_file(LIPKIN_SOURCE_DIR "/scenes/parts/flywheel.yaml", "flywheel"));
  return texts;
}

// Anything but a scene or an InputError fails the test.
void load_whatever_it_is(const TemporaryScenes& scenes, const std::string& text) {
  const std::string path = scenes.write("s.yaml", text);
  try {
    load_scene(path);
  } catch (const InputError& error) {
    EXPECT_FALSE(error.diagnostics().empty());
  } catch (const std::exception& error) {
    FAIL() << error.what() << "\n" << text;
  }
}

TEST(SceneMutation, TruncatedFiles) {
  const TemporaryScenes scenes;
  for (const std::string& text : own_scenes())
    for (std::size_t length = 0; length < text.size(); length += 1 + text.size() / 60)
      load_whatever_it_is(scenes, text.substr(0, length));
}

TEST(SceneMutation, ReplacedDroppedAndRepeatedCharacters) {
  const TemporaryScenes scenes;
  std::mt19937 random(20261115);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  const std::string alphabet = "{}[]:,-#&*!|>'\"%@`\\ \n\t0123456789.eE+-()^?abixyz_\x01\xc3\xff";
  for (const std::string& original : own_scenes()) {
    for (int round = 0; round < 60; ++round) {
      std::string text = original;
      for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
        const std::size_t at = below(text.size());
        const std::size_t kind = below(3);
        if (kind == 0) text[at] = alphabet[below(alphabet.size())];
        if (kind == 1) text.erase(at, 1 + below(5));
        if (kind == 2) text.insert(at, text.substr(below(text.size()), 1 + below(20)));
      }
      load_whatever_it_is(scenes, text);
    }
  }
}

TEST(SceneMutation, ValuesOfEveryKindInEveryPlace) {
  const TemporaryScenes scenes;
  const std::string values[] = {
      "",       "~",     "true", "[]", "{}", "-1", "1e308", ".nan", "'text'", "[[[1]]]", "{first: 1, next: 2}",
      "{a: b}", "world", "1/0"};
  std::mt19937 random(7);
  for (const std::string& original : own_scenes()) {
    for (int round = 0; round < 40; ++round) {
      const std::size_t colon = original.find(": ", static_cast<std::size_t>(random()) % original.size());
      if (colon == std::string::npos) continue;
      const std::size_t end = original.find_first_of(",}\n", colon);
      load_whatever_it_is(scenes,
                          original.substr(0, colon + 2) + values[random() % std::size(values)] + original.substr(end));
    }
  }
}

TEST(SceneMutation, RandomBytes) {
  const TemporaryScenes scenes;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = static_cast<char>(round % 2 == 0 ? random() : ' ' + random() % 95);
    load_whatever_it_is(scenes, text);
  }
}

}  // namespace
}  // namespace lipkin
