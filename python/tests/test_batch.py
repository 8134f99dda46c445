"""Many copies at once."""
import numpy as np
import pytest

import lipkin


def bent(copies, n, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, (copies, n))


def test_copies_move_as_single_simulations():
    n, copies, dt = 7, 13, 1e-3
    batch = lipkin.Batch("chain", copies, set={"n": n})
    batch.q, batch.u, batch.tau = bent(copies, n), 0.1 * bent(copies, n, 2), bent(copies, n, 3)
    batch.step(dt, 50)
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
        batch = lipkin.Batch("chain", 100, threads, set={"n": 5})
        batch.q = bent(100, 5)
        batch.step(1e-3, 20)
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
    batch.step(1e-3)
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
