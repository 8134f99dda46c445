"""Pictures of trajectories, where matplotlib is installed."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import Error
from .trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError as missing:
        raise Error("plots need matplotlib (apt install python3-matplotlib, or pip install matplotlib)") from missing
    return matplotlib.pyplot


def plot(
    runs: Trajectory | Mapping[str, Trajectory],
    *names: str,
    x: str = "t",
    title: str | None = None,
    path: str | None = None,
) -> "Figure":
    """Draws watched values, one panel per unit, and returns matplotlib's figure.

    runs: a trajectory, or several with a label for each, drawn above each other.
    names: what to draw; everything where none is given.
    x: what is along the horizontal axis, time by default.
    path: also writes the picture into this file (.svg, .png, .pdf).
    """
    pyplot = _pyplot()
    labelled = {"": runs} if isinstance(runs, Trajectory) else dict(runs)
    first = next(iter(labelled.values()))
    shown = list(names) or [name for name in first.names if name != x]
    for name in shown:
        first[name]  # a wrong name is told before anything is drawn
    units = list(dict.fromkeys(first.units[name] for name in shown))
    figure, axes = pyplot.subplots(
        len(units), 1, sharex=True, squeeze=False, figsize=(8, 1.2 + 2.2 * len(units)), layout="constrained"
    )
    for ax, unit in zip(axes[:, 0], units):
        same_unit = [name for name in shown if first.units[name] == unit]
        for label, run in labelled.items():
            for name in same_unit:
                text = " ".join(part for part in (label, name if len(same_unit) > 1 or not label else "") if part)
                ax.plot(run[x], run[name], linewidth=1.2, label=text)
        ax.set_ylabel(first.label(same_unit[0]) if len(same_unit) == 1 else f"[{unit}]" if unit else "")
        ax.grid(alpha=0.3)
        if len(same_unit) * len(labelled) > 1:
            ax.legend(fontsize="small")
    axes[-1, 0].set_xlabel(first.label(x))
    figure.suptitle(first.title if title is None else title)
    if path is not None:
        figure.savefig(path)
    return figure
