"""What the package is made of: stubs, documentation, versions, scenes and models."""
import ast
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import lipkin
from lipkin import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stub():
    return ast.parse((ROOT / "python/lipkin/_core.pyi").read_text())


def members_of(node):
    return {item.name for item in node.body if isinstance(item, ast.FunctionDef)}


def test_stubs_have_what_the_module_has():
    classes = {node.name: members_of(node) for node in stub().body if isinstance(node, ast.ClassDef)}
    bound = {name: value for name, value in vars(_core).items() if inspect.isclass(value)}
    assert classes.keys() == bound.keys()
    for name, value in bound.items():
        public = {member for member in vars(value) if not member.startswith("__") and not member.startswith("_pybind")}
        assert classes[name] - {"__init__"} == public, name
    functions = {node.name for node in stub().body if isinstance(node, ast.FunctionDef)}
    assert functions == {name for name, value in vars(_core).items() if inspect.isroutine(value)}


def test_types(tmp_path):
    pytest.importorskip("mypy")
    words = ["--strict", "--ignore-missing-imports", "--cache-dir", tmp_path, ROOT / "python/lipkin"]
    checked = subprocess.run([sys.executable, "-m", "mypy", *words], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def public_members():
    for name in lipkin.__all__:
        value = getattr(lipkin, name)
        if not inspect.isclass(value):
            continue
        for member, found in inspect.getmembers(value):
            inherited = any(member in vars(base) for base in (BaseException, dict, tuple, object))
            if not member.startswith("_") and not inherited and (callable(found) or isinstance(found, property)):
                yield f"{name}.{member}", found


def test_everything_public_is_documented():
    trivial = {"index", "seed", "contains", "render", "close", "unwrapped", "restore", "watched_units", "mass", "watched",
               "watched_names"}  # fmt: skip
    bare = [name for name, value in public_members() if not (value.__doc__ or "").strip()]
    assert [name for name in bare if name.split(".")[1] not in trivial] == []
    assert all(getattr(lipkin, name).__doc__ for name in lipkin.__all__)


def test_units_are_told():
    for owner, names in [(lipkin.Simulation, ["t", "q", "u", "tau", "run"]), (lipkin.Batch, ["q", "u", "tau", "t"]),
                         (lipkin.Body, ["position", "velocity"]), (lipkin.Model, ["total_mass"])]:  # fmt: skip
        for name in names:
            assert "[" in getattr(owner, name).__doc__, name


def test_versions_agree():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{lipkin.__version__}"' in text


def test_every_scene_can_be_opened():
    known = lipkin.scenes()
    assert {"double-pendulum", "peaucellier", "grasp"} <= known.keys()
    for name in known:
        scene = lipkin.load(name)
        assert scene.name == name
        assert scene.model.total_mass > 0 or scene.model.body_count == 0


def test_urdf():
    scene = lipkin.load(ROOT / "tests/data/urdf/every_feature.urdf", base="floating")
    assert scene.format == "URDF"
    assert "tags honoured" in scene.report_summary
    assert {treatment for _, treatment, _, _, _ in scene.report} <= {"honoured", "approximated", "ignored"}
    assert all(count >= len(lines) > 0 for _, _, _, count, lines in scene.report)
    fixed = lipkin.load(ROOT / "tests/data/urdf/every_feature.urdf")
    assert scene.model.u_count == fixed.model.u_count + 6
    robot = lipkin.Simulation(scene, dt=1e-3)
    robot.step(10)
    assert np.isfinite(robot.q).all()


def test_mjcf():
    scene = lipkin.load(ROOT / "tests/data/mjcf/every_feature.xml")
    assert scene.format == "MJCF"
    robot = lipkin.Simulation(scene)
    robot.step(10)
    assert np.isfinite(robot.q).all()


def test_scene_from_a_dictionary():
    body = {"name": "bar", "joint": {"type": "revolute", "axis": "x"}, "mass": 2, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.1]}
    bar = lipkin.Simulation({"name": "bar", "bodies": [body], "outputs": {"angle": "joint.bar.q"}}, dt=1e-3, duration=0.1)
    assert bar.model.total_mass == 2
    bar.q = 0.3
    assert bar.run()["angle"][0] == 0.3
    with pytest.raises(lipkin.InputError, match="mas"):
        lipkin.load({"bodies": [{**body, "mas": 1}]})


