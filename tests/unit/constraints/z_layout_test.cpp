// Where velocities stand in z: nothing twice, every path and cluster where it says.
#include "constraints/z_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/random_tree.hpp"

namespace lipkin {
namespace {

using test::Random;
using Pairs = std::vector<std::pair<int, int>>;

int dofs_of(const ModelData& model, int link) {
  const int next = link + 1 < static_cast<int>(model.links.size()) ? model.links[link + 1].u_index : model.u_count;
  return next - model.links[link].u_index;
}

std::vector<int> path_of(const ModelData& model, int link) {
  std::vector<int> dofs;
  for (int i = link; i > 0; i = model.links[i].parent)
    for (int k = 0; k < dofs_of(model, i); ++k) dofs.push_back(model.links[i].u_index + k);
  return dofs;
}

void check_places(const ModelData& model, const ZLayout& layout) {
  EXPECT_EQ(layout.z_count() % ZLayout::kClusterGrain, 0);
  std::set<int> places;
  for (int u = 0; u < model.u_count; ++u) {
    EXPECT_GE(layout.z_of_dof()[u], 0);
    EXPECT_LT(layout.z_of_dof()[u], layout.z_count());
    places.insert(layout.z_of_dof()[u]);
  }
  EXPECT_EQ(static_cast<int>(places.size()), model.u_count);
}

void check_paths(const ModelData& model, const ZLayout& layout) {
  for (int link = 1; link < static_cast<int>(model.links.size()); ++link) {
    std::vector<int> z_of_column;
    for (const Run* run = layout.path_begin(link); run != layout.path_end(link); ++run) {
      EXPECT_EQ(run->length % kRunGrain, 0);
      EXPECT_GE(run->begin, 0);
      EXPECT_TRUE(layout.cluster_of_link(link) >= 0 || run->begin + run->length <= layout.z_count());
      for (int k = 0; k < run->length; ++k) z_of_column.push_back(run->begin + k);
    }
    ASSERT_EQ(static_cast<int>(z_of_column.size()), layout.path_width(link));
    std::set<int> columns;
    for (const int u : path_of(model, link)) {
      const int column = layout.path_column_of_dof()[u];
      ASSERT_LT(column, layout.path_width(link));
      EXPECT_EQ(z_of_column[column], layout.z_of_dof()[u]);
      columns.insert(column);
      const int own = layout.link_of_dof(u);
      EXPECT_TRUE(u >= model.links[own].u_index && u < model.links[own].u_index + dofs_of(model, own));
    }
    EXPECT_EQ(columns.size(), path_of(model, link).size());
  }
  EXPECT_EQ(layout.path_begin(0), layout.path_end(0));  // the world moves nothing
}

int root_of(const ModelData& model, int link) {
  while (link > 0 && model.links[link].parent > 0) link = model.links[link].parent;
  return link;
}

void check_clusters(const ModelData& model, const Pairs& joined, const ZLayout& layout) {
  // Trees that pairs hold together, found by spreading the smallest root until nothing changes.
  std::vector<int> group(model.links.size());
  std::vector<bool> held(model.links.size(), false);
  for (int i = 0; i < static_cast<int>(model.links.size()); ++i) group[i] = root_of(model, i);
  for (std::size_t round = 0; round < model.links.size(); ++round)
    for (const auto& [a, b] : joined) {
      if (a == 0 || b == 0) continue;
      const int least = std::min(group[a], group[b]), most = std::max(group[a], group[b]);
      for (int& g : group)
        if (g == most) g = least;
    }
  for (const auto& [a, b] : joined)
    for (const int link : {a, b})
      if (link > 0)
        for (std::size_t i = 1; i < held.size(); ++i) held[i] = held[i] || group[i] == group[link];
  for (int i = 1; i < static_cast<int>(model.links.size()); ++i) {
    const int cluster = layout.cluster_of_link(i);
    EXPECT_EQ(cluster >= 0, held[i]);
    for (int j = 1; j < i; ++j) {
      if (!held[i] || !held[j]) continue;
      EXPECT_EQ(cluster == layout.cluster_of_link(j), group[i] == group[j]);
    }
    for (int k = 0; k < dofs_of(model, i); ++k) {
      const int u = model.links[i].u_index + k;
      if (cluster < 0) {
        EXPECT_EQ(layout.dense_column_of_dof()[u], -1);
        continue;
      }
      const ZRange& range = layout.cluster(cluster);
      EXPECT_EQ(layout.dense_column_of_dof()[u], layout.z_of_dof()[u] - range.begin);
      EXPECT_GE(layout.dense_column_of_dof()[u], 0);
      EXPECT_LT(layout.dense_column_of_dof()[u], range.count);
    }
  }
  EXPECT_EQ(layout.cluster_of_link(0), -1);
  for (int c = 0; c < layout.cluster_count(); ++c) {
    EXPECT_EQ(layout.cluster(c).count % ZLayout::kClusterGrain, 0);
    if (c == 0) continue;
    EXPECT_GE(layout.cluster(c).begin, layout.cluster(c - 1).begin + layout.cluster(c - 1).count);
  }
}

TEST(ZLayout, HasAPlaceForEverything) {
  Random random(81);
  for (int n = 0; n < 200; ++n) {
    test::TreeOptions options;
    options.chain_share = random.uniform(0, 1);
    const Model model = test::build(test::random_tree(random, 1 + n % 50, options));
    const int last = static_cast<int>(model.data().links.size()) - 1;
    Pairs joined;
    for (int k = random.integer(0, 4); k > 0; --k) joined.push_back({random.integer(0, last), random.integer(0, last)});
    const ZLayout layout(model.data(), joined);
    check_places(model.data(), layout);
    check_paths(model.data(), layout);
    check_clusters(model.data(), joined, layout);
    if (HasFailure()) FAIL() << "tree " << n;
  }
}

}  // namespace
}  // namespace lipkin
