"""Many copies at once."""
import numpy as np
import pytest

import lipkin


def bent(copies, n, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, (copies, n))


def test_copies_move_as_single_simulations():
    n, copies, dt = 7, 13, 1e-3
    batch = lipkin.Batch("chain", copies, set={"n": n}, dt=dt)
    batch.q, batch.u, batch.tau = bent(copies, n), 0.1 * bent(copies, n, 2), bent(copies, n, 3)
    batch.step(50)
    for copy in (0, 6, 12):
        single = lipkin.Simulation("chain", set={"n": n}, stepper="euler", dt=dt)
        single.q, single.u, single.tau = bent(copies, n)[copy], 0.1 * bent(copies, n, 2)[copy], bent(copies, n, 3)[copy]
        single.step(50)
        # The same formulas by other kernels: rounding, grown over 50 steps.
        assert batch.q[copy] == pytest.approx(single.q, abs=1e-10)
    assert batch.t == pytest.approx(50 * dt, rel=1e-12)


def test_threads_do_not_matter():
    ends = []
    for threads in (1, 2, 3):
        batch = lipkin.Batch("chain", 100, threads, set={"n": 5}, dt=1e-3)
        batch.q = bent(100, 5)
        batch.step(20)
        ends.append(batch.q)
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])


def test_lanes_show_the_memory():
    batch = lipkin.Batch("chain", 11, set={"n": 4})
    batch.q = np.arange(44.0).reshape(11, 4)
    lanes = batch.q_lanes
    assert np.shares_memory(lanes, batch.q_lanes)
    assert not np.shares_memory(lanes, batch.q)
    for copy in range(11):
        place = divmod(copy, batch.lane_count)
        assert np.array_equal(lanes[place], batch.q[copy])
    lanes[0, 0, 3] = -5
    assert batch.q[0, 3] == -5
    before = lanes.copy()
    batch.step()
    assert not np.array_equal(before, lanes)
    assert not batch.acceleration_lanes.flags.writeable


def test_accelerations_by_another_way():
    n = 6
    batch = lipkin.Batch("chain", 3, set={"n": n})
    batch.q, batch.u, batch.tau = bent(3, n), bent(3, n, 2), bent(3, n, 3)
    batch.forward_dynamics()
    dynamics = lipkin.Dynamics(batch.model)
    for copy in range(3):
        dynamics.set(batch.q[copy], batch.u[copy])
        # M a + h = tau by composite bodies and Newton-Euler, against the articulated bodies of the batch.
        residual = dynamics.mass_matrix() @ batch.acceleration[copy] + dynamics.bias() - batch.tau[copy]
        assert residual == pytest.approx(np.zeros(n), abs=1e-9)


def test_one_row_for_all():
    batch = lipkin.Batch("chain", 9, set={"n": 2})
    batch.q = [0.5, -0.5]
    assert (batch.q == [0.5, -0.5]).all()
    with pytest.raises(ValueError):
        batch.q = np.zeros((9, 3))


def test_step_means_what_it_means_for_a_simulation():
    single = lipkin.Simulation("four-bar", stepper="euler", dt=2e-3)
    batch = lipkin.Batch("four-bar", 3, dt=2e-3)
    single.step(10)
    batch.step(10)
    assert batch.t == single.t and batch.dt == 2e-3
    for copy in range(3):
        assert np.array_equal(batch.q[copy], single.q) and np.array_equal(batch.u[copy], single.u)
    for wrong in [(1e-3,), (1e-3, 5), (True,), (2, 3)]:
        with pytest.raises(lipkin.InvalidArgument, match="a whole number of steps; their size is the batch's dt, 0.002 s"):
            batch.step(*wrong)
    with pytest.raises(lipkin.InvalidArgument, match="-1 steps"):
        batch.step(-1)
    assert lipkin.Batch("chain", 2).dt == lipkin.load("chain").options["dt"]


def test_what_is_refused_is_named():
    with pytest.raises(lipkin.InvalidArgument, match="no option 'stepper'"):
        lipkin.Batch("chain", 2, stepper="rk4")
    with pytest.raises(lipkin.InvalidArgument, match="'set' is for scenes"):
        lipkin.Batch(lipkin.load("chain").model, 2, set={})
    assert lipkin.Batch("four-bar", 2).kept_out_of_lanes[0] == "2 loops"
    assert lipkin.Batch("chain", 2).kept_out_of_lanes == []


@pytest.mark.parametrize("scene", ["chain", "four-bar"])
def test_not_finite(scene):
    batch = lipkin.Batch(scene, 9, dt=1e-3)
    before = batch.q
    tau = batch.tau
    tau[6, 0] = np.nan
    batch.tau = tau
    with pytest.raises(lipkin.InvalidArgument, match=r"copy 6: tau\[0\] is not a finite number"):
        batch.step(4)
    tau[6, 0] = 1e308
    batch.tau = tau
    with pytest.raises(lipkin.SimulationError, match="copy 6: at t = 0"):
        batch.step(4)
    assert np.array_equal(batch.q, before) and batch.t == 0
