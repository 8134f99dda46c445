#include "io/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>
#include <utility>

#include "io/yaml_mistakes.hpp"

namespace lipkin {
namespace {

// A list or mapping where a key stands: yaml-cpp takes a list that is never closed for one.
struct KeyMistake {
  int line, column;
  std::string found;
};

// Builds the tree from yaml-cpp's events. Bounds are enforced here, event by event, so that neither an alias bomb nor
// deep nesting gets far.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, DiagnosticList& diagnostics)
      : file_(std::make_shared<const std::string>(std::move(file))), diagnostics_(diagnostics) {}

  Node take_root() { return std::move(root_); }
  const std::string& file() const { return *file_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(make(mark, Node::Kind::kNull, "?"), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(mark, Node::Kind::kScalar, tag);
    node.quoted = tag == "!";
    node.text = value;
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(mark, Node::Kind::kSequence, tag), anchor);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(mark, Node::Kind::kMapping, tag), anchor);
  }

  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw InputError(place(mark), "an alias refers to the value it stands in");
    count(place(mark), found->second.size);
    add(found->second.node, found->second.size);
  }

 private:
  struct Anchored {
    Node node;
    std::size_t size = 0;
  };
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::size_t size = 1;                              // nodes in it so far
    std::unordered_map<std::string, int> line_of_key;  // of a mapping
    bool skip_next_value = false;                      // of a key given twice
    bool has_repeated = false;                         // a key given twice was told of
  };

  SourceLocation place(const YAML::Mark& mark) const { return {*file_, mark.line + 1, mark.column + 1}; }

  Node make(const YAML::Mark& mark, Node::Kind kind, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw InputError(place(mark), "YAML tags such as '" + tag + "' have no meaning in a scene");
    if (++node_count_ > kMaxYamlNodes) count(place(mark), 0);
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    node.file = file_;
    return node;
  }

  void count(const SourceLocation& where, std::size_t more) {
    node_count_ += more;
    if (node_count_ > kMaxYamlNodes)
      throw InputError(where, "more than " + std::to_string(kMaxYamlNodes) + " values, aliases expanded",
                       "use repeat for what repeats itself");
  }

  void open(Node node, YAML::anchor_t anchor) {
    if (!stack_.empty() && expects_key()) throw key_mistake(node);
    if (stack_.size() >= kMaxYamlDepth)
      throw InputError(node.where(), "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels");
    stack_.push_back({std::move(node), anchor, 1, {}, false, false});
  }

  static KeyMistake key_mistake(const Node& key) { return {key.line, key.column, describe(key)}; }

  void close() {
    Open open = std::move(stack_.back());
    stack_.pop_back();
    remember(open.anchor, open.node, open.size);
    add(std::move(open.node), open.size);
  }

  void finish(Node node, YAML::anchor_t anchor) {
    remember(anchor, node, 1);
    add(std::move(node), 1);
  }

  void remember(YAML::anchor_t anchor, const Node& node, std::size_t size) {
    if (anchor == 0) return;
    count(node.where(), size);  // the copy kept for the aliases
    anchors_[anchor] = {node, size};
  }

  bool expects_key() const {
    const Open& top = stack_.back();
    return top.node.is_mapping() && top.node.keys.size() == top.node.items.size() && !top.skip_next_value;
  }

  void add(Node node, std::size_t size) {
    if (stack_.empty()) {
      root_ = std::move(node);
    } else if (expects_key()) {
      add_key(std::move(node));
    } else {
      add_value(std::move(node), size);
    }
  }

  void add_key(Node key) {
    Open& top = stack_.back();
    if (!key.is_scalar()) throw key_mistake(key);
    const auto [first, is_new] = top.line_of_key.emplace(key.text, key.line);
    if (is_new) {
      top.node.keys.push_back(std::move(key));
    } else {
      const bool begins_item = stack_.size() > 1 && stack_[stack_.size() - 2].node.is_sequence();
      if (!std::exchange(top.has_repeated, true))
        diagnostics_.error(key.where(), "the key " + describe(key) + " is given twice",
                           "first in line " + std::to_string(first->second) +
                               (begins_item ? "; a new item of a list begins with '- '" : ""));
      top.skip_next_value = true;
    }
  }

  void add_value(Node node, std::size_t size) {
    Open& top = stack_.back();
    top.size += size;
    if (std::exchange(top.skip_next_value, false)) return;
    if (node.is_null() && top.node.is_mapping()) {  // yaml-cpp places a missing value at what follows it
      node.line = top.node.keys.back().line;
      node.column = top.node.keys.back().column;
    }
    top.node.items.push_back(std::move(node));
  }

  std::shared_ptr<const std::string> file_;
  DiagnosticList& diagnostics_;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t node_count_ = 0;
  Node root_;
};

// Ends the document at its second one, which a scene must not have.
class SecondDocument : public YAML::EventHandler {
 public:
  explicit SecondDocument(std::string file) : file_(std::move(file)) {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw InputError({file_, mark.line + 1, mark.column + 1}, "a second document begins: expected one per file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::string file_;
};

}  // namespace

Node parse_yaml(const std::string& text, const std::string& file, DiagnosticList& diagnostics) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(file, diagnostics);
    if (!parser.HandleNextDocument(builder)) throw InputError({file}, "the file is empty: expected a scene");
    if (const auto mistake = open_quote(text, file)) throw *mistake;
    SecondDocument second(file);
    parser.HandleNextDocument(second);
    return builder.take_root();
  } catch (const YAML::Exception& error) {
    throw yaml_mistake(text, file, error.msg, error.mark.line + 1, error.mark.column + 1);
  } catch (const KeyMistake& key) {
    throw yaml_mistake(text, file, "a key must be a text, not " + key.found, key.line, key.column);
  }
}

}  // namespace lipkin
