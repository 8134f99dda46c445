"""One clear line for every mistake."""
import copy
import math
import pickle

import numpy as np
import pytest

import lipkin


@pytest.fixture
def pendulum():
    return lipkin.Simulation("double-pendulum")


def one_line(excinfo):
    text = str(excinfo.value)
    assert text and "\n" not in text
    return text


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"stepper": "rk5"}, "stepper 'rk5' does not exist in this version; values are euler, moreau, rk4"),
        ({"solver": "magic"}, "solver 'magic' does not exist"),
        ({"coordinates": "polar"}, "values are generalized, maximal"),
        ({"dt": -1}, "dt is -1; expected a finite number not below 0"),
        ({"dt": 0, "stepper": "euler"}, "euler needs a step above 0"),
        ({"duration": math.inf}, "duration is inf"),
        ({"steper": "rk4"}, "there is no option 'steper'; did you mean 'step"),
        ({"ground": True}, "are for URDF and MJCF files"),
        ({"base": "hung"}, "expected fixed or floating"),
    ],
)
def test_wrong_options(options, expected):
    with pytest.raises(lipkin.InvalidArgument) as refused:
        lipkin.Simulation("double-pendulum", **options)
    assert expected in one_line(refused)


def test_unknown_names_suggest_known_ones(pendulum):
    joint = pendulum.model.joint_names[0]
    for ask in [lambda: pendulum.joint(joint + "x"), lambda: pendulum["tip_z"],
                lambda: pendulum.body("rod3"), lambda: pendulum.set("gravty.z", 1),
                lambda: pendulum.run(0.1)["tipx"]]:  # fmt: skip
        with pytest.raises(lipkin.Error) as refused:
            ask()
        one_line(refused)


def test_indices_out_of_range(pendulum):
    for ask in [lambda: pendulum.joint(17), lambda: pendulum.body(-1)]:
        with pytest.raises(lipkin.InvalidArgument) as refused:
            ask()
        one_line(refused)


def test_wrong_watches_leave_the_others(pendulum):
    pendulum.watch("double", "2*point.tip.x", "m")
    with pytest.raises(lipkin.InvalidArgument, match="watch: '3\\*'"):
        pendulum.watch("wrong", "3*")
    with pytest.raises(lipkin.InvalidArgument, match="already"):
        pendulum.watch("tip_x", "1")
    assert pendulum["double"] == pytest.approx(2 * pendulum["tip_x"], rel=1e-15)


def test_a_state_that_is_not_finite_stops_the_run(pendulum):
    def spoil(simulation):
        if simulation.t > 0.1:
            simulation.u[1] = np.nan

    pendulum.add_controller(spoil)
    with pytest.raises(lipkin.SimulationError) as stopped:
        pendulum.run(1, every=0.01)
    one_line(stopped)
    assert 5 <= len(stopped.value.trajectory) <= 20
    assert np.isfinite(stopped.value.trajectory["tip_x"]).all()


def test_wrong_values(pendulum):
    for change, expected in [
        (lambda: setattr(pendulum, "q", [1, "a"]), "are no numbers"),
        (lambda: pendulum.push("rod1", force=[1, 2]), "force has 2 values; expected x, y and z"),
        (lambda: pendulum.push("rod1", frame="moon"), "expected world or body"),
        (lambda: pendulum.push("rod1", force=[1, 2, 3], duration=-1), "duration of a push"),
        (lambda: pendulum.set("joint.rod1.damping", -1), "damping"),
        (lambda: pendulum.add_controller(print, period=-1), "period of a controller is -1 s"),
        (lambda: lipkin.Dynamics(pendulum.model).set([1], [1, 2, 3]), "state of 1 coordinates and 3 velocities"),
    ]:
        with pytest.raises(lipkin.Error) as refused:
            change()
        assert expected in one_line(refused)


def test_a_batch_that_was_refused_can_be_shown():
    class Shown(lipkin.Batch):
        def __init__(self, *arguments, **options):
            try:
                super().__init__(*arguments, **options)
            except lipkin.Error:
                repr(self)

    with pytest.raises(AttributeError):
        Shown("four-bar", 0)


