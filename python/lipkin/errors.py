"""Exceptions. Each says in its text what the command line would print: one clear line per mistake."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .trajectory import Trajectory


class Diagnostic(NamedTuple):
    """A mistake in a file, or a warning."""

    file: str
    line: int  # from 1; 0: unknown
    column: int  # from 1; 0: unknown
    severity: str  # "error" or "warning"
    message: str  # what is wrong and what was expected
    hint: str  # a remedy, such as the nearest known name; may be empty


class Error(Exception):
    """Base of every exception of Lipkin."""


class InputError(Error, ValueError):
    """A scene or model file is wrong. `diagnostics` has everything that was found; the text has one line for each."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics or []


class InvalidArgument(Error, ValueError):
    """Wrong use: names the item, the value and what was expected."""


class SimulationError(Error, RuntimeError):
    """The simulation cannot go on: names time, item and quantity. `trajectory` has what `run` recorded up to there."""

    trajectory: Trajectory | None = None


class InternalError(Error, RuntimeError):
    """A bug of Lipkin's."""
