"""Python and the command line: the same bits, the same words."""
import json
import os
import subprocess

import pytest

import lipkin

PROGRAM = os.environ.get("LIPKIN_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="LIPKIN_PROGRAM does not name the program")


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize(
    "scene, options, words",
    [
        ("double-pendulum", {}, []),
        ("simple-pendulum", {"tolerance": 1e-9}, ["--tolerance", "1e-9"]),
        ("four-bar", {"stepper": "moreau"}, ["--stepper", "moreau"]),
        ("peaucellier", {"coordinates": "maximal"}, ["--coordinates", "maximal"]),
        ("chain", {"set": {"n": 12}, "stepper": "euler", "dt": 1e-3},
         ["--set", "n=12", "--stepper", "euler", "--dt", "1e-3"]),
        ("bouncing-ball", {}, []),
        ("box-stack", {"solver": "impulses", "stabilization": "split"},
         ["--solver", "impulses", "--stabilization", "split"]),
    ],
)  # fmt: skip
def test_same_bits_as_the_program(scene, options, words):
    simulation = lipkin.Simulation(scene, **options)
    run = simulation.run(0.5)
    told = json.loads(program("run", scene, "--duration", "0.5", "--json", *words).stdout)
    assert simulation.state_hash == told["state_hash"]
    assert simulation.step_count == told["steps"]
    for name, values in told["outputs"].items():
        assert simulation[name] == values["final"]
        assert run[name][-1] == values["final"]


def test_steps_one_by_one_are_those_of_a_run():
    stepped, run = lipkin.Simulation("double-pendulum"), lipkin.Simulation("double-pendulum")
    dt = run.options["dt"]
    run.run(100 * dt, record=False)
    for _ in range(100):
        stepped.step()
    if run.step_count == 100:
        assert stepped.state_hash == run.state_hash
    again = lipkin.Simulation("double-pendulum")
    again.step(100)
    assert again.state_hash == stepped.state_hash


BAD = """lipkin: 1
name: bad
bodies:
  - name: bar
    joint: {type: revolut, axis: z}
    mas: 1
"""


def test_same_lines_for_a_wrong_scene(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(BAD)
    with pytest.raises(lipkin.InputError) as refused:
        lipkin.load(path)
    told = program("run", str(path))
    assert told.returncode == 2
    assert str(refused.value) == told.stderr.rstrip("\n")
    lines = [diagnostic.line for diagnostic in refused.value.diagnostics]
    assert lines and set(lines) <= {4, 5, 6}
    assert all(diagnostic.file == str(path) for diagnostic in refused.value.diagnostics)


@pytest.mark.parametrize("name", ["no-such.yaml", "double-pendulm", "no/robot.urdf"])
def test_same_line_for_what_is_not_there(name):
    with pytest.raises(lipkin.InputError) as refused:
        lipkin.Simulation(name)
    assert str(refused.value) == program("run", name).stderr.rstrip("\n")


def test_same_line_for_a_wrong_parameter():
    with pytest.raises(lipkin.InputError) as refused:
        lipkin.Simulation("double-pendulum", set={"lenght": 2})
    assert str(refused.value) == program("run", "double-pendulum", "--set", "lenght=2").stderr.rstrip("\n")
