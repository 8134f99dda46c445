// Runs a fuzz target without libFuzzer: every file of a corpus, then mutations of them for some seconds, the same ones
// every time. `target CORPUS SECONDS`. What fails is left in ./fuzz-input.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr double kSlowest = 2;  // [s] for one input

std::vector<std::string> read_corpus(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string next() {
    std::string input = seeds_[below(seeds_.size())];
    for (std::size_t i = 1 + below(4); i > 0; --i) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }

  void change(std::string& input) {
    static const std::vector<std::string> kWords = {"1e999", "-1",     "nan", "0",    "<",     ">",  "\"", "999999999",
                                                    "inf",   "1e-320", "{",   "\xff", "&amp;", "[]", "/",  "../"};
    const std::size_t at = below(input.size() + 1), length = below(1 + input.size() - at) % 64;
    switch (below(5)) {
      case 0:
        input.erase(at, length);
        break;
      case 1:
        input.insert(at, kWords[below(kWords.size())]);
        break;
      case 2:
        input.replace(at, length, kWords[below(kWords.size())]);
        break;
      case 3:  // a piece of another seed
        input.insert(at, seeds_[below(seeds_.size())].substr(0, below(400)));
        break;
      default:
        if (at < input.size()) input[at] = static_cast<char>(below(256));
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{1};
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The input is on disk while it runs, so that a crash leaves it there.
double run(const std::string& input) {
  std::ofstream("fuzz-input", std::ios::binary) << input;
  const auto start = std::chrono::steady_clock::now();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  return seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::vector<std::string> seeds = read_corpus(argv[1]);
  const double budget = std::atof(argv[2]);
  double slowest = 0;
  for (const std::string& seed : seeds) slowest = std::max(slowest, run(seed));
  Mutator mutator(seeds);
  const auto start = std::chrono::steady_clock::now();
  long count = 0;
  for (; seconds_since(start) < budget && slowest < kSlowest; ++count) slowest = std::max(slowest, run(mutator.next()));
  std::printf("%zu seeds, %ld mutations, slowest %.3f s\n", seeds.size(), count, slowest);
  if (slowest >= kSlowest) return 1;
  std::remove("fuzz-input");
  return 0;
}
