"""Closed forms, seen from Python."""
import math

import numpy as np
import pytest

import lipkin

G = 9.81  # [m/s^2]


def agm(a, b):
    """The arithmetic-geometric mean, which gives complete elliptic integrals: K(k) = pi / (2 agm(1, sqrt(1 - k^2)))."""
    for _ in range(8):  # the digits double each time
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def pendulum_period(length, amplitude):
    return 2 * math.pi * math.sqrt(length / G) / agm(1, math.cos(amplitude / 2))


@pytest.mark.parametrize("length", [0.5, 1.0, 2.3])
def test_pendulum_returns_after_the_period_of_the_elliptic_integral(length):
    pendulum = lipkin.Simulation("simple-pendulum", set={"length": length})
    start = pendulum.q.copy()
    pendulum.run(pendulum_period(length, math.pi / 2))
    # The scene's tolerance of 1e-14 leaves some 1e-11; at the turning point u is g/l times the error of the period.
    assert pendulum.q == pytest.approx(start, abs=1e-10)
    assert pendulum.u == pytest.approx([0], abs=1e-9)


def test_small_swings_of_a_written_state():
    pendulum = lipkin.Simulation("simple-pendulum")
    hanging = math.pi / 2  # the bar points along -x at q = 0
    amplitude = 0.1
    pendulum.q[0] = hanging + amplitude
    pendulum.run(pendulum_period(1, amplitude) / 2)
    assert pendulum.q[0] == pytest.approx(hanging - amplitude, abs=1e-9)


def test_energy_is_what_the_closed_form_says():
    pendulum = lipkin.Simulation("simple-pendulum")
    pendulum.q[0] = 0.4
    pendulum.u[0] = 1.5
    assert pendulum.energy.kinetic == pytest.approx(0.5 * 1.5**2, rel=1e-14)
    assert pendulum.energy.gravitational == pytest.approx(-G * math.sin(0.4), rel=1e-14)
    assert pendulum["energy"] == pytest.approx(pendulum.energy.total, rel=1e-15)


def test_rk4_is_of_fourth_order():
    period = pendulum_period(1, math.pi / 2)

    def error(steps):
        pendulum = lipkin.Simulation("simple-pendulum", stepper="rk4", dt=period / steps)
        pendulum.step(steps)
        return abs(pendulum.u[0])

    # 2^4, with room for the next term of the expansion.
    assert error(200) / error(400) == pytest.approx(16, rel=0.15)


def test_free_fall_of_applied_force():
    # A constant torque on a bar that does not feel gravity: q = tau t^2 / (2 m l^2).
    bar = lipkin.Simulation("simple-pendulum", stepper="rk4", dt=1e-2)
    bar.set("gravity.y", 0)
    bar.tau[0] = 0.7
    bar.step(100)
    assert bar.q[0] == pytest.approx(0.35, rel=1e-12)
    assert bar.u[0] == pytest.approx(0.7, rel=1e-12)


def test_dynamics_of_a_pendulum():
    model = lipkin.load("simple-pendulum", set={"mass": 2, "length": 0.5}).model
    dynamics = lipkin.Dynamics(model)
    dynamics.set([0.3], [0.8])
    inertia = 2 * 0.5**2
    torque = 2 * G * 0.5 * math.cos(0.3)
    assert dynamics.mass_matrix() == pytest.approx(np.array([[inertia]]), rel=1e-14)
    assert dynamics.accelerations() == pytest.approx([torque / inertia], rel=1e-13)
    assert dynamics.inverse_dynamics([0]) == pytest.approx([-torque], rel=1e-13)
    assert dynamics.point_jacobian("bar", [-0.5, 0, 0])[:, 0] == pytest.approx(
        [0.5 * math.sin(0.3), -0.5 * math.cos(0.3), 0], abs=1e-15
    )


def test_push_gives_its_impulse():
    # 3 N on 2 kg for 0.2 s, no gravity: 0.3 m/s.
    body = {"name": "stone", "joint": {"type": "free"}, "mass": 2, "inertia": [1, 1, 1]}
    stone = lipkin.Simulation({"bodies": [body], "gravity": [0, 0, 0]}, dt=1e-3)
    stone.push("stone", force=[0, 3, 0], duration=0.2)
    stone.run(0.5)
    assert stone.body("stone").velocity == pytest.approx([0, 0.3, 0], rel=1e-9, abs=1e-15)


def test_dynamics_of_loops_are_refused():
    model = lipkin.load("four-bar").model
    dynamics = lipkin.Dynamics(model)
    with pytest.raises(lipkin.InvalidArgument, match="closed loops"):
        dynamics.mass_matrix()
    assert np.isfinite(lipkin.Dynamics(model, open_loops=True).accelerations()).all()
