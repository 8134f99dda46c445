"""Environments for reinforcement learning with Gymnasium's five-tuple API, without Gymnasium."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import Array
from .errors import InvalidArgument
from .scene import SceneLike
from .simulation import Simulation


class Box:
    """A box of numbers: what an action or an observation may be."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        self.shape = self.low.shape
        self.dtype = np.dtype(float)
        self._random = np.random.default_rng()

    def seed(self, seed: int | None = None) -> None:
        self._random = np.random.default_rng(seed)

    def sample(self) -> Array:
        """Uniform where it is bounded, normal where it is not."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        uniform = self._random.uniform(np.where(bounded, self.low, 0), np.where(bounded, self.high, 1))
        return np.where(bounded, uniform, np.clip(self._random.standard_normal(self.shape), self.low, self.high))

    def contains(self, x: Any) -> bool:
        x = np.asarray(x, float)
        return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

    __contains__ = contains

    def __repr__(self) -> str:
        return f"Box({self.low}, {self.high})"


class Environment:
    """A scene as an environment.

    scene: as for Simulation, with its options.
    observe: expressions (docs/guide/variables.md) that make the observation; default: all of q, then all of u.
    act: what an action sets: "control.NAME" or "actuator.NAME" (of the actuators and motors that the model is driven by), or
      "joint.NAME" (a force on each of its freedoms [N m] or [N]); default: every control.
    action_bound: actions lie within plus and minus this, one number or one per action; default: no bound.
    period: time that a step of the environment takes [s], whatever the stepper: an adaptive one ends there. With fixed
      steps a multiple of dt. Default: `steps` times dt.
    steps: steps of dt per step of the environment, where no period is given.
    time_limit: after so long [s] an episode is truncated; default: the experiment's duration.
    reward, terminated: callables of the environment; or override the methods `reward` and `is_terminated`.
    noise: coordinates and velocities begin within plus and minus this of the scene's (quaternions stay unit); or override
      `prepare`.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(
        self,
        scene: SceneLike,
        *,
        observe: Sequence[str] | None = None,
        act: Sequence[str] | None = None,
        action_bound: Any = np.inf,
        steps: int = 1,
        period: float | None = None,
        time_limit: float | None = None,
        reward: Callable[["Environment"], float] | None = None,
        terminated: Callable[["Environment"], bool] | None = None,
        noise: float = 0.0,
        **options: Any,
    ) -> None:
        self.simulation = Simulation(scene, **options)
        if steps < 1:
            raise InvalidArgument(f"steps is {steps}; expected at least 1")
        self.period = self._checked_period(steps, period)
        self.noise = noise
        self.time_limit = self.simulation.options["duration"] if time_limit is None else time_limit
        self._reward, self._terminated = reward, terminated
        self._observe = observe
        self._begin_period()
        for i, expression in enumerate(observe or ()):
            self.simulation.watch(f"observation{i}", expression)
        self._controls, self._forces = self._targets(act)
        self.np_random = np.random.default_rng()
        count = len(self.observation())
        self.observation_space = Box(np.full(count, -np.inf), np.full(count, np.inf))
        bound = np.broadcast_to(np.asarray(action_bound, float), len(self._controls) + len(self._forces))
        self.action_space = Box(-bound, bound)

    def _checked_period(self, steps: int, period: float | None) -> float:
        options, chooses_steps = self.simulation.options, self.simulation._chooses_steps()
        if period is not None and steps != 1:
            raise InvalidArgument("steps and period say the same; give one of them")
        if period is None and not options["dt"] > 0:
            raise InvalidArgument(f"stepper '{options['stepper']}' has no dt to count steps of; give a period [s]")
        period = steps * options["dt"] if period is None else period
        if not (np.isfinite(period) and period > 0):
            raise InvalidArgument(f"period is {period} s; expected a number > 0")
        if not chooses_steps and abs(period / options["dt"] - round(period / options["dt"])) > 1e-6:
            raise InvalidArgument(f"period is {period} s; expected a multiple of dt, {options['dt']} s")
        return period

    def _begin_period(self) -> None:
        self._begin, self._periods = self.simulation.t, 0

    def _advance(self) -> None:
        """To the end of the period, counted from the begin of the episode."""
        simulation = self.simulation
        self._periods += 1
        end = self._begin + self._periods * self.period
        if simulation._chooses_steps():
            simulation.run(end - simulation.t, record=False)
        else:
            simulation.step(round((end - simulation.t) / simulation.options["dt"]))

    def _targets(self, act: Sequence[str] | None) -> tuple[list[int], list[int]]:
        model = self.simulation.model
        names = [f"control.{name}" for name in model.control_names] if act is None else act
        controls: list[int] = []
        forces: list[int] = []
        for name in names:
            kind, _, part = name.partition(".")
            if kind == "control" and not forces:
                controls.append(model.control_index(part))
            elif kind == "actuator" and not forces:
                controls.append(model.control_of_actuator(part))
            elif kind == "joint":
                freedoms = model.joint_u(model.joint_index(part))
                forces.extend(range(freedoms.start, freedoms.stop))
            else:
                raise InvalidArgument(f"act: '{name}': expected control.NAME or actuator.NAME, or joint.NAME after all of these")
        return controls, forces

    # ---- to be overridden, or given as arguments ----

    def observation(self) -> Array:
        """What is seen now: a copy."""
        simulation = self.simulation
        if self._observe is None:
            return np.concatenate([simulation.q, simulation.u])
        return simulation._watched()

    def reward(self) -> float:
        """Of the step just taken."""
        return float(self._reward(self)) if self._reward else 0.0

    def is_terminated(self) -> bool:
        """Whether the episode has come to its end by itself."""
        return bool(self._terminated(self)) if self._terminated else False

    def prepare(self, options: dict[str, Any]) -> None:
        """Where an episode begins; `self.np_random` is seeded."""
        if self.noise:
            for values in (self.simulation.q, self.simulation.u):
                values += self.np_random.uniform(-self.noise, self.noise, values.size)

    # ---- Gymnasium's API ----

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode: (observation, info)."""
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        self.simulation.reset()
        self._begin_period()
        self.prepare(options or {})
        return self.observation(), self._info()

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Takes one action: (observation, reward, terminated, truncated, info)."""
        action = np.asarray(action, float)
        if action.shape != self.action_space.shape:
            raise InvalidArgument(f"an action of shape {action.shape}; expected {self.action_space.shape}")
        action = np.clip(action, self.action_space.low, self.action_space.high)
        for index in np.flatnonzero(~np.isfinite(action)):
            raise InvalidArgument(f"action {index} is {action[index]}; expected a finite number")
        simulation = self.simulation
        if self._controls:
            simulation.control[self._controls] = action[: len(self._controls)]
        if self._forces:
            simulation.tau[self._forces] = action[len(self._controls) :]
        self._advance()
        terminated = self.is_terminated()
        truncated = not terminated and simulation.t >= self.time_limit * (1 - 1e-9)
        return self.observation(), self.reward(), terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        return {"t": self.simulation.t, "step": self.simulation.step_count}

    @property
    def unwrapped(self) -> "Environment":
        return self

    def render(self) -> None:
        return None

    def close(self) -> None:
        return None

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