def test_kinds_of_exceptions():
    assert issubclass(lipkin.InputError, (lipkin.Error, ValueError))
    assert issubclass(lipkin.SimulationError, RuntimeError)
    with pytest.raises(ValueError):
        lipkin.load("there-is-no-such-scene")


def test_wrong_counts(pendulum):
    with pytest.raises(lipkin.InvalidArgument, match="-1 steps"):
        pendulum.step(-1)
    with pytest.raises(lipkin.InvalidArgument, match="duration is -1"):
        pendulum.run(-1)
    with pytest.raises(lipkin.InvalidArgument, match="a batch of 0 copies"):
        lipkin.Batch("chain", 0)
    with pytest.raises(lipkin.InvalidArgument, match="euler needs a step above 0"):
        lipkin.Batch("chain", 4, dt=0)
    with pytest.raises(lipkin.InvalidArgument, match="dt is 0 s"):
        lipkin.Batch("chain", 4).dt = 0


def test_diagnostics_can_be_pickled():
    with pytest.raises(lipkin.InputError) as refused:
        lipkin.load("there-is-no-such-scene")
    diagnostic = refused.value.diagnostics[0]
    assert pickle.loads(pickle.dumps(diagnostic)) == diagnostic


@pytest.mark.parametrize("kind", ["Simulation", "Session", "Batch", "Scene", "Model", "Dynamics"])
def test_what_no_constructor_made_is_an_exception(kind):
    made = getattr(lipkin, kind)
    empty = made.__new__(made)
    use = {"Simulation": "step", "Session": "step", "Batch": "forward_dynamics", "Dynamics": "bias"}.get(kind)
    with pytest.raises(lipkin.InvalidArgument) as refused:
        getattr(empty, use)() if use else empty.name
    assert "never initialised" in one_line(refused)


@pytest.mark.parametrize("take", [copy.copy, copy.deepcopy, pickle.dumps])
def test_neither_copied_nor_pickled(pendulum, take):
    for whole in (pendulum, pendulum.model, pendulum.save(), lipkin.load("double-pendulum"), lipkin.Batch("chain", 4)):
        with pytest.raises(TypeError) as refused:
            take(whole)
        assert "neither copied nor pickled" in one_line(refused)


def _block(first_vertex: int, x: float) -> str:
    """A unit cube at x, as lines of an OBJ file."""
    corners = "".join(f"v {x + i} {j} {k}\n" for i in (0, 1) for j in (0, 1) for k in (0, 1))
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners + "".join("f " + " ".join(str(first_vertex + i) for i in quad) + "\n" for quad in quads)


@pytest.fixture
def two_blocks(tmp_path):
    """A robot of one link whose mesh is two cubes apart from each other."""
    (tmp_path / "blocks.obj").write_text(_block(1, 0) + _block(9, 3))
    mesh = '<geometry><mesh filename="blocks.obj"/></geometry>'
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path = tmp_path / "blocks.urdf"
    path.write_text(f'<robot name="r"><link name="l">{inertial}<collision>{mesh}</collision></link></robot>')
    return path


def _hull_notes(scene):
    return [note for note in scene.report if "hull" in str(note)]


def test_hulls_of_a_mesh_can_be_limited(two_blocks):
    several = lipkin.load(two_blocks, mesh_contact="decompose")
    one = lipkin.load(two_blocks, mesh_contact="decompose", mesh_hulls=1)
    assert "2 convex hulls" in str(_hull_notes(several)[0])
    assert "its convex hull" in str(_hull_notes(one)[0])


@pytest.mark.parametrize(
    "options, says",
    [
        ({"mesh_hulls": 4}, "need mesh_contact"),
        ({"mesh_contact": "decompose", "mesh_hulls": 0}, "is 0: expected 1 to 128"),
        ({"mesh_contact": "decompose", "mesh_tolerance": -1.0}, "is -1: expected above 0"),
        ({"mesh_contact": "decompose", "mesh_tolerance": math.nan}, "expected above 0"),
    ],
)
def test_wrong_choices_for_hulls(two_blocks, options, says):
    with pytest.raises(lipkin.InvalidArgument) as refused:
        lipkin.load(two_blocks, **options)
    assert says in one_line(refused)
