"""Many copies of one model at once."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._core import Model
from .arrays import Array
from .scene import SceneLike, load


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
    """Independent copies of one tree advanced together by SIMD lanes and threads, by semi-implicit Euler steps.

    scene: as for `lipkin.load`, or a Model: a tree without loops, limits, friction, motors and contacts.
    copies: how many. threads: how many work, 0: one per core; results do not depend on it.

    `q`, `u`, `tau` and `acceleration` are arrays of (copies, values of a copy), copied when read and taken over when
    assigned as a whole. `q_lanes`, `u_lanes`, `tau_lanes` and `acceleration_lanes` show the memory itself without copies
    as (blocks, lanes, values of a copy): copy c is [c // lane_count, c % lane_count]; the last block is filled up with
    idle copies. While it steps, Python's other threads run.
    """

    __slots__ = ("_title",)

    def __init__(self, scene: SceneLike | Model, copies: int, threads: int = 0, **options: Any) -> None:
        model = scene if isinstance(scene, Model) else load(scene, **options).model
        super().__init__(model, copies, threads)
        self._title = model.name

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
