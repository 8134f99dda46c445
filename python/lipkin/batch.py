"""Many copies of one model at once."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._core import Model
from .arrays import Array
from .errors import InvalidArgument
from .scene import SceneLike
from .simulation import _opened

_OPTIONS = ("dt", "solver", "stabilization", "solver_tolerance", "max_iterations")


def _copies_of(lanes: Array, copies: int) -> Array:
    return lanes.reshape(-1, lanes.shape[2])[:copies]


def _put(values: Any, lanes: Array, copies: int) -> None:
    lane_count, n = lanes.shape[1:]
    given = np.broadcast_to(np.asarray(values, float), (copies, n))
    whole = copies // lane_count
    lanes[:whole] = given[: whole * lane_count].reshape(whole, lane_count, n)
    if whole * lane_count < copies:
        lanes[whole, : copies - whole * lane_count] = given[whole * lane_count :]


class Batch(_core.Batch):
    """Independent copies of one model advanced together by semi-implicit Euler steps of one size.

    scene: as for Simulation, with its options `set`, `base`, `ground`, ..., `dt`, `solver`, `stabilization`,
      `solver_tolerance` and `max_iterations`; or a Model.
    copies: how many. threads: how many work, 0: one per core; results do not depend on it.
    dt: size of a step [s]; default: the scene's, 1 ms for a Model.

    Trees whose forces are functions of their state advance in SIMD lanes. What has rows or a memory (loops, limits,
    friction, motors, contacts, gears, controllers, tyres, ...) advances copy by copy as a Simulation does, to the same
    bits; `kept_out_of_lanes` says what it is. Refused are a joint that moves no inertia, which nothing can step, and a
    scene with timed commands, which a batch does not carry out.

    `q`, `u`, `tau` and `acceleration` are arrays of (copies, values of a copy), copied when read and taken over when
    assigned as a whole. `q_lanes`, `u_lanes`, `tau_lanes` and `acceleration_lanes` show the memory itself without copies
    as (blocks, lanes, values of a copy): copy c is [c // lane_count, c % lane_count]; the last block is filled up with
    idle copies. While it steps, Python's other threads run.
    """

    __slots__ = ("_title",)

    def __init__(self, scene: SceneLike | Model, copies: int, threads: int = 0, **options: Any) -> None:
        if isinstance(scene, Model):
            if unknown := [name for name in options if name != "dt"]:
                raise InvalidArgument(f"option '{unknown[0]}' is for scenes; this is a Model")
            super().__init__(scene, copies, threads)
            if "dt" in options:
                self.dt = options["dt"]
            self._title = scene.name
            return
        opened, choices = _opened(scene, options)
        for name in choices:
            if name not in _OPTIONS:
                raise InvalidArgument(f"a batch has no option '{name}': it takes steps of dt by 'euler'")
        opened = opened.with_options({"stepper": "euler", **choices})
        super().__init__(opened, copies, threads)
        self._title = opened.name

    def step(self, count: int = 1, *more: Any) -> None:
        """Takes so many steps of `dt` with every copy, as Simulation.step does.

        Raises InvalidArgument where q, u or tau of a copy are not finite, SimulationError where they stop being so, naming
        the copy; every copy is then as it was before.
        """
        if more or isinstance(count, bool) or not isinstance(count, (int, np.integer)):
            raise InvalidArgument(
                f"step{(count, *more)}: expected a whole number of steps; their size is the batch's dt, {self.dt:g} s"
            )
        self._step(count)

    @property
    def q(self) -> Array:
        """Coordinates of every copy [rad] or [m]."""
        return _copies_of(self.q_lanes, self.copy_count)

    @q.setter
    def q(self, values: Any) -> None:
        _put(values, self.q_lanes, self.copy_count)

    @property
    def u(self) -> Array:
        """Velocities of every copy [rad/s] or [m/s]."""
        return _copies_of(self.u_lanes, self.copy_count)

    @u.setter
    def u(self, values: Any) -> None:
        _put(values, self.u_lanes, self.copy_count)

    @property
    def tau(self) -> Array:
        """Forces added to those of the model [N m] or [N]."""
        return _copies_of(self.tau_lanes, self.copy_count)

    @tau.setter
    def tau(self, values: Any) -> None:
        _put(values, self.tau_lanes, self.copy_count)

    @property
    def acceleration(self) -> Array:
        """Of the last `forward_dynamics` or `step` [rad/s^2] or [m/s^2]."""
        return _copies_of(self.acceleration_lanes, self.copy_count)

    def __repr__(self) -> str:
        title = self._title  # an AttributeError where the batch was refused, instead of looking at what is not there
        return f"<Batch of {self.copy_count} {title!r}, {self.thread_count} threads, t = {self.t:g} s>"
