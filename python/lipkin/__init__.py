"""Lipkin from Python: mechanisms, robots and machines with loops, drives, friction and contact.

    >>> import lipkin
    >>> run = lipkin.Simulation("double-pendulum").run()
    >>> run["tip_x"]  # NumPy, over run.t

SI units and radians everywhere, quaternions w x y z, vectors along world axes unless said otherwise.
"""
from ._core import Dynamics, Energy, Model, SavedState, Scene, instruction_set, version as __version__
from .batch import Batch
from .environment import Box, Environment
from .errors import Diagnostic, Error, InputError, InternalError, InvalidArgument, SimulationError
from .plotting import plot
from .scene import load, scenes
from .session import Answer, Session
from .simulation import Body, Joint, Simulation
from .trajectory import Trajectory

__all__ = [
    "Answer", "Batch", "Body", "Box", "Diagnostic", "Dynamics", "Energy", "Environment", "Error", "InputError",
    "InternalError", "InvalidArgument", "Joint", "Model", "SavedState", "Scene", "Session", "Simulation",
    "SimulationError", "Trajectory", "instruction_set", "load", "plot", "scenes",
]  # fmt: skip
