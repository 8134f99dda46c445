"""Commands: those of the viewer, repeated bit for bit."""
import json
import os
import subprocess

import numpy as np
import pytest

import lipkin

PROGRAM = os.environ.get("LIPKIN_PROGRAM")


def test_a_session_without_commands_is_a_simulation():
    session, simulation = lipkin.Session("four-bar"), lipkin.Simulation("four-bar")
    run = session.run(0.2)
    assert session.state_hash == (simulation.run(0.2), simulation.state_hash)[1]
    assert run.names == simulation.watched_names


def test_its_arrays_cannot_be_written():
    session = lipkin.Session("double-pendulum")
    q = session.q
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1
    for change in (lambda: setattr(session, "q", [0, 0]), lambda: session._set_options({"dt": 1e-3})):
        with pytest.raises(lipkin.InvalidArgument, match="a session changes by commands alone"):
            change()
    with pytest.raises(lipkin.InvalidArgument, match="seek, undo and branches"):
        session.restore(session.save())
    session.step(3)
    assert np.shares_memory(q, session.q) and q[0] != 0


def test_undo_and_redo():
    session = lipkin.Session("double-pendulum", stepper="euler", dt=1e-3)
    session.step(10)
    before = session.state_hash
    answer = session.command("apply_force", body="rod2", force=[0, 5, 0], duration=0.5)
    assert answer["name"] == "force1" and answer.step == 10 and answer.t == pytest.approx(0.01)
    session.step(20)
    after = session.state_hash
    session.undo()
    assert session.state_hash == before
    session.redo()
    session.step(20)
    assert session.state_hash == after
    session.seek(0)
    assert session.t == 0
    session.reset()
    assert session.step_count == 0


def test_views_live_through_changes_of_the_model():
    session = lipkin.Session("four-bar")
    kept = []
    for coordinates in ("maximal", "generalized") * 3:
        kept.append((session.q, session.q.copy()))
        session.set_options(coordinates=coordinates)
        session.step(2)
    session.command("delete_joint", joint=session.model.joint_names[-1])
    session.step(2)
    for view, _ in kept:
        assert np.isfinite(view).all()
    assert np.shares_memory(kept[0][0], kept[2][0])


def test_refused_commands():
    session = lipkin.Session("double-pendulum")
    for cmd, args, expected in [
        ("aply_force", {}, "there is no command 'aply_force'; did you mean 'apply_force'?"),
        ("apply_force", {"body": "rod9", "force": [0, 0, 1]}, "there is no body 'rod9'"),
        ("set", {"path": "gravity.y"}, "value"),
    ]:
        with pytest.raises(lipkin.InvalidArgument) as refused:
            session.command(cmd, **args)
        assert expected in str(refused.value) and "\n" not in str(refused.value)
    with pytest.raises(lipkin.InvalidArgument, match="make a Session instead"):
        lipkin.Simulation("double-pendulum")._command("{}")


def test_commands_ahead():
    session = lipkin.Session("simple-pendulum", stepper="rk4", dt=1e-2)
    session.command("set", path="gravity.y", value=0)
    assert session.command("set", at=0.5, path="gravity.y", value=-5) is None
    session.run(0.5)
    assert session.u[0] == 0
    session.step()
    assert session.u[0] != 0


def test_parameters_of_the_scene():
    session = lipkin.Session("simple-pendulum")
    session.set("parameter.length", 2)
    session.step()
    assert np.hypot(session["x"], session["y"]) == pytest.approx(2, rel=1e-12)


def test_watching():
    session = lipkin.Session("double-pendulum")
    session.watch("reach", "hypot(point.tip.x, point.tip.y)", "m")
    assert session["reach"] == pytest.approx(np.hypot(session["tip_x"], session["tip_y"]))
    assert session.watched_units[-1] == "m"
    with pytest.raises(lipkin.InvalidArgument, match="reachh"):
        session["reachh"]
    run = session.run(0.1, every=0.01)
    assert run["reach"] == pytest.approx(np.hypot(run["tip_x"], run["tip_y"]), abs=1e-14)


