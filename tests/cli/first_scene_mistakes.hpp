// Mistakes that a first scene invites. Beside every wrong scene stands the one that the message alone leads to, and
// that one runs without another word.
#pragma once

#include <string>
#include <vector>

namespace lipkin::test {

// The scene that the mistakes are made in: an arm that swings, a ball that falls onto the ground.
inline const std::string kScene =
    "lipkin: 1\n"
    "description: An arm and a ball\n"
    "materials: {rubber: {friction: 0.5}}\n"
    "world:\n"
    "  shapes: [{plane: {}, contact: rubber}]\n"
    "bodies:\n"
    "  - name: arm\n"
    "    parent: world\n"
    "    joint: {type: revolute, axis: y, at: [0, 0, 1], q: 0.5}\n"
    "    shapes: [{box: {size: [0.5, 0.05, 0.05]}, at: [0.25, 0, 0], mass: 2}]\n"
    "  - name: ball\n"
    "    joint: {type: free, q: [1, 0, 0.5, 1, 0, 0, 0]}\n"
    "    shapes: [{sphere: {radius: 0.1}, mass: 1, contact: rubber}]\n"
    "motors:\n"
    "  - {name: drive, joint: arm, velocity: 2, max_force: 30}\n"
    "outputs: {angle: joint.arm.q, height: body.ball.z}\n"
    "experiment: {stepper: euler, duration: 0.2, dt: 1e-3}\n";

inline const std::string kLoop =
    "lipkin: 1\n"
    "bodies:\n"
    "  - name: crank\n"
    "    joint: {type: revolute, axis: y, q: 0.72}\n"
    "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [0.05, 0, 0], mass: 0.1}]\n"
    "  - name: rocker\n"
    "    joint: {type: revolute, axis: y, at: [0.15, 0, 0], q: -0.72}\n"
    "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [-0.05, 0, 0], mass: 0.1}]\n"
    "loops:\n"
    "  - {name: pin, type: revolute, axis: y, from: {body: crank, at: [0.1, 0, 0]}, to: {body: rocker, at: [-0.1, 0, "
    "0]}}\n"
    "experiment: {duration: 0.1}\n";

// A crank that lifts a slider, at a dead point, and a ball that falls beside it.
inline const std::string kPress =
    "lipkin: 1\n"
    "materials: {rubber: {friction: 0.8}, steel: {friction: 0.2}}\n"
    "world:\n"
    "  shapes: [{plane: {}, contact: steel}]\n"
    "bodies:\n"
    "  - name: crank\n"
    "    joint: {type: revolute, axis: y, at: [0, 0, 1]}\n"
    "    shapes: [{box: {size: [0.02, 0.02, 0.1]}, at: [0, 0, 0.05], mass: 0.2}]\n"
    "  - name: rod\n"
    "    parent: crank\n"
    "    joint: {type: revolute, axis: y, at: [0, 0, 0.1]}\n"
    "    shapes: [{box: {size: [0.02, 0.02, 0.3]}, at: [0, 0, 0.15], mass: 0.3}]\n"
    "  - name: slider\n"
    "    joint: {type: prismatic, axis: z, q: 1.4}\n"
    "    shapes: [{box: {size: [0.1, 0.1, 0.02]}, mass: 1, contact: steel}]\n"
    "  - name: ball\n"
    "    joint: {type: free, q: [1, 0, 0.5, 1, 0, 0, 0]}\n"
    "    shapes: [{sphere: {radius: 0.05}, density: 1000, contact: rubber}]\n"
    "loops:\n"
    "  - {name: wrist, type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0, 0, 0.3]}}\n"
    "motors:\n"
    "  - {name: drive, joint: crank, velocity: 2, max_force: 20}\n"
    "experiment: {stepper: euler, dt: 0.001, duration: 0.2}\n";

// A beam on a spring that a servo moves.
inline const std::string kServo =
    "lipkin: 1\n"
    "parameters: {swing: 30*deg}\n"
    "bodies:\n"
    "  - name: beam\n"
    "    joint: {type: revolute, name: hinge, axis: y}\n"
    "    mass: 0.5\n"
    "    com: [0.25, 0, 0]\n"
    "    inertia: [0.0001, 0.0104, 0.0104]\n"
    "points:\n"
    "  - {name: tip, body: beam, at: [0.5, 0, 0]}\n"
    "motors:\n"
    "  - {name: servo, joint: hinge, position: \"swing*sin(2*t)\", stiffness: 20, damping: 0.5}\n"
    "actuators:\n"
    "  - {name: push, joint: hinge, control: 0.2}\n"
    "springs:\n"
    "  - {name: string, from: {body: world, at: [0.5, 0, 1]}, to: tip, stiffness: 5}\n"
    "outputs: {farthest: swing}\n"
    "experiment: {stepper: euler, duration: 1, dt: 1e-3, every: 0.01}\n";

struct Mistake {
  std::string name;
  std::string right, wrong;  // parts of the scene
  std::string said;          // the message behind its place, whole
  std::string mended;        // the part as the message says
  const std::string* scene = &kScene;
};

inline const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> list = {
      {"a mapping for a name", "parent: world", "parent: {body: world}",
       "8:13: error: 'parent' must be a name (letters, digits, underscores), not a mapping (write parent: world)",
       "parent: world"},
      {"a list without its key", "box: {size: [0.5, 0.05, 0.05]}", "box: [0.5, 0.05, 0.05]",
       "10:20: error: 'box' must be a box, not a list of 3 (write box: {size: [0.5, 0.05, 0.05]})",
       "box: {size: [0.5, 0.05, 0.05]}"},
      {"a negative axis", "axis: y", "axis: -y",
       "9:35: error: 'axis' must be an axis (x, y, z or three numbers), not '-y' (write axis: [0, -1, 0])",
       "axis: [0, -1, 0]"},
      {"degrees", "q: 0.5", "q: 30deg",
       "9:58: error: 'q': unexpected 'deg' behind '30' in '30deg' (angles are in radians: write 30*deg)", "q: 30*deg"},
      {"a unit", "mass: 2", "mass: 2 kg",
       "10:73: error: 'mass': unexpected 'kg' behind '2' in '2 kg' (all numbers are in SI units: write 2 without the "
       "unit; a product is 2*kg)",
       "mass: 2"},
      {"a unit that is not SI", "velocity: 2", "velocity: 60rpm",
       "15:43: error: 'velocity': unexpected 'rpm' behind '60' in '60rpm' (angles are in radians: write 60*2*pi/60)",
       "velocity: 60*2*pi/60"},
      {"the power of another language", "mass: 2", "mass: 2**3",
       "10:73: error: 'mass': unexpected '*' in '2**3' (a power is written with ^: write 2^3)", "mass: 2^3"},
      {"the power and the time of another language", "position: \"swing*sin(2*t)\"", "position: \"swing*time**2\"",
       "12:55: error: 'position': unexpected '*' in 'swing*time**2' (a power is written with ^: write swing*t^2)",
       "position: \"swing*t^2\"", &kServo},
      {"a comma within braces", "height: body.ball.z", "height: max(body.ball.z, 0)",
       "16:39: error: 'height': within braces or brackets a comma ends a value (put it in quotes: height: "
       "\"max(body.ball.z, 0)\")",
       "height: \"max(body.ball.z, 0)\""},
      {"a bracket left open", "at: [0, 0, 1]", "at: [0, 0, 1",
       "9:42: error: not valid YAML: this '[' is not closed (write at: [0, 0, 1])", "at: [0, 0, 1]"},
      {"a colon in a text", "An arm and a ball", "First scene: an arm and a ball",
       "2:25: error: not valid YAML: a second ': ' in one value (put the value in quotes: description: \"First scene: "
       "an arm and a ball\")",
       "\"First scene: an arm and a ball\""},
      {"no blank behind a colon", "name: arm", "name:arm",
       "7:9: error: not valid YAML: a ':' without a blank behind it (write name: arm)", "name: arm"},
      {"a name as a key", "materials: {rubber: {friction: 0.5}}", "materials: [{name: rubber, friction: 0.5}]",
       "3:12: error: 'materials' must be materials by name, not a list of 1 (write materials: {rubber: {friction: "
       "0.5}})",
       "materials: {rubber: {friction: 0.5}}"},
      {"a type as a value", "{sphere: {radius: 0.1}, mass: 1, contact: rubber}",
       "{type: sphere, radius: 0.1, mass: 1, contact: rubber}",
       "13:14: error: a shape says what it is by its key (write {sphere: {radius: 0.1}, mass: 1, contact: rubber})",
       "{sphere: {radius: 0.1}, mass: 1, contact: rubber}"},
      {"a key as other programs call it", "dt: 1e-3", "timestep: 1e-3",
       "17:45: error: unknown key 'timestep' in an experiment (write dt: 1e-3)", "dt: 1e-3"},
      {"a loop that cannot close", "at: [0.15, 0, 0]", "at: [0.3, 0, 0]",
       "10:5: error: loop 'pin' cannot be closed: 0.1 m are left after the best try; expected frames that can meet "
       "from "
       "the initial coordinates (check the lengths and the places of the joints, or begin nearer to the closed "
       "position)",
       "at: [0.15, 0, 0]", &kLoop},
      {"degrees without a word", "q: 0.5", "q: 90",
       "9:56: warning: 'q' is 90 rad, 14.3 turns (angles are in radians: 90 degrees are 90*deg)", "q: 90*deg"},
      {"millimetres", "size: [0.5, 0.05, 0.05]", "size: [500, 50, 50]",
       "10:14: warning: body 'arm' is 500 m large and has 2 kg (lengths are in metres: 500 mm are 0.5)",
       "size: [0.5, 0.05, 0.05]"},
      {"nothing to touch with", "mass: 1, contact: rubber", "mass: 1",
       "13:14: warning: body 'ball' touches nothing and falls 0.196 m: its shapes have no 'contact' (give it and what "
       "it should touch contact: rubber)",
       "mass: 1, contact: rubber"},
      {"an output that is no number", "angle: joint.arm.q", "angle: sqrt(-1 - joint.arm.q^2)",
       "16:18: warning: output 'angle' is not a number from t = 0 s (look for roots and logarithms of negative numbers "
       "and for 0/0 in it)",
       "angle: sqrt(1 + joint.arm.q^2)"},
      {"a start within the ground", "q: [1, 0, 0.5, 1, 0, 0, 0]", "q: [1, 0, 0, 1, 0, 0, 0]",
       "12:12: warning: body 'ball' begins 0.1 m deep in the world (move it by 0.1 m along z, or farther: contact "
       "pushes them out of each other)",
       "q: [1, 0, 0.1, 1, 0, 0, 0]"},
      {"limits in degrees", "q: 0.5}", "q: 0.5, limits: [-90, 120]}",
       "9:69: warning: 'limits' reaches 120 rad, 19.1 turns (angles are in radians: write limits: [-90*deg, 120*deg])",
       "q: 0.5, limits: [-90*deg, 120*deg]}"},
      {"one limit in degrees", "q: 0.5}", "q: 0.5, limits: {upper: 120}}",
       "9:77: warning: 'upper' is 120 rad, 19.1 turns (angles are in radians: 120 degrees are 120*deg)",
       "q: 0.5, limits: {upper: 120*deg}}"},
      {"a target in degrees", "position: \"swing*sin(2*t)\"", "position: 90",
       "12:43: warning: motor 'servo' turns joint 'hinge' to 90 rad, 14.3 turns (angles are in radians: 90 degrees are "
       "90*deg)",
       "position: 90*deg", &kServo},
      {"an amplitude in degrees", "swing: 30*deg", "swing: 30",
       "12:43: warning: motor 'servo' turns joint 'hinge' to 30 rad, 4.77 turns (angles are in radians: 30 degrees "
       "are 30*deg)",
       "swing: 30*deg", &kServo},
      {"w last in an orientation", "at: [0, 0, 1], q", "at: [0, 0, 1], orientation: [0, 0, 0, 1], q",
       "9:67: warning: the quaternion of 'orientation' is half a turn about z (w comes first: write orientation: [1, "
       "0, 0, 0] for no turn, or {axis: z, angle: pi} for half a turn)",
       "at: [0, 0, 1], orientation: [1, 0, 0, 0], q"},
      {"w last in q", "q: [1, 0, 0.5, 1, 0, 0, 0]", "q: [1, 0, 0.5, 0, 0, 0, 1]",
       "12:40: warning: the quaternion of 'q' is half a turn about z (w comes first: write q: [1, 0, 0.5, 1, 0, 0, 0] "
       "for no turn, or [1, 0, 0.5, 0, 0, 0, -1] for half a turn)",
       "q: [1, 0, 0.5, 1, 0, 0, 0]"},
      {"a step longer than the run", "dt: 1e-3", "dt: 5",
       "17:49: warning: 'dt' is 5 s, longer than the duration of 0.2 s: the whole run is one step (a step is part of "
       "the duration: dt: 0.001)",
       "dt: 0.001"},
      {"samples farther apart than the run", "every: 0.01", "every: 100",
       "18:60: warning: 'every' is 100 s, longer than the duration of 1 s: nothing between the start and the end is "
       "recorded (it is the time between two samples: every: 0.01)",
       "every: 0.01", &kServo},
      {"a setting of variable steps", "dt: 1e-3", "dt: 1e-3, dt_max: 1e-2",
       "17:63: warning: 'dt_max' has no effect with the fixed steps of euler (it is for euler and moreau with step: "
       "variable)",
       "dt: 1e-3, step: variable, dt_max: 1e-2"},
      {"a tolerance with fixed steps", "dt: 1e-3", "dt: 1e-3, tolerance: 1e-6",
       "17:66: warning: 'tolerance' has no effect with the fixed steps of euler (it is for dopri5, adams and bdf, and "
       "for moreau with step: variable)",
       "dt: 1e-3"},
      {"a loop about another axis", "type: revolute, axis: y, from", "type: revolute, from",
       "22:5: warning: motor 'drive' moves nothing: the loops leave joint 'crank' no freedom (write axis: y for loop "
       "'wrist': all else around it turns about that)",
       "type: revolute, axis: y, from", &kPress},
      {"a joint about another axis", "revolute, axis: y, at: [0, 0, 0.1]", "revolute, at: [0, 0, 0.1]",
       "22:5: warning: motor 'drive' moves nothing: the loops leave joint 'crank' no freedom (write axis: y for joint "
       "'rod': all else around it turns about that)",
       "revolute, axis: y, at: [0, 0, 0.1]", &kPress},
      {"a loop about another axis, and no motor",
       "type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0, 0, 0.3]}}\n"
       "motors:\n"
       "  - {name: drive, joint: crank, velocity: 2, max_force: 20}\n",
       "type: revolute, from: {body: slider}, to: {body: rod, at: [0, 0, 0.3]}}\n",
       "20:5: warning: nothing in loop 'wrist' can move: loop 'wrist' turns about z, all else around it does not "
       "(write "
       "axis: y)",
       "type: revolute, axis: y, from: {body: slider}, to: {body: rod, at: [0, 0, 0.3]}}\n", &kPress},
      {"a loop that holds all", "type: revolute, axis: y, from", "type: fixed, from",
       "22:5: warning: motor 'drive' moves nothing: the loops leave joint 'crank' no freedom (check the axes and "
       "frames of loop 'wrist')",
       "type: revolute, axis: y, from", &kPress},
      {"a loop between the wrong bodies", "to: {body: rod, at", "to: {body: crank, at",
       "22:5: warning: motor 'drive' moves nothing: the loops leave joint 'crank' no freedom (check the axes and "
       "frames of loop 'wrist')",
       "to: {body: rod, at", &kPress},
      {"a loop without its place", "{body: rod, at: [0, 0, 0.3]}", "{body: rod}",
       "22:5: warning: motor 'drive' moves nothing: the loops leave joint 'crank' no freedom (check the axes and "
       "frames of loop 'wrist')",
       "{body: rod, at: [0, 0, 0.3]}", &kPress},
      {"a loop far from closed", "q: 1.4", "q: 3",
       "20:5: warning: loop 'wrist' was open by 1.6 m at the start, and coordinates moved by up to 1.6 to close it "
       "(check the places of its frames, or begin with joint coordinates that close it)",
       "q: 1.4", &kPress},
      {"a ground below that nothing touches", "shapes: [{plane: {}, contact: steel}]", "shapes: [{plane: {}}]",
       "4:12: warning: body 'ball' touches nothing and falls 0.196 m: nothing with 'contact' is below it (give this "
       "shape, or what else it should touch, contact: NAME, with NAME one of rubber, steel)",
       "shapes: [{plane: {}, contact: steel}]", &kPress},
      {"a ground that nothing touches", "shapes: [{plane: {}, contact: rubber}]", "shapes: [{plane: {}}]",
       "5:12: warning: body 'ball' touches nothing and falls 0.196 m: nothing else has a shape with 'contact' (give "
       "this shape, or what else it should touch, contact: rubber)",
       "shapes: [{plane: {}, contact: rubber}]"},
      {"an inertia in kg mm^2", "inertia: [0.0001, 0.0104, 0.0104]", "inertia: [100, 10400, 10400]",
       "8:14: warning: body 'beam' has an inertia of 10400 kg m^2 and 0.5 kg, as if these were 144 m away (inertias "
       "are "
       "in kg m^2: 10400 kg mm^2 are 0.0104)",
       "inertia: [0.0001, 0.0104, 0.0104]", &kServo},
      {"a centre of mass in mm", "com: [0.25, 0, 0]", "com: [250, 0, 0]",
       "4:5: warning: the centre of mass of body 'beam' is 250 m from its frame, shapes and joints (lengths are in "
       "metres: 250 mm are 0.25)",
       "com: [0.25, 0, 0]", &kServo},
      {"a rest length in mm", "stiffness: 5}", "stiffness: 5, rest_length: 800}",
       "16:5: warning: spring 'string' is 1 m long and slack at 800 m (lengths are in metres: 800 mm are 0.8)",
       "stiffness: 5, rest_length: 0.8}", &kServo},
      {"a spring with both ends in one place", "from: {body: world, at: [0.5, 0, 1]}, to: tip", "from: tip, to: tip",
       "16:5: warning: both ends of spring 'string' move with 'beam': it does nothing (write from and to on bodies "
       "that move against each other)",
       "from: {body: world, at: [0.5, 0, 1]}, to: tip", &kServo},
      {"a spring without stiffness", "to: tip, stiffness: 5", "to: tip",
       "16:5: warning: the spring 'string' has neither stiffness nor damping: it does nothing", "to: tip, stiffness: 5",
       &kServo},
      {"an actuator without control", "joint: hinge, control: 0.2", "joint: hinge",
       "14:5: warning: actuator 'push' has no control: it does nothing (write control: 1, or list it under 'controls' "
       "where somebody outside drives it)",
       "joint: hinge, control: 1", &kServo},
      {"too much indentation", "    joint: {type: revolute", "      joint: {type: revolute",
       "9:7: error: not valid YAML: this line is indented too far (begin it with 4 blanks, to stand beside 'parent' of "
       "line 8)",
       "    joint: {type: revolute"},
      {"a joint by the name of its body", "joint: hinge, position", "joint: beam, position",
       "12:5: error: motor 'servo': there is no joint 'beam' (the joint of body 'beam' is 'hinge')",
       "joint: hinge, position", &kServo},
      {"a body by the name of its joint", "body: beam, at", "body: hinge, at",
       "10:5: error: point 'tip': there is no body 'hinge' (joint 'hinge' carries the body 'beam')", "body: beam, at",
       &kServo},
      {"a point as a body", "farthest: swing", "farthest: swing, z: body.tip.z",
       "17:31: error: output 'z': unknown variable 'body.tip.z': there is no body 'tip' (write point.tip.z)",
       "farthest: swing, z: point.tip.z", &kServo},
      {"the gain of a servo", "stiffness: 20, damping", "kp: 20, damping",
       "12:61: error: unknown key 'kp' in a motor (write stiffness: 20)", "stiffness: 20, damping", &kServo},
      {"the damping of a servo", "damping: 0.5", "kv: 0.5",
       "12:76: error: unknown key 'kv' in a motor (write damping: 0.5)", "damping: 0.5", &kServo},
      {"the force range of a motor", "damping: 0.5}", "damping: 0.5, forcerange: [-5, 8]}",
       "12:90: error: unknown key 'forcerange' in a motor (write max_force: 8, min_force: -5)",
       "damping: 0.5, max_force: 8, min_force: -5}", &kServo},
      {"a table by columns", "position: \"swing*sin(2*t)\"", "position: {table: [[0, 1, 2], [0, swing, 0]]}",
       "12:51: error: 'table' must be a list of [t, value] rows, not a list of 2 (write table: [[0, 0], [1, swing], "
       "[2, "
       "0]])",
       "position: {table: [[0, 0], [1, swing], [2, 0]]}", &kServo},
      {"a table by columns with names", "position: \"swing*sin(2*t)\"",
       "position: {table: {t: [0, 1, 2], x: [0, swing, 0]}}",
       "12:51: error: 'table' must be a list of [t, value] rows, not a mapping (write table: [[0, 0], [1, swing], [2, "
       "0]])",
       "position: {table: [[0, 0], [1, swing], [2, 0]]}", &kServo},
      {"a table by two columns of two", "velocity: 2,", "velocity: {table: [[0, 2], [0, 5]]},",
       "15:58: error: the times of 'table' must increase, but 0 follows 0 (a row is a time and its value: write table: "
       "[[0, 0], [2, 5]])",
       "velocity: {table: [[0, 0], [2, 5]]},"},
      {"a list of joints",
       "    joint: {type: revolute, axis: y, at: [0.15, 0, 0], q: -0.72}\n"
       "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [-0.05, 0, 0], mass: 0.1}]\n",
       "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [-0.05, 0, 0], mass: 0.1}]\n"
       "joints: [{name: pivot, type: hinge, parent: {link: world}, child: {link: rocker}, axis: y, origin: {xyz: "
       "[0.15, "
       "0, 0]}, q: -0.72}]\n",
       "8:1: error: unknown key 'joints' in a scene (a joint stands in its child, and the parent beside it: write "
       "bodies: [{name: rocker, joint: {name: pivot, type: revolute, axis: y, at: [0.15, 0, 0], q: -0.72}, ...}])",
       "    joint: {name: pivot, type: revolute, axis: y, at: [0.15, 0, 0], q: -0.72}\n"
       "    shapes: [{box: {size: [0.1, 0.01, 0.01]}, at: [-0.05, 0, 0], mass: 0.1}]\n",
       &kLoop},
      {"a parent in a joint", "    parent: crank\n    joint: {type", "    joint: {parent: crank, type",
       "10:13: error: unknown key 'parent' in a joint (it belongs one level further out, beside 'joint': parent: "
       "crank, joint: {...})",
       "    parent: crank\n    joint: {type", &kPress},
      {"a child in a joint", "{type: revolute, name: hinge", "{child: beam, type: revolute, name: hinge",
       "5:13: error: unknown key 'child' in a joint (leave it out: a joint carries the body that it stands in)",
       "{type: revolute, name: hinge", &kServo},
      {"friction of a shape", "mass: 0.2}", "mass: 0.2, friction: 0.3, restitution: 0.1}",
       "8:76: error: unknown key 'friction' in a shape (it belongs to a material: materials: {wood: {friction: 0.3, "
       "restitution: 0.1}}, and here contact: wood)",
       "mass: 0.2, contact: steel}", &kPress},
      {"friction of a shape that has a material", "density: 1000, contact: rubber",
       "density: 1000, mu: 0.8, contact: rubber",
       "18:54: error: unknown key 'mu' in a shape (it belongs to a material: materials: {rubber: {friction: 0.8}}, and "
       "here nothing but contact: rubber)",
       "density: 1000, contact: rubber", &kPress},
      {"a density in g/cm^3", "density: 1000", "density: 7.85",
       "18:14: warning: a shape of body 'ball' has 7.85 kg/m^3, which is lighter than foam (densities are in kg/m^3: "
       "7.85 g/cm^3 are 7850)",
       "density: 7850", &kPress},
      {"an axis that is left out",
       "    joint: {type: revolute, axis: y, at: [0, 0, 1], q: 0.5}\n"
       "    shapes: [{box: {size: [0.5, 0.05, 0.05]}, at: [0.25, 0, 0], mass: 2}]\n"
       "  - name: ball\n"
       "    joint: {type: free, q: [1, 0, 0.5, 1, 0, 0, 0]}\n"
       "    shapes: [{sphere: {radius: 0.1}, mass: 1, contact: rubber}]\n"
       "motors:\n"
       "  - {name: drive, joint: arm, velocity: 2, max_force: 30}\n"
       "outputs: {angle: joint.arm.q, height: body.ball.z}\n",
       "    joint: {type: revolute, at: [0, 0, 1], q: 0.5}\n"
       "    shapes: [{box: {size: [0.5, 0.05, 0.05]}, at: [0.25, 0, 0], mass: 2}]\n"
       "outputs: {angle: joint.arm.q}\n",
       "9:12: warning: joint 'arm' turns about z, along gravity, as its axis is left out: nothing moves it (write "
       "axis: "
       "y)",
       "    joint: {type: revolute, axis: y, at: [0, 0, 1], q: 0.5}\n"
       "    shapes: [{box: {size: [0.5, 0.05, 0.05]}, at: [0.25, 0, 0], mass: 2}]\n"
       "outputs: {angle: joint.arm.q}\n"},
      {"w last in a turn", "q: [1, 0, 0.5, 1, 0, 0, 0]", "q: [1, 0, 0.05, 0, 0, 0.3827, 0.9239]",
       "12:41: warning: the quaternion of 'q' is half a turn about [0, 0.3827, 0.9239] (w comes first: write q: [1, 0, "
       "0.05, 0.9239, 0, 0, 0.3827], or [1, 0, 0.05, 0, 0, -0.3827, -0.9239] for half a turn)",
       "q: [1, 0, 0.5, 0.9239, 0, 0, 0.3827]"},
      {"w last in an orientation by arithmetic", "at: [0, 0, 1], q",
       "at: [0, 0, 1], orientation: [0, 0, sin(pi/8), cos(pi/8)], q",
       "9:67: warning: the quaternion of 'orientation' is half a turn about [0, 0.3827, 0.9239] (w comes first: write "
       "orientation: [cos(pi/8), 0, 0, sin(pi/8)], or [0, 0, -(sin(pi/8)), -(cos(pi/8))] for half a turn)",
       "at: [0, 0, 1], orientation: [cos(pi/8), 0, 0, sin(pi/8)], q"},
      {"a parent before the first copy", "  - name: arm\n    parent: world\n    joint: {type: revolute",
       "  - name: link{i}\n    repeat: {count: 1}\n    parent: link{i-1}\n    joint: {name: arm, type: revolute",
       "9:13: error: joint 'arm': there is no body 'link0' to be its parent (write parent: {first: world, next: "
       "\"link{i-1}\"})",
       "  - name: link{i}\n    repeat: {count: 1}\n    parent: {first: world, next: \"link{i-1}\"}\n    joint: {name: "
       "arm, "
       "type: revolute"},
      {"a body as its own parent", "parent: world", "parent: arm",
       "8:13: error: the bodies form a loop of parents: arm -> arm (write parent: world, or the body that carries it)",
       "parent: world"},
      {"a speed in rpm", "velocity: 2,", "velocity: 3000,",
       "15:41: warning: motor 'drive' turns joint 'arm' by 3 rad in each step of 0.001 s (speeds are in rad/s: 3000 "
       "rpm "
       "are 3000*2*pi/60; for 3000 rad/s write dt: 3e-05)",
       "velocity: 3000*2*pi/60,"},
      {"damping without stiffness", "stiffness: 20, damping: 0.5", "damping: 0.5",
       "12:5: error: motor 'servo': damping of a position motor goes with a stiffness (write stiffness: 100 beside it, "
       "which gives way under a load, or leave damping out: the position is then held whatever it takes)",
       "stiffness: 100, damping: 0.5", &kServo},
      {"rigid contact where a stepper needs forces", "stepper: euler", "stepper: rk4",
       "17:23: error: stepper rk4 needs contacts that give way, and material 'rubber' has no stiffness (write stepper: "
       "euler, or give the material a stiffness: materials: {rubber: {..., stiffness: 5000}}, with which bodies sink "
       "by "
       "1 % of their size)",
       "stepper: euler"},
      {"contact where a solver takes none", "stepper: euler", "solver: direct",
       "17:22: error: solver direct is for joints, loops and gears alone, and here is a contact (write solver: hybrid)",
       "solver: hybrid"},
      {"the angle of a joint by the name of its body", "farthest: swing", "farthest: swing, z: joint.beam.angle",
       "17:31: error: output 'z': unknown variable 'joint.beam.angle': there is no joint 'beam' (write joint.hinge.q)",
       "farthest: swing, z: joint.hinge.q", &kServo},
      {"a contact that is no name", "mass: 1, contact: rubber", "mass: 1, contact: true",
       "13:56: error: 'contact' must be a name (letters, digits, underscores), not 'true' (the material there is: "
       "write contact: rubber)",
       "mass: 1, contact: rubber"},
      {"a step outside the experiment", "experiment: {duration: 0.1}", "timestep: 2e-3\nexperiment: {duration: 0.1}",
       "11:1: error: unknown key 'timestep' in a scene (it belongs into 'experiment': experiment: {..., dt: 2e-3})",
       "experiment: {duration: 0.1, dt: 2e-3}", &kLoop},
      {"a command by the name of a section", "every: 0.01}",
       "every: 0.01, commands: [{at: 0.1, set: {motors.servo.kp: 30}}]}",
       "18:93: error: there is no 'motors.servo.kp' to set (write motor.servo.stiffness)",
       "every: 0.01, commands: [{at: 0.1, set: {motor.servo.stiffness: 30}}]}", &kServo},
      {"moments by name", "inertia: [0.0001, 0.0104, 0.0104]", "inertia: {ixx: 0.0001, iyy: 0.0104, izz: 0.0104}",
       "8:14: error: 'inertia' must be an inertia ([Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or {principal, "
       "orientation}), not a mapping (write inertia: [0.0001, 0.0104, 0.0104])",
       "inertia: [0.0001, 0.0104, 0.0104]", &kServo},
      {"a loop with a body that is far away", "to: {body: rod, at", "to: {body: ball, at",
       "20:5: warning: loop 'wrist' was open by 1.17 m at the start, and coordinates moved by up to 0.833 to close it "
       "(check the places of its frames, or begin with joint coordinates that close it)",
       "to: {body: rod, at", &kPress},
      {"a loop with a parent", "from: {body: slider}", "parent: slider",
       "20:44: error: unknown key 'parent' in a loop (write from: {body: slider})", "from: {body: slider}", &kPress},
      {"the size of a sphere", "sphere: {radius: 0.1}", "sphere: {size: [0.2, 0.2, 0.2]}",
       "13:24: error: unknown key 'size' in a sphere (a sphere has no edges: write radius: NUMBER, which is half of "
       "its width)",
       "sphere: {radius: 0.1}"},
      {"angles instead of a quaternion", "q: [1, 0, 0.5, 1, 0, 0, 0]", "q: [1, 0, 0.5, 0, 0, 90*deg]",
       "12:12: error: joint 'ball': q has 6 values; a free joint takes 7 (x, y, z, then a quaternion w, x, y, z: q: "
       "[1, 0, 0.5, 0.707107, 0, 0, 0.707107])",
       "q: [1, 0, 0.5, 0.707107, 0, 0, 0.707107]"},
      {"limits the wrong way round", "q: 0.5}", "q: 0.5, limits: [60*deg, -60*deg]}",
       "9:69: error: the lower limit 1.0472 is above the upper limit -1.0472 (write limits: [-60*deg, 60*deg])",
       "q: 0.5, limits: [-60*deg, 60*deg]}"},
      {"a body without mass", "at: [0.25, 0, 0], mass: 2", "at: [0.25, 0, 0]",
       "9:12: error: joint 'arm' moves nothing that has inertia in one of its directions (body 'arm' has no mass: give "
       "the shapes of the bodies it carries a density or a mass, or the bodies a mass and an inertia, or the joint an "
       "armature)",
       "at: [0.25, 0, 0], density: 1000"},
      {"a parameter that there is not", "swing*sin", "amplitude*sin",
       "12:43: error: motor 'servo': unknown variable 'amplitude': expected the parameter swing, t, or a name "
       "that begins with joint, body, point, relative, subtree, com, gravity, energy, momentum, spring, distance, "
       "tendon, actuator, motor, contact, tyre, input or controller",
       "swing*sin", &kServo},
      {"a material that there is not", "radius: 0.05}, density: 1000, contact: rubber",
       "radius: 0.05}, density: 1000, contact: wood",
       "18:14: error: body 'ball': there is no material 'wood' (the materials are rubber, steel)",
       "radius: 0.05}, density: 1000, contact: rubber", &kPress},
      {"a part of the energy", "height: body.ball.z", "height: energy",
       "16:39: error: output 'height': unknown variable 'energy': write energy.WHAT, with WHAT one of kinetic, "
       "gravitational, elastic, total, dampers, joint_friction, contact_friction, impacts, dissipated, motors, "
       "applied, commands, stabilization, residual",
       "height: energy.total"},
      {"no comma in braces", "stiffness: 20, damping", "stiffness: 20 damping",
       "12:74: error: not valid YAML: two entries without a comma between them (write stiffness: 20, damping: ...)",
       "stiffness: 20, damping", &kServo},
      {"a number of steps", "dt: 1e-3", "steps: 200",
       "17:45: error: unknown key 'steps' in an experiment (their number follows from the duration and 'dt': write dt: "
       "1e-3)",
       "dt: 1e-3"},
      {"bodies of a spring", "from: {body: world, at: [0.5, 0, 1]}, to: tip", "bodies: [world, beam]",
       "16:20: error: unknown key 'bodies' in a spring (write from: {body: NAME, at: [X, Y, Z]} and to: {body: NAME, "
       "at: [X, Y, Z]})",
       "from: {body: world, at: [0.5, 0, 1]}, to: {body: beam, at: [0.5, 0, 0]}", &kServo},
      {"gravity that points up", "bodies:\n  - name: arm", "gravity: [0, 0, 9.81]\nbodies:\n  - name: arm",
       "6:10: warning: gravity points up: body 'ball' rises 0.196 m (z is upward: write gravity: [0, 0, -9.81])",
       "gravity: [0, 0, -9.81]\nbodies:\n  - name: arm"},
      {"a servo as an actuator",
       "motors:\n"
       "  - {name: servo, joint: hinge, position: \"swing*sin(2*t)\", stiffness: 20, damping: 0.5}\n"
       "actuators:\n",
       "actuators:\n"
       "  - {name: servo, joint: hinge, kp: 20, ctrlrange: [-1, 1], control: \"swing*sin(2*t)\"}\n",
       "12:33: error: unknown key 'kp' in an actuator (an actuator is a force, and what holds a position is a motor: "
       "write motors: [{name: servo, joint: hinge, position: swing*sin(2*t), stiffness: 20, damping: 2}] instead)",
       "motors: [{name: servo, joint: hinge, position: swing*sin(2*t), stiffness: 20, damping: 2}]\n"
       "actuators:\n",
       &kServo},
      {"a speed as an actuator",
       "motors:\n"
       "  - {name: servo, joint: hinge, position: \"swing*sin(2*t)\", stiffness: 20, damping: 0.5}\n"
       "actuators:\n",
       "actuators:\n"
       "  - {name: servo, joint: hinge, velocity: 2*swing, kv: 3, max_torque: 5}\n",
       "12:33: error: unknown key 'velocity' in an actuator (an actuator is a force, and what holds a velocity is a "
       "motor: write motors: [{name: servo, joint: hinge, velocity: 2*swing, damping: 3, max_force: 5}] instead)",
       "motors: [{name: servo, joint: hinge, velocity: 2*swing, damping: 3, max_force: 5}]\n"
       "actuators:\n",
       &kServo},
      {"a step in milliseconds", "dt: 1e-3, every: 0.01", "dt: 1, every: 1",
       "5:12: warning: joint 'hinge' swings with a period of 1.2 s, and the steps are 1 s (dt is in seconds, and 1 ms "
       "is 0.001: write dt: 0.001)",
       "dt: 0.001, every: 1", &kServo},
      {"a step in milliseconds, and a loop", "duration: 0.1", "duration: 1, dt: 0.5",
       "4:12: warning: what is free falls 1.2 m in a step, and the steps are 0.5 s (dt is in seconds, and 1 ms is "
       "0.001: write dt: 0.001)",
       "duration: 1, dt: 0.001", &kLoop},
      {"a child placed in the world", "  - name: ball\n",
       "  - name: hand\n"
       "    parent: arm\n"
       "    joint: {type: revolute, axis: y, at: [0.5, 0, 1]}\n"
       "    shapes: [{box: {size: [0.2, 0.05, 0.05]}, at: [0.1, 0, 0], mass: 0.5}]\n"
       "  - name: ball\n",
       "13:42: warning: joint 'hand' is 0.975 m beyond its parent 'arm' ('at' counts from the parent's frame: for "
       "[0.5, "
       "0, 1] in the world write at: [0.5, 0, 0])",
       "  - name: hand\n"
       "    parent: arm\n"
       "    joint: {type: revolute, axis: y, at: [0.5, 0, 0]}\n"
       "    shapes: [{box: {size: [0.2, 0.05, 0.05]}, at: [0.1, 0, 0], mass: 0.5}]\n"
       "  - name: ball\n"},
      {"friction of one material alone", "steel: {friction: 0.2}", "steel: {restitution: 0.1}",
       "2:38: warning: material 'steel' has no friction: 'rubber', which has 0.8, slides on it without any (two "
       "materials have the geometric mean of their frictions: write friction: 0.8 for steel too, or friction: 0 if it "
       "is meant)",
       "steel: {restitution: 0.1, friction: 0.8}", &kPress},
      {"a wheel without inertia", "    com: [0.25, 0, 0]\n    inertia: [0.0001, 0.0104, 0.0104]\n", "",
       "5:12: error: joint 'hinge' moves nothing that has inertia in one of its directions (body 'beam' has a mass but "
       "no inertia about y: write inertia: [0.0025, 0.0025, 0.0025], or give the mass to a shape instead)",
       "    inertia: [0.0025, 0.0025, 0.0025]\n", &kServo},
      {"a wheel with inertia about another axis", "    com: [0.25, 0, 0]\n    inertia: [0.0001, 0.0104, 0.0104]\n",
       "    inertia: [0, 0, 0.01]\n",
       "5:12: error: joint 'hinge' moves nothing that has inertia in one of its directions (body 'beam' has a mass but "
       "no inertia about y: write inertia: [0.01, 0.01, 0.01], or give the mass to a shape instead)",
       "    inertia: [0.01, 0.01, 0.01]\n", &kServo},
      {"one moment of inertia", "inertia: [0.0001, 0.0104, 0.0104]", "inertia: 0.0104",
       "8:14: error: 'inertia' must be an inertia ([Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or {principal, "
       "orientation}), not '0.0104' (for instance inertia: [0.0104, 0.0104, 0.0104])",
       "inertia: [0.0104, 0.0104, 0.0104]", &kServo},
      {"two masses", "    shapes: [{box: {size: [0.5", "    mass: 2\n    shapes: [{box: {size: [0.5",
       "10:11: error: body 'arm' has a mass of its own and shapes with mass or density (delete mass: 2 here: the "
       "shapes "
       "give mass, centre of mass and inertia)",
       "    shapes: [{box: {size: [0.5"},
  };
  return list;
}

}  // namespace lipkin::test
