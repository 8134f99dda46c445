"""Python callables inside the loop."""
import pytest

import lipkin


def test_a_controller_is_called_before_every_step():
    pendulum = lipkin.Simulation("simple-pendulum", stepper="euler", dt=1e-3)
    times = []
    controller = lambda simulation: times.append(simulation.t)  # noqa: E731
    pendulum.add_controller(controller)
    pendulum.step(3)
    pendulum.run(0.002)
    assert times == pytest.approx([0, 0.001, 0.002, 0.003, 0.004], abs=1e-15)
    pendulum.remove_controller(controller)
    pendulum.step(2)
    assert len(times) == 5


@pytest.mark.parametrize("stepper", ["euler", "dopri5"])
def test_a_period_is_kept(stepper):
    pendulum = lipkin.Simulation("simple-pendulum", stepper=stepper, dt=1e-3)
    times = []
    pendulum.add_controller(lambda simulation: times.append(simulation.t), period=0.01)
    pendulum.run(0.1)
    assert times == pytest.approx([0.01 * k for k in range(10)], abs=1e-12)
    pendulum.reset()
    pendulum.run(0.05)
    assert len(times) == 15


def test_held_torque_against_the_closed_form():
    """A torque held constant over each period moves a bar without gravity by the sum of parabolas."""
    period, torques = 0.1, [1.0, -2.0, 0.5, 3.0]
    bar = lipkin.Simulation("simple-pendulum", tolerance=1e-12)
    bar.set("gravity.y", 0)
    given = iter(torques)

    def controller(simulation):
        simulation.tau[0] = next(given)

    bar.add_controller(controller, period=period)
    bar.run(0.4)
    q = u = 0.0
    for torque in torques:
        q += u * period + torque * period**2 / 2
        u += torque * period
    assert bar.q[0] == pytest.approx(q, abs=1e-11)
    assert bar.u[0] == pytest.approx(u, abs=1e-11)


def test_run_and_step_are_driven_alike():
    def driven(advance):
        pendulum = lipkin.Simulation("double-pendulum", stepper="euler", dt=1e-3)

        def controller(simulation):
            simulation.tau[:] = -2 * simulation.u - 3 * simulation.q

        pendulum.add_controller(controller)
        advance(pendulum)
        return pendulum.state_hash

    assert driven(lambda p: p.step(200)) == driven(lambda p: [p.step() for _ in range(200)])


def test_what_a_controller_raises_comes_out():
    pendulum = lipkin.Simulation("double-pendulum", stepper="euler", dt=1e-3)

    def controller(simulation):
        if simulation.step_count == 7:
            raise ZeroDivisionError("mine")

    pendulum.add_controller(controller)
    for advance in (lambda: pendulum.step(20), lambda: pendulum.run(1)):
        pendulum.reset()
        with pytest.raises(ZeroDivisionError, match="mine"):
            advance()
        assert pendulum.step_count == 7


def test_a_controller_cannot_step():
    pendulum = lipkin.Simulation("double-pendulum")
    for wrong in (lambda s: s.step(), lambda s: s.run(1), lambda s: s.reset(), lambda s: s.restore(saved)):
        saved = pendulum.save()
        pendulum.add_controller(wrong)
        with pytest.raises(lipkin.InvalidArgument, match="cannot be done from a controller"):
            pendulum.run(0.1)
        pendulum.remove_controller(wrong)
    pendulum.step()


def test_any_parameter_at_any_step():
    """Gravity switched off and on again: the speed of a body that falls from rest counts the time it was on."""
    stone = lipkin.Simulation(
        {"bodies": [{"name": "stone", "joint": {"type": "free"}, "mass": 1, "inertia": [1, 1, 1]}]},
        stepper="euler", dt=1e-3,
    )  # fmt: skip
    stone.add_controller(lambda s: s.set("gravity.z", -10.0 if s.step_count % 2 else 0.0))
    stone.step(1000)
    # Half the steps are taken under 10 m/s^2.
    assert stone.body("stone").velocity[2] == pytest.approx(-5, rel=1e-12)


def test_timed_changes():
    pendulum = lipkin.Simulation("simple-pendulum", stepper="rk4", dt=1e-2)
    pendulum.set("gravity.y", 0, at=0)
    pendulum.set("gravity.y", -5, at=0.5)
    pendulum.run(0.5)
    assert pendulum.u[0] == 0
    pendulum.step()
    assert pendulum.u[0] != 0


ARM = """<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>
<body><joint name='b' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>
<actuator><position name='servo' joint='a' kp='100' kv='20' gear='2'/><motor name='push' joint='b' gear='3'/></actuator>
<keyframe><key ctrl='0.5 0'/></keyframe></mujoco>"""


def test_controls_are_those_of_the_file_in_its_order(tmp_path):
    """Servos and motors alike, as MuJoCo's ctrl: kp (ctrl - gear q) is at rest where q = ctrl / gear."""
    file = tmp_path / "arm.xml"
    file.write_text(ARM)
    arm = lipkin.Simulation(file, stepper="euler", dt=1e-3)
    assert arm.model.control_names == ["servo", "push"]
    arm.run(3)
    assert arm.q[0] == pytest.approx(0.25, abs=1e-6)
    arm.control[:] = [-0.6, 0.4]
    arm.run(3)
    assert arm.q[0] == pytest.approx(-0.3, abs=1e-6)
    assert arm.u[1] == pytest.approx(0.4 * 3 / 2 * 3, abs=1e-9)
    arm.set("control.servo", 0.2)
    arm.set("control.push", 0)
    arm.run(3)
    assert arm.q[0] == pytest.approx(0.1, abs=1e-6)
    assert arm.u[1] == pytest.approx(0.4 * 3 / 2 * 3, abs=1e-9)
    arm.reset()
    arm.run(3)
    assert arm.q[0] == pytest.approx(0.25, abs=1e-6)


def test_an_environment_acts_by_every_control(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(ARM)
    environment = lipkin.Environment(file, stepper="euler", dt=1e-3, steps=3000)
    environment.reset()
    observation, *_ = environment.step([-0.6, 0.4])
    assert observation[0] == pytest.approx(-0.3, abs=1e-6)


# Of a simulation that goes back to a saved state, of a session along its timeline.
def test_controllers_with_a_period_go_on_after_going_back():
    times = []

    def called_from(t):
        return [round(time, 9) for time in times if time >= t - 1e-9]

    pendulum = lipkin.Simulation("double-pendulum", stepper="euler", dt=1e-3)
    start = pendulum.save()
    pendulum.add_controller(lambda s: times.append(s.t), period=0.1)
    pendulum.run(0.25, record=False)
    middle = pendulum.save()
    for saved, expected in ((start, [0, 0.1, 0.2]), (middle, [0.3, 0.4]), (start, [0, 0.1, 0.2])):
        times.clear()
        pendulum.restore(saved)
        pendulum.run(0.25, record=False)
        assert called_from(0) == expected

    session = lipkin.Session("double-pendulum", stepper="euler", dt=1e-3)
    session.run(0.05, record=False)
    session.add_controller(lambda s: times.append(s.t), period=0.1)
    session.run(0.5, record=False)
    times.clear()
    session.seek(0.2)
    session.run(0.2, record=False)
    assert called_from(0) == [0.25, 0.35]
    times.clear()
    session.seek(0.01)  # before there was one
    session.run(0.15, record=False)
    assert called_from(0) == [0.01, 0.11]
    times.clear()
    session.command("seek", at=session.t + 0.01, t=0.01)
    session.run(0.2, record=False)
    assert called_from(0)[-1] > 0
