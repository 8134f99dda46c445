"""Views of the state: no copies, written values count, memory that outlives everything."""
import gc
import weakref

import numpy as np
import pytest

import lipkin


def test_views_show_the_state_itself():
    pendulum = lipkin.Simulation("double-pendulum")
    q = pendulum.q
    assert np.shares_memory(q, pendulum.q)
    assert pendulum.q is q
    before = q.copy()
    pendulum.step(10)
    assert not np.array_equal(q, before)
    assert np.array_equal(q, pendulum.save().q)


def test_parts_are_views_too():
    pendulum = lipkin.Simulation("double-pendulum")
    name = pendulum.model.joint_names[1]
    joint = pendulum.joint(name)
    assert np.shares_memory(joint.q, pendulum.q)
    assert np.array_equal(joint.q, pendulum.q[1:2])
    joint.u = 2.5
    assert pendulum.u[1] == 2.5
    assert pendulum.joint(1).name == name
    assert pendulum.joint(-0).index == 0


def test_views_stay_over_reset_and_restore():
    pendulum = lipkin.Simulation("double-pendulum")
    q, u, start = pendulum.q, pendulum.u, pendulum.q.copy()
    saved = pendulum.save()
    pendulum.step(5)
    pendulum.reset()
    assert np.array_equal(q, start) and np.shares_memory(q, pendulum.q)
    pendulum.step(5)
    pendulum.restore(saved)
    assert np.array_equal(q, start) and np.shares_memory(u, pendulum.u)


def test_views_of_other_coordinates_keep_their_memory():
    linkage = lipkin.Simulation("four-bar")
    old = linkage.q
    expected = old.copy()
    for _ in range(20):
        linkage.set_options(coordinates="maximal")
        assert linkage.q.size == 7 * linkage.model.body_count
        assert np.array_equal(old, expected)
        linkage.set_options(coordinates="generalized")
        # A closed loop is put together again from poses.
        assert linkage.q == pytest.approx(expected, abs=1e-9)
        assert np.shares_memory(old, linkage.q)
        expected = old.copy()


def test_view_outlives_the_simulation():
    views = [lipkin.Simulation("double-pendulum").q for _ in range(10)]
    expected = lipkin.Simulation("double-pendulum").q.copy()
    gc.collect()
    junk = [np.full(2, 7.0) for _ in range(1000)]
    for view in views:
        assert np.array_equal(view, expected)
        view[:] = 3
    del junk


def test_views_of_a_batch_outlive_it():
    lanes = lipkin.Batch("chain", 10, set={"n": 3}).q_lanes
    gc.collect()
    lanes[:] = 1
    assert (lanes == 1).all()


def test_a_controller_that_knows_its_simulation_does_not_keep_it():
    pendulum = lipkin.Simulation("double-pendulum")
    pendulum.add_controller(lambda _: pendulum.t)
    gone = weakref.ref(pendulum)
    del pendulum
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("stepper", ["euler", "moreau", "rk4", "dopri5", "adams"])
def test_written_state_is_where_it_goes_on_from(stepper):
    """Steppers remember the end of the last step; a written state must not be stepped from what they remember."""
    try:
        written = lipkin.Simulation("double-pendulum", stepper=stepper, dt=1e-3, tolerance=1e-12)
    except lipkin.InvalidArgument as missing:
        pytest.skip(str(missing))
    written.run(0.1)
    written.q[:] = [0.3, -0.4]
    written.u = [0.5, 1.0]
    fresh = lipkin.Simulation("double-pendulum", stepper=stepper, dt=1e-3, tolerance=1e-12)
    fresh.q[:] = [0.3, -0.4]
    fresh.u[:] = [0.5, 1.0]
    written.run(0.1)
    fresh.run(0.1)
    # Other sizes of first steps, within the tolerance; times that are sums of steps, within rounding.
    assert written.q == pytest.approx(fresh.q, abs=1e-9)


def test_outputs_follow_what_is_written():
    pendulum = lipkin.Simulation("simple-pendulum")
    pendulum.q[0] = 0
    assert pendulum["x"] == pytest.approx(-1, abs=1e-15)
    pendulum.q[0] = np.pi / 2
    assert pendulum["y"] == pytest.approx(-1, abs=1e-15)


def test_written_quaternions_become_unit():
    top = lipkin.Simulation("torque-free-top")
    quaternion = top.q[-4:]
    expected = quaternion.copy()
    quaternion *= 3
    top.step()
    top.reset()
    assert np.array_equal(quaternion, expected)
    quaternion *= 2
    assert top.body_poses[0, 3:] == pytest.approx(expected, abs=1e-15)
    assert np.linalg.norm(quaternion) == pytest.approx(1, abs=1e-15)
    quaternion[:] = 0
    with pytest.raises(lipkin.InvalidArgument, match="quaternion of length zero"):
        top.step()


def test_restored_state_goes_on_bit_for_bit():
    for scene in ["double-pendulum", "four-bar", "bouncing-ball"]:
        simulation = lipkin.Simulation(scene)
        simulation.step(20)
        saved = simulation.save()
        simulation.step(30)
        end = simulation.state_hash
        simulation.restore(saved)
        assert simulation.state_hash == saved.state_hash
        simulation.step(30)
        assert simulation.state_hash == end


def test_a_saved_state_has_its_options_and_pending_commands():
    pendulum = lipkin.Simulation("double-pendulum", stepper="euler", dt=1e-3)
    pendulum.set("gravity.x", 1, at=0.02)
    pendulum.set("gravity.x", 2, at=0.5)
    pendulum.run(0.1)
    saved = pendulum.save()
    pendulum.run(0.6)
    end = pendulum.state_hash
    changes = (
        lambda: pendulum.set_options(dt=2e-3, stepper="moreau"),
        lambda: pendulum.set_options(coordinates="maximal"),
        pendulum.reset,
        lambda: pendulum.set("gravity.y", -1, at=pendulum.t + 0.01),
    )
    for change in changes:
        change()
        pendulum.restore(saved)
        assert pendulum.state_hash == saved.state_hash
        assert pendulum.options["dt"] == 1e-3 and pendulum.options["coordinates"] == "generalized"
        pendulum.run(0.6)
        assert pendulum.state_hash == end


def test_state_of_another_model_is_refused():
    saved = lipkin.Simulation("four-bar", coordinates="maximal").save()
    pendulum = lipkin.Simulation("double-pendulum")
    with pytest.raises(lipkin.InvalidArgument, match="belongs to another model"):
        pendulum.restore(saved)
    assert pendulum.options["coordinates"] == "generalized"


def test_wrong_sizes_are_refused():
    pendulum = lipkin.Simulation("double-pendulum")
    with pytest.raises(lipkin.InvalidArgument, match="3 values are given; expected 2"):
        pendulum.q = [1, 2, 3]


def test_misspelled_attributes_are_refused():
    pendulum = lipkin.Simulation("double-pendulum")
    with pytest.raises(AttributeError):
        pendulum.dt_typo = 1e-3
