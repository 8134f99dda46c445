"""A model that runs, and the handles of its parts."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from .arrays import Array
from .errors import InvalidArgument, SimulationError
from .scene import SceneLike, load
from .trajectory import Trajectory, _nearest

_LOAD_OPTIONS = ("set", "base", "ground", "self_contact", "mesh_contact", "mesh_tolerance", "mesh_hulls", "packages")
_OPTIONS = (
    "stepper", "solver", "coordinates", "stabilization", "contact", "step", "dt", "dt_min", "dt_max", "tolerance",
    "absolute_tolerance", "duration", "every", "slip_speed", "solver_tolerance", "max_iterations",
)  # fmt: skip


def _opened(scene: SceneLike, given: dict[str, Any]) -> tuple[_core.Scene, dict[str, Any]]:
    known = [*_LOAD_OPTIONS, *_OPTIONS]
    for name in given:
        if name not in known:
            raise InvalidArgument(f"there is no option '{name}'{_nearest(name, known)}")
    opened = load(scene, **{name: given[name] for name in _LOAD_OPTIONS if name in given})
    return opened, {name: value for name, value in given.items() if name in _OPTIONS}


def _vector(what: str, values: Any) -> Array:
    vector = np.asarray(values, float)
    if vector.shape != (3,):
        raise InvalidArgument(f"{what} has {vector.size} values; expected x, y and z")
    return vector


class Joint:
    """A joint of a running model. Its arrays are views: writing into them moves the mechanism."""

    __slots__ = ("_simulation", "name")

    def __init__(self, simulation: "Simulation", name: str) -> None:
        self._simulation = simulation
        self.name = name

    @property
    def index(self) -> int:
        return self._simulation.model.joint_index(self.name)

    @property
    def type(self) -> str:
        """"revolute", "prismatic", ..., as in scenes."""
        return self._simulation.model.joint_type(self.index)

    def _running(self) -> tuple[_core.Model, int]:
        if self._simulation.options["coordinates"] != "generalized":
            raise InvalidArgument(f"joint '{self.name}' has no coordinates of its own in maximal coordinates")
        model = self._simulation.model
        return model, model.joint_index(self.name)

    @property
    def q(self) -> Array:
        """Its coordinates [rad] or [m], a quaternion w x y z for a ball; none where it closes a loop."""
        model, index = self._running()
        return self._simulation.q[model.joint_q(index)]

    @q.setter
    def q(self, value: Any) -> None:
        self.q[:] = value

    @property
    def u(self) -> Array:
        """Its velocities [rad/s] or [m/s]."""
        model, index = self._running()
        return self._simulation.u[model.joint_u(index)]

    @u.setter
    def u(self, value: Any) -> None:
        self.u[:] = value

    @property
    def tau(self) -> Array:
        """Forces added to those of the model [N m] or [N]."""
        model, index = self._running()
        return self._simulation.tau[model.joint_u(index)]

    @tau.setter
    def tau(self, value: Any) -> None:
        self.tau[:] = value

    def __repr__(self) -> str:
        return f"<Joint {self.name!r}, {self.type}>"


class Body:
    """A body of a running model."""

    __slots__ = ("_simulation", "name")

    def __init__(self, simulation: "Simulation", name: str) -> None:
        self._simulation = simulation
        self.name = name

    @property
    def index(self) -> int:
        return self._simulation.model.body_index(self.name)

    @property
    def mass(self) -> float:
        """[kg]"""
        return self._simulation.model.body_mass(self.index)

    @property
    def position(self) -> Array:
        """Of the body frame's origin in the world [m]."""
        return self._simulation._body_motion(self.index)[0]

    @property
    def orientation(self) -> Array:
        """Of the body frame in the world: unit quaternion w x y z."""
        return self._simulation._body_motion(self.index)[1]

    @property
    def velocity(self) -> Array:
        """Of the body frame's origin, world axes [m/s]."""
        return self._simulation._body_motion(self.index)[2]

    @property
    def angular_velocity(self) -> Array:
        """World axes [rad/s]."""
        return self._simulation._body_motion(self.index)[3]

    def __repr__(self) -> str:
        return f"<Body {self.name!r}>"


