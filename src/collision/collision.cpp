#include "collision/collision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collision/pair_contacts.hpp"
#include "exec/thread_pool.hpp"

namespace lipkin {

namespace {

// Pairs that a thread is worth waking for; those of spheres take nanoseconds, general ones microseconds.
constexpr int kPairsWorthAThread = 2000, kGeneralPairsWorthAThread = 8;

std::vector<Shape> make_shapes(const std::vector<CollisionShape>& descriptions) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    try {
      shapes.push_back(make_shape(descriptions[i]));
    } catch (const InvalidArgument& e) {
      throw InvalidArgument(fmt::format("shape {}: {}", i, e.what()));
    }
  }
  return shapes;
}

void check_exclusions(const std::vector<std::pair<int, int>>& excluded, std::size_t count) {
  for (const auto& [a, b] : excluded)
    for (const int i : {a, b})
      if (i < 0 || static_cast<std::size_t>(i) >= count)
        throw InvalidArgument(fmt::format("excluded pair ({}, {}): expected shapes from 0 to {}", a, b, count - 1));
}

// Pairs that could meet but have no gap function.
void check_pairs(const std::vector<Shape>& shapes, const std::vector<std::pair<int, int>>& excluded) {
  std::vector<int> not_convex;
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i)
    if (!shapes[static_cast<std::size_t>(i)].convex) not_convex.push_back(i);
  const auto is_excluded = [&](int a, int b) {
    return std::any_of(excluded.begin(), excluded.end(),
                       [&](const auto& pair) { return pair == std::pair(a, b) || pair == std::pair(b, a); });
  };
  for (std::size_t i = 0; i < not_convex.size(); ++i) {
    for (std::size_t j = i + 1; j < not_convex.size(); ++j) {
      const int a = not_convex[i], b = not_convex[j];
      const Shape &first = shapes[static_cast<std::size_t>(a)], &second = shapes[static_cast<std::size_t>(b)];
      if (first.owner == second.owner || has_gap_function(first.kind, second.kind) || is_excluded(a, b)) continue;
      throw InvalidArgument(
          fmt::format("shapes {} and {} could meet, but there is no contact between a {} and a {}; expected one of "
                      "them to be convex, or the pair to be excluded",
                      a, b, name_of(first.kind), name_of(second.kind)));
    }
  }
}

}  // namespace

struct Collision::Impl {
  std::vector<Shape> shapes;
  BroadPhase broad;
  std::vector<PairContacts> parts;  // one per thread, in the order of the pairs
  std::vector<ContactPoint> contacts;
  std::size_t tested_gaps = 0;

  Impl(std::vector<Shape> shapes_in, const std::vector<std::pair<int, int>>& excluded)
      : shapes(std::move(shapes_in)), broad(shapes, excluded) {}

  void test(std::span<const CandidatePair> pairs, const PairContacts::Scene& scene, ThreadPool* threads);
};

Collision::Collision(std::vector<CollisionShape> shapes, const std::vector<std::pair<int, int>>& excluded) {
  check_exclusions(excluded, shapes.size());
  std::vector<Shape> made = make_shapes(shapes);
  check_pairs(made, excluded);
  impl_ = std::make_unique<Impl>(std::move(made), excluded);
}

Collision::~Collision() = default;
Collision::Collision(Collision&&) noexcept = default;
Collision& Collision::operator=(Collision&&) noexcept = default;

// Each thread takes its part of the pairs; the parts are joined in their order, so that nobody can tell.
void Collision::Impl::test(std::span<const CandidatePair> pairs, const PairContacts::Scene& scene,
                           ThreadPool* threads) {
  const auto general = [](const CandidatePair& pair) { return pair.way == PairWay::kGeneral; };
  const auto count = static_cast<int>(pairs.size());
  const bool costly = threads && std::count_if(pairs.begin(), pairs.end(), general) * kPairsWorthAThread >=
                                     static_cast<std::ptrdiff_t>(pairs.size()) * kGeneralPairsWorthAThread;
  for (PairContacts& part : parts) part.contacts.clear();
  in_parts(threads, count, costly ? kGeneralPairsWorthAThread : kPairsWorthAThread,
           [&](int thread, int begin, int end) {
             PairContacts& part = parts[static_cast<std::size_t>(thread)];
             part.find(scene, pairs.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                       thread == 0 ? contacts : part.contacts);
           });
  for (const PairContacts& part : parts) contacts.insert(contacts.end(), part.contacts.begin(), part.contacts.end());
}

std::span<const ContactPoint> Collision::update(std::span<const Transform<double>> X_WS, double margin,
                                                ThreadPool* threads) {
  Impl& impl = *impl_;
  if (X_WS.size() != impl.shapes.size())
    throw InvalidArgument(fmt::format("{} poses for {} shapes", X_WS.size(), impl.shapes.size()));
  impl.contacts.clear();
  const auto thread_count = static_cast<std::size_t>(thread_count_of(threads));
  if (impl.parts.size() < thread_count) impl.parts.resize(thread_count);
  const std::span<const CandidatePair> candidates = impl.broad.candidates(impl.shapes, X_WS, margin);
  impl.tested_gaps = candidates.size();
  impl.test(candidates, {impl.shapes, impl.broad.balls(), X_WS, margin}, threads);
  return impl.contacts;
}

std::size_t Collision::tested_gaps() const { return impl_->tested_gaps; }

}  // namespace lipkin
