// ODE's C API with an owner for what is added to a world.
#pragma once

#include <ode/ode.h>

#include <array>
#include <string>

namespace lipkin::bench {

static_assert(sizeof(dReal) == sizeof(double), "the peer computes in double, as Lipkin does");

inline std::string ode_name() { return "ode " LIPKIN_ODE_VERSION; }

// Which kinds of bodies meet.
enum OdeKind : unsigned long { kOdeFixed = 1, kOdeFree = 2, kOdeFinger = 4 };

// Bodies, joints and shapes live as long as the world.
class OdeWorld {
 public:
  struct Contacts {
    double friction = 0;
    double error_reduction = 0, softness = 0;
    int most_per_pair = 1;  // at most kMostPoints
  };

  OdeWorld(const std::array<double, 3>& gravity, double error_reduction, double softness) {
    dWorldSetGravity(world_, gravity[0], gravity[1], gravity[2]);
    dWorldSetERP(world_, error_reduction);
    dWorldSetCFM(world_, softness);
  }
  ~OdeWorld() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(moving_);
    dSpaceDestroy(fixed_);
    dWorldDestroy(world_);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  dWorldID id() const { return world_; }
  void set_contacts(const Contacts& contacts) { contact_ = contacts; }

  dBodyID add_body(const dMass& mass, const std::array<double, 3>& position) {
    const dBodyID body = dBodyCreate(world_);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, position[0], position[1], position[2]);
    return body;
  }

  // Points with normal . p = height belong to it.
  void add_plane(const std::array<double, 3>& normal, double height) {
    const dGeomID plane = dCreatePlane(fixed_, normal[0], normal[1], normal[2], height);
    dGeomSetCategoryBits(plane, kOdeFixed);
    dGeomSetCollideBits(plane, kOdeFree);
  }
  void add_box(dBodyID body, const std::array<double, 3>& half, unsigned long kind, unsigned long meets) {
    add_shape(dCreateBox(moving_, 2 * half[0], 2 * half[1], 2 * half[2]), body, kind, meets);
  }
  void add_sphere(dBodyID body, double radius, unsigned long kind, unsigned long meets) {
    add_shape(dCreateSphere(moving_, radius), body, kind, meets);
  }

  void find_contacts() {
    dJointGroupEmpty(contacts_);
    contact_count_ = 0;
    dSpaceCollide(moving_, this, meet);
    dSpaceCollide2(reinterpret_cast<dGeomID>(moving_), reinterpret_cast<dGeomID>(fixed_), this, meet);
  }
  int contact_count() const { return contact_count_; }

 private:
  static constexpr int kMostPoints = 8;

  static void add_shape(dGeomID shape, dBodyID body, unsigned long kind, unsigned long meets) {
    dGeomSetBody(shape, body);
    dGeomSetCategoryBits(shape, kind);
    dGeomSetCollideBits(shape, meets);
  }

  static void meet(void* world, dGeomID a, dGeomID b) { static_cast<OdeWorld*>(world)->add_contacts(a, b); }

  void add_contacts(dGeomID a, dGeomID b) {
    std::array<dContact, kMostPoints> points{};
    const int count = dCollide(a, b, contact_.most_per_pair, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dSurfaceParameters& surface = points[static_cast<std::size_t>(i)].surface;
      surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
      surface.mu = contact_.friction;
      surface.soft_erp = contact_.error_reduction;
      surface.soft_cfm = contact_.softness;
      dJointAttach(dJointCreateContact(world_, contacts_, &points[static_cast<std::size_t>(i)]), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
    contact_count_ += count;
  }

  dWorldID world_ = dWorldCreate();
  dSpaceID moving_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ), fixed_ = dSimpleSpaceCreate(nullptr);
  dJointGroupID contacts_ = dJointGroupCreate(0);
  Contacts contact_;
  int contact_count_ = 0;
};

}  // namespace lipkin::bench