class _Controller:
    __slots__ = ("callable", "period", "start", "calls")

    def __init__(self, callable: Callable[["Simulation"], None], period: float, start: float) -> None:
        self.callable = callable
        self.period = period
        self.restart(start)

    def restart(self, start: float) -> None:
        self.start = start
        self.calls = 0

    def resume(self, now: float) -> None:
        """At another time: its next call is at the first multiple from there on; one that began later begins there."""
        if now < self.start - 1e-9 * self.period:
            self.restart(now)
        elif self.period > 0:
            self.calls = math.ceil((now - self.start) / self.period - 1e-9)

    @property
    def next_call(self) -> float:
        return self.start + self.calls * self.period


class Simulation(_core.Simulation):
    """A scene or a model that runs.

    scene: as for `lipkin.load`, or what that returned; with its options `set`, `base`, `ground`, `self_contact` and
      `packages`.
    Other options take the place of the scene's own: `stepper` ("euler", "moreau", "rk4", "dopri5", "adams", "bdf"), `dt`
      [s], `solver`, `coordinates`, `stabilization`, `contact`, `step` ("fixed", "variable"), `dt_min`, `dt_max` [s],
      `tolerance`, `absolute_tolerance`, `duration` [s], `every` [s], `slip_speed` [m/s], `solver_tolerance` [m/s],
      `max_iterations`.
    threads: how many may work on a step of a large scene; the result does not depend on it.

    `q`, `u`, `tau` and `control` are NumPy views of the state itself, without copies: they show the present, also after
    `reset`, and may be written between two steps. The same scene gives the same bits as `lipkin run`: compare
    `state_hash`. One thread at a time; while one steps, Python's other threads run.
    """

    __slots__ = ("_controllers", "_watches", "_title")

    def __init__(self, scene: SceneLike, *, threads: int = 1, **options: Any) -> None:
        self._start(scene, options, commanded=False)
        if threads != 1:
            self._use_threads(threads)

    def _start(self, scene: SceneLike, options: dict[str, Any], commanded: bool) -> None:
        opened, choices = _opened(scene, options)
        super().__init__(opened.with_options(choices), commanded)
        self._controllers: list[_Controller] = []
        self._watches: dict[str, tuple[str, str]] = {}
        self._title = opened.name

    # ---- parts ----

    def joint(self, joint: str | int) -> Joint:
        """A joint by name or index."""
        model = self.model
        return Joint(self, model.joint_names[model.joint_index(joint)])

    def body(self, body: str | int) -> Body:
        """A body by name or index."""
        model = self.model
        return Body(self, model.body_names[model.body_index(body)])

    # ---- watching ----

    @property
    def watched_names(self) -> list[str]:
        """The scene's outputs, then what `watch` added."""
        return [*self.model.output_names, *self._watches]

    @property
    def watched_units(self) -> list[str]:
        return [*self.model.output_units, *(unit for _, unit in self._watches.values())]

    def watch(self, name: str, expression: str, unit: str = "") -> None:
        """Watches an expression (docs/guide/variables.md), such as "point.tip.x" or "sqrt(body.bob.vx^2)"."""
        if name in self.model.output_names:
            raise InvalidArgument(f"the scene has an output '{name}' already")
        watches = {**self._watches, name: (expression, unit)}
        self._set_watches([text for text, _ in watches.values()])
        self._watches = watches

    def __getitem__(self, name: str) -> float:
        """A watched value now, by name."""
        model = self.model
        if name in self._watches:
            return float(self._watched()[list(self._watches).index(name)])
        if name not in model.output_names:
            raise InvalidArgument(f"nothing named '{name}' is watched{_nearest(name, self.watched_names)}")
        return float(self.outputs[model.output_index(name)])

    @property
    def watched(self) -> dict[str, float]:
        """Every watched value now."""
        values = np.concatenate([self.outputs, self._watched()]) if self._watches else self.outputs
        return dict(zip(self.watched_names, map(float, values)))

    # ---- running ----

    def run(self, duration: float | None = None, every: float | None = None, record: bool = True) -> Trajectory:
        """Runs for a time [s] (default: the experiment's) and returns what was watched.

        every: spacing of the samples [s], the start included; 0: every step; default: the experiment's. Adaptive steppers
          sample their dense output.
        record: False keeps nothing but the state.
        """
        options = self.options
        duration = options["duration"] if duration is None else duration
        every = options["every"] if every is None else every
        try:
            self._run(duration, every if record else duration, record)
        except SimulationError as error:
            error.trajectory = self._recorded()
            raise
        return self._recorded()

    def _recorded(self) -> Trajectory:
        names = self.watched_names
        return Trajectory(self._take_rows(1 + len(names)), names, self.watched_units, self._title)

    # ---- control in the loop ----

    def add_controller(self, controller: Callable[["Simulation"], None], period: float = 0) -> None:
        """Calls `controller(simulation)` before every step, or every `period` [s], from now on.

        It may write `tau`, `control`, `q` and `u`, call `set` and `push`, and look at everything. With a period it acts at
        the first step boundary at or after each multiple; adaptive steppers put a boundary there.
        """
        if not (math.isfinite(period) and period >= 0):
            raise InvalidArgument(f"the period of a controller is {period} s; expected a number not below 0")
        self._controllers.append(_Controller(controller, period, self.t))
        self._set_controlled(True)

    def remove_controller(self, controller: Callable[["Simulation"], None]) -> None:
        """Takes back `add_controller`."""
        self._controllers = [each for each in self._controllers if each.callable != controller]
        self._set_controlled(bool(self._controllers))

    def _before_step(self) -> float:
        now = self.t
        limit = math.inf
        for each in self._controllers:
            if each.period == 0:
                each.callable(self)
                continue
            slack = 1e-9 * each.period
            if each.next_call - each.period > now + slack:
                each.resume(now)  # a command in between has led back
            if now >= each.next_call - slack:
                each.callable(self)
                while each.next_call <= now + slack:
                    each.calls += 1
            limit = min(limit, each.next_call)
        return limit if self._chooses_steps() else math.inf

    # ---- state ----

    def reset(self) -> None:
        """Back to the initial state, timed commands as in the scene; controllers begin again."""
        super().reset()
        for each in self._controllers:
            each.restart(self.t)

    def restore(self, state: _core.SavedState) -> None:
        """Goes on from what `save` gave, bit for bit, with the options and pending commands of then."""
        super().restore(state)
        self._resume_controllers()

    def _resume_controllers(self) -> None:
        for each in self._controllers:
            each.resume(self.t)

    # ---- changes ----

    def set(self, path: str, value: float, at: float | None = None) -> None:
        """Changes a value of the model while it runs, now or at a time [s].

        Paths as in scenes: "gravity.z", "joint.NAME.damping", "motor.NAME.target", "material.NAME.friction",
        "actuator.NAME.control", ...
        """
        self._set(path, value, at)

    def push(
        self,
        body: str | int,
        force: Sequence[float] = (0, 0, 0),
        torque: Sequence[float] = (0, 0, 0),
        point: Sequence[float] = (0, 0, 0),
        duration: float = 0.1,
        frame: str = "world",
        at: float | None = None,
    ) -> None:
        """A force [N] and torque [N m] on a body for a while [s].

        point: where the force acts, in the body frame [m]. frame: whose axes force and torque are given in, "world" or
        "body". at: when it begins [s], now where it is left out.
        """
        if frame not in ("world", "body"):
            raise InvalidArgument(f"frame '{frame}': expected world or body")
        name = self.body(body).name
        along_body = frame == "body"
        self._push(name, _vector("force", force), _vector("torque", torque), _vector("point", point), duration,
                   along_body, at)  # fmt: skip

    def set_options(self, **options: Any) -> None:
        """Changes stepper, dt, solver, stabilization, coordinates, step, dt_min, dt_max, tolerance or
        absolute_tolerance from the next step on: all of them, or none where one is refused. In other coordinates q and u have another size and meaning."""
        for name in options:
            if name not in _CHANGES:
                raise InvalidArgument(f"there is no option '{name}' to change{_nearest(name, list(_CHANGES))}")
        self._set_options(options)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._title!r}, t = {self.t:g} s>"


_CHANGES = ("stepper", "dt", "solver", "stabilization", "coordinates", "step", "dt_min", "dt_max", "tolerance",
            "absolute_tolerance")  # fmt: skip
