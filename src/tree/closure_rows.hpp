// Joints as rows: what holds frame M of link b against frame F of link a, for every joint type, and the coordinates
// that such a joint leaves free. Gaps are zero when the joint is closed, and the rows are their exact derivatives.
#pragma once

#include "tree/spatial_rows.hpp"

namespace lipkin {

// Both frames in the world.
struct ClosureFrames {
  Transform<double> X_WF, X_WM;
};

ClosureFrames closure_frames(const ClosureData& closure, const Transform<double>* X_WL);

int closure_row_count(JointType type);

// closure_row_count gaps: displacements [m], then directions [rad]. q: the closure's coordinates, for screws.
void closure_gaps(const ClosureData& closure, const ClosureFrames& frames, const double* q, double* gaps);

// Number of leading gaps that are lengths; the others are angles.
int closure_length_count(JointType type);

void closure_rows(const ClosureData& closure, const ClosureFrames& frames, const KinematicsWork& kinematics,
                  SpatialRows& rows);

// The coordinates nearest to those before, in `q`: angles keep their turns. Rotations of ball and free
// joints: the rotation vector, at most pi long.
void closure_coordinates(const ClosureData& closure, const ClosureFrames& frames, double* q);

// Whether the k-th coordinate is an angle that keeps its turns.
bool keeps_turns(JointType type, int k);

// How far the origin of M is ahead of that of F, along z of F [m].
double closure_advance(const ClosureFrames& frames);

// A row whose rate is that of the k-th coordinate (ball and fixed: about axis k of M).
void closure_coordinate_row(const ClosureData& closure, const ClosureFrames& frames, const KinematicsWork& kinematics,
                            int k, SpatialRows& rows);

// Rate of the k-th coordinate of a closure of the model.
double closure_rate(const ModelData& model, const KinematicsWork& kinematics, int closure, int k);

// What that rate gains per time while both links go on with the velocities they have, dJ/dt V: its direction turns with
// one of them, and the place where it is measured moves along.
double closure_rate_change(const ClosureData& closure, const KinematicsWork& kinematics, int k);

// By how much the joint's directions are off: the shortest turn, seen from F, after which F and M fit; its angle is at
// most pi. Zero for joints that hold no rotation about two axes.
Vec3<double> closure_turn(const ClosureData& closure, const ClosureFrames& frames);

// The closure with its frame M on the second link turned so that it fits where the part `left` of the turn is left.
ClosureData partly_turned(const ClosureData& closure, const ClosureFrames& frames, double left);

// Whether the joint stands on the right side of its directions: gaps vanish as well where an axis is turned by pi.
bool closure_upright(const ClosureData& closure, const ClosureFrames& frames);

}  // namespace lipkin
