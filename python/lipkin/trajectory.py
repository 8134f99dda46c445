"""What a run recorded."""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np

from .arrays import Array
from .errors import InvalidArgument


def _nearest(name: str, known: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(known)}" if known else ""


class Trajectory:
    """Watched values over time: `run["tip_x"]` is an array as long as `run.t` [s]."""

    def __init__(self, rows: Array, names: Sequence[str], units: Sequence[str], title: str = "") -> None:
        self._rows = rows
        self.names = list(names)
        self.units = dict(zip(names, units))
        self.title = title

    @property
    def t(self) -> Array:
        """Times of the samples [s]."""
        return self._rows[:, 0]

    @property
    def values(self) -> Array:
        """One row per sample, one column per name."""
        return self._rows[:, 1:]

    def __getitem__(self, name: str) -> Array:
        if name == "t":
            return self.t
        if name not in self.units:
            raise InvalidArgument(f"nothing named '{name}' was watched{_nearest(name, self.names)}")
        return self._rows[:, 1 + self.names.index(name)]

    def __contains__(self, name: object) -> bool:
        return name == "t" or name in self.units

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        """Number of samples."""
        return len(self._rows)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, " if len(self) else ""
        return f"<Trajectory: {len(self)} samples, {span}{', '.join(self.names) or 'nothing watched'}>"

    def label(self, name: str) -> str:
        """The name with its unit: "tip_x [m]"."""
        unit = "s" if name == "t" else self.units[name]
        return f"{name} [{unit}]" if unit else name

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Time first, one header line with units; numbers that read back to the same bits."""
        header = ",".join(self.label(name) for name in ["t", *self.names])
        np.savetxt(path, self._rows, fmt="%.17g", delimiter=",", header=header, comments="")

    def plot(self, *names: str, **options):  # type: ignore[no-untyped-def]
        """Draws the named values (all of them) over time; see lipkin.plot."""
        from .plotting import plot

        return plot(self, *names, **options)
