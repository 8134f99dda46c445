"""A simulation that is worked on by commands, each of which can be repeated and undone."""
from __future__ import annotations

import json
import os
from typing import Any, Dict

from .errors import InvalidArgument
from .scene import SceneLike
from .simulation import Simulation


class Answer(Dict[str, Any]):
    """The result of a command, with the step and time [s] from which on it acts and its jump of energy [J]."""

    step: int = 0
    t: float = 0.0
    energy_jump: float = 0.0


class Session(Simulation):
    """A simulation that changes by commands alone: those of the viewer, of `lipkin run --commands` and of recordings.

    Whatever happens to it can be undone, rewound, branched and repeated bit for bit, so its arrays cannot be written;
    `set`, `push`, `set_control` and `set_options` are commands. Takes the arguments of Simulation.
    """

    __slots__ = ()

    def __init__(self, scene: SceneLike, **options: Any) -> None:
        self._start(scene, options, commanded=True)

    def command(self, cmd: str, at: float | None = None, **args: Any) -> Answer | None:
        """Gives a command of docs/guide/viewer-protocol.md: session.command("apply_force", body="bob", force=[0, 1, 0]).

        at: the time [s] at which it acts; now where it is left out. Returns the result, None where it lies ahead. Raises
        InvalidArgument with the reason where it is refused.
        """
        line: dict[str, Any] = {"cmd": cmd, "args": args}
        if at is not None:
            line["at"] = at
        result, step, t, energy_jump = self._command(json.dumps(line))
        if cmd in ("seek", "undo", "redo", "branch"):
            self._resume_controllers()
        values = json.loads(result)
        if values is None:
            return None
        answer = Answer(values)
        answer.step, answer.t, answer.energy_jump = step, t, energy_jump
        return answer

    def undo(self) -> Answer | None:
        """Back to the state before the last edit."""
        return self.command("undo")

    def redo(self) -> Answer | None:
        """The edit that was undone again, at the same step."""
        return self.command("redo")

    def seek(self, t: float) -> Answer | None:
        """Rewinds to a time [s], or goes forward again along the branch."""
        return self.command("seek", t=t)

    def reset(self) -> None:
        """To the scene's initial state, edits forgotten: a new branch."""
        self.command("reset")
        for each in self._controllers:
            each.restart(self.t)

    def set(self, path: str, value: float, at: float | None = None) -> None:
        """Changes a parameter: any path of the command `set`, also body.NAME.mass and parameter.NAME."""
        self.command("set", at, path=path, value=float(value))

    def set_control(self, actuator: str | int, value: float) -> None:
        """The control of an actuator, or of a motor by the name of its control, logged, so that a recording repeats what a
        controller did."""
        model = self.model
        if isinstance(actuator, str) and actuator in model.control_names:
            self.command("set", path=f"control.{actuator}", value=float(value))
            return
        name = model.actuator_names[model.actuator_index(actuator)]
        self.command("set", path=f"actuator.{name}.control", value=float(value))

    def push(self, body, force=(0, 0, 0), torque=(0, 0, 0), point=(0, 0, 0), duration=0.1, frame="world", at=None):  # type: ignore[no-untyped-def]
        """A force [N] and torque [N m] on a body for a while [s], as icons that can be edited and undone."""
        name = self.body(body).name
        if any(force):
            self.command("apply_force", at, body=name, force=list(map(float, force)), point=list(map(float, point)),
                         frame=frame, duration=duration)  # fmt: skip
        if any(torque):
            self.command("apply_torque", at, body=name, torque=list(map(float, torque)), frame=frame, duration=duration)

    def set_options(self, **options: Any) -> None:
        """Changes stepper, solver, coordinates, stabilization, dt or tolerances from the next step on."""
        if "tolerance" in options:
            options.setdefault("absolute_tolerance", options["tolerance"] / 100)
            options["relative_tolerance"] = options.pop("tolerance")
        self.command("settings", **options)

    def restore(self, state: Any) -> None:
        raise InvalidArgument("a session goes back by seek, undo and branches, so that it can be repeated")

    # ---- watching ----

    @property
    def watched_names(self) -> list[str]:
        return [name for name, _, _ in self._channels()]

    @property
    def watched_units(self) -> list[str]:
        return [unit for _, _, unit in self._channels()]

    def watch(self, name: str, expression: str, unit: str = "") -> None:
        """Watches an expression (docs/guide/variables.md)."""
        self.command("watch", channels=[{"name": name, "expr": expression, "unit": unit}])

    def __getitem__(self, name: str) -> float:
        watched = self.watched
        if name not in watched:
            from .trajectory import _nearest

            raise InvalidArgument(f"nothing named '{name}' is watched{_nearest(name, list(watched))}")
        return watched[name]

    @property
    def watched(self) -> dict[str, float]:
        return dict(zip(self.watched_names, map(float, self._channel_values())))

    # ---- files ----

    def record(self, path: str | os.PathLike[str]) -> "_Recording":
        """Records what follows into a file that `lipkin replay` repeats: `with session.record("a.mcap"): ...`. A recording
        begins where the scene does: before the first step and the first edit."""
        return _Recording(self, os.fspath(path))

    @property
    def scene_text(self) -> str:
        """The model as it is now, as a scene file."""
        return self._scene_text()

    @property
    def timeline(self) -> dict[str, Any]:
        """Branches and edits, as the viewer gets them."""
        return dict(json.loads(self._timeline_json()))


class _Recording:
    def __init__(self, session: Session, path: str) -> None:
        self._session = session
        session._begin_recording(path)

    def finish(self) -> None:
        """Ends the recording properly."""
        self._session._end_recording()

    def __enter__(self) -> "_Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()