def actuated(folder):
    scene = {"name": "driven", "bodies": [{"name": "bar", "joint": {"type": "revolute", "axis": "z"}, "mass": 1,
                                           "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1]}],
             "actuators": [{"name": "drive", "joint": "bar", "control": 0}],
             "experiment": {"stepper": "euler", "dt": 1e-3, "duration": 1}}  # fmt: skip
    path = folder / "driven.yaml"
    path.write_text(json.dumps({"lipkin": 1, **scene}))
    return path


@pytest.mark.skipif(not PROGRAM, reason="LIPKIN_PROGRAM does not name the program")
def test_a_controller_is_part_of_the_recording(tmp_path):
    session = lipkin.Session(actuated(tmp_path))
    session.add_controller(lambda s: s.set_control("drive", 3 - 2 * s.q[0] - s.u[0]), period=0.01)
    with session.record(tmp_path / "driven.mcap"):
        session.run(0.3)
    assert session.q[0] > 0.01
    told = subprocess.run([PROGRAM, "replay", tmp_path / "driven.mcap", "--json"],
                          capture_output=True, text=True)  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert session.state_hash in told.stdout  # the last checkpoint


# Whoever records looks on: rows at intervals, a hand that holds and a last step that is cut are as without.
@pytest.mark.skipif(not PROGRAM, reason="LIPKIN_PROGRAM does not name the program")
@pytest.mark.parametrize("stepper", ["euler", "dopri5"])
def test_recording_changes_no_bit(tmp_path, stepper):
    def work(session):
        first = session.run(0.0503, every=0.01)
        session.command("drag_begin", body="rod2", point=[0, 0, 0], target=[1, 1, 1])
        second = session.run(0.02)
        return session.state_hash, len(first.t), len(second.t)

    session = lipkin.Session("double-pendulum", stepper=stepper, dt=1e-3)
    with session.record(tmp_path / "r.mcap"):
        recorded = work(session)
    assert recorded == work(lipkin.Session("double-pendulum", stepper=stepper, dt=1e-3))
    assert session.t == pytest.approx(0.0703, abs=1e-12)
    told = subprocess.run([PROGRAM, "replay", tmp_path / "r.mcap", "--json"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert recorded[0] in told.stdout


# Steps that are chosen end where a controller is due, in the repetition too.
@pytest.mark.skipif(not PROGRAM, reason="LIPKIN_PROGRAM does not name the program")
def test_controllers_are_called_at_their_times(tmp_path):
    session = lipkin.Session("double-pendulum", stepper="dopri5")
    times = []
    session.add_controller(lambda s: times.append(s.t), period=0.03)
    with session.record(tmp_path / "r.mcap"):
        session.run(0.3)
    assert times[:9] == pytest.approx([0.03 * k for k in range(9)], abs=1e-12)
    told = subprocess.run([PROGRAM, "replay", tmp_path / "r.mcap"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


def test_the_name_of_an_output_is_no_name_for_a_channel():
    session = lipkin.Session("double-pendulum")
    session.run(0.1)
    before = session.watched
    with pytest.raises(lipkin.InvalidArgument, match="'tip_x' is an output of the scene already"):
        session.watch("tip_x", "t")
    assert session.watched == before


# A dictionary has no file of its own, which a recording copies and other parameters read again.
@pytest.mark.skipif(not PROGRAM, reason="LIPKIN_PROGRAM does not name the program")
def test_a_scene_from_a_dictionary_is_recorded_and_has_parameters(tmp_path):
    scene = {"name": "made", "parameters": {"m": 2}, "gravity": [0, 0, -1],
             "materials": {"soft": {"stiffness": 1000}}, "world": {"shapes": [{"plane": {}, "contact": "soft"}]},
             "bodies": [{"name": "ball", "joint": {"type": "free", "q": [0, 0, 0.11, 1, 0, 0, 0]},
                         "shapes": [{"sphere": {"radius": 0.1}, "mass": "m", "contact": "soft"}]}],
             "experiment": {"contact": "regularised", "step": "variable", "dt_max": 0.005, "duration": 1}}  # fmt: skip
    session = lipkin.Session(scene, step="fixed")
    with session.record(tmp_path / "made.mcap"):
        session.set("parameter.m", 3)
        session.run(0.3)
    told = subprocess.run([PROGRAM, "replay", tmp_path / "made.mcap", "--json"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert session.state_hash in told.stdout


def test_timeline_and_scene(tmp_path):
    session = lipkin.Session("double-pendulum")
    session.push("rod1", force=[0, 0, 1], duration=0.1)
    assert session.timeline["branches"][0]["edits"][0]["cmd"] == "apply_force"
    (tmp_path / "edited.yaml").write_text(session.scene_text)
    assert lipkin.load(tmp_path / "edited.yaml").model.body_names == session.model.body_names


def test_a_recording_that_could_not_be_repeated_is_refused(tmp_path):
    session = lipkin.Session("double-pendulum")
    session.step(3)
    path = tmp_path / "r.mcap"
    with pytest.raises(lipkin.InvalidArgument, match="before the first step and the first edit"):
        session.record(path)
    assert not path.exists()
    session.step(3)