def test_parameters_and_names():
    scene = lipkin.load("chain", set={"n": 3, "mass": 2.5})
    assert dict((name, value) for name, value, _, _ in scene.model.parameters)["mass"] == 2.5
    assert scene.model.body_names == ["link1", "link2", "link3"]
    assert scene.model.total_mass == pytest.approx(7.5)
    assert scene.model.joint_index("link2") == 1
    assert scene.model.joint_q(1) == slice(1, 2, 1)
    assert scene.model.joint_type(0) == "revolute"
    assert scene.model.output_units[0] == "m"


def test_trajectory(tmp_path):
    pendulum = lipkin.Simulation("double-pendulum")
    pendulum.watch("reach", "hypot(point.tip.x, point.tip.y)", "m")
    run = pendulum.run(0.5, every=0.05)
    assert len(run) == 11 and run.values.shape == (11, len(run.names))
    assert run.t == pytest.approx(np.linspace(0, 0.5, 11), abs=1e-12)
    assert run["reach"] == pytest.approx(np.hypot(run["tip_x"], run["tip_y"]), abs=1e-14)
    assert run.label("tip_x") == "tip_x [m]" and "reach" in run and "nothing" not in run
    assert np.shares_memory(run["tip_x"], run.values)
    run.write_csv(tmp_path / "run.csv")
    back = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    assert np.array_equal(back[:, 1:], run.values)


def test_plot(tmp_path):
    run = lipkin.Simulation("double-pendulum").run(0.2)
    pytest.importorskip("matplotlib")
    figure = run.plot("tip_x", "tip_y", "energy", path=tmp_path / "a.png")
    assert len(figure.axes) == 2  # one panel per unit
    assert (tmp_path / "a.png").stat().st_size > 1000
    path = lipkin.plot({"one": run, "two": run}, "tip_y", x="tip_x")
    assert path.axes[0].get_xlabel() == "tip_x [m]"
    assert len(path.axes[0].lines) == 2


def test_options_can_be_changed_on_the_way():
    pendulum = lipkin.Simulation("double-pendulum", stepper="euler", dt=1e-3)
    pendulum.step(5)
    pendulum.set_options(stepper="rk4", dt=5e-4)
    assert pendulum.options["stepper"] == "rk4" and pendulum.options["dt"] == 5e-4
    t = pendulum.t
    pendulum.step()
    assert pendulum.t == pytest.approx(t + 5e-4, rel=1e-12)
    with pytest.raises(lipkin.InvalidArgument, match="there is no option 'stepr'"):
        pendulum.set_options(stepr="rk4")


@pytest.mark.parametrize(
    "refused",
    [
        {"dt": 0.02, "solver": "zz"},
        {"dt": 0.02, "tolerance": -1},
        {"dt": 0.02, "dt_min": 3},
        {"coordinates": "maximal", "dt": -2},
        {"dt": 0.02, "stepper": "rk4", "coordinates": "maximal"},
    ],
)
def test_options_are_changed_all_or_none(refused):
    pendulum = lipkin.Simulation("double-pendulum", stepper="rk4", dt=1e-3)
    pendulum.step(5)
    before = pendulum.options
    with pytest.raises(lipkin.Error):
        pendulum.set_options(**refused)
    assert pendulum.options == before
    other = lipkin.Simulation("double-pendulum", stepper="rk4", dt=1e-3)
    other.step(5)
    pendulum.step(10)
    other.step(10)
    assert pendulum.state_hash == other.state_hash
