"""Gymnasium's API without Gymnasium."""
import numpy as np
import pytest

import lipkin


@pytest.fixture
def env():
    return lipkin.Environment(
        "double-pendulum", stepper="euler", dt=1e-3, act=["joint.rod1"], action_bound=5, steps=10, time_limit=0.1,
        reward=lambda env: env.simulation["tip_y"], terminated=lambda env: env.simulation["tip_y"] < -1.9, noise=0.1,
    )  # fmt: skip


def test_five_values(env):
    observation, info = env.reset(seed=3)
    assert observation.shape == env.observation_space.shape == (4,) and info["t"] == 0
    result = env.step(env.action_space.sample())
    assert len(result) == 5
    observation, reward, terminated, truncated, info = result
    assert observation in env.observation_space
    assert isinstance(reward, float) and terminated is False and truncated is False
    assert info["step"] == 10 and info["t"] == pytest.approx(0.01)


def test_observations_are_copies(env):
    first, _ = env.reset(seed=1)
    kept = first.copy()
    env.step([1.0])
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, env.simulation.q)


def test_seeds_repeat(env):
    def episode(seed):
        observation, _ = env.reset(seed=seed)
        seen = [observation]
        for _ in range(5):
            seen.append(env.step([0.5])[0])
        return np.array(seen)

    assert np.array_equal(episode(7), episode(7))
    assert not np.array_equal(episode(7), episode(8))


def test_truncated_at_the_time_limit(env):
    env.reset(seed=0)
    for _ in range(9):
        assert env.step([0.0])[3] is False
    assert env.step([0.0])[3] is True


def test_terminated(env):
    env.reset(seed=0)
    env.simulation.q[:] = [-np.pi / 2, 0]  # hanging
    assert env.step([0.0])[2] is True


def test_actions_are_torques_within_bounds():
    bar = lipkin.Environment("simple-pendulum", stepper="rk4", dt=1e-2, act=["joint.bar"], action_bound=2, steps=10)
    bar.reset()
    bar.simulation.set("gravity.y", 0)
    observation, *_ = bar.step([100.0])  # held to 2 N m on 1 kg m^2 for 0.1 s
    assert observation == pytest.approx([0.01, 0.2], rel=1e-12)
    with pytest.raises(lipkin.InvalidArgument, match="an action of shape"):
        bar.step([1.0, 2.0])


def test_actuators_and_expressions():
    env = lipkin.Environment("andrews-squeezer", observe=["joint.beta.q", "energy.kinetic"], steps=2)
    names = env.simulation.model.actuator_names
    assert env.action_space.shape == (len(names),)
    observation, _ = env.reset()
    assert observation.shape == (2,)
    env.step(np.zeros(len(names)))
    assert not np.isnan(env.simulation.control).any()
    observation, _ = env.reset()
    assert np.isnan(env.simulation.control).all()  # each follows its own signal again


def test_subclass():
    class Swing(lipkin.Environment):
        def prepare(self, options):
            self.simulation.q[:] = options.get("q", 0.2)

        def reward(self):
            return 7.0

    env = Swing("double-pendulum", act=["joint.rod1"])
    observation, _ = env.reset(options={"q": 0.4})
    assert observation[:2] == pytest.approx([0.4, 0.4])
    assert env.step([0.0])[1] == 7.0
    with pytest.raises(lipkin.InvalidArgument, match="act: 'rod1'"):
        lipkin.Environment("double-pendulum", act=["rod1"])


def test_box():
    box = lipkin.Box([-1, 0], [1, np.inf])
    box.seed(1)
    for _ in range(20):
        assert box.sample() in box
    assert [2, 0] not in box and [0] not in box


@pytest.mark.parametrize("stepper", ["euler", "rk4", "dopri5"])
def test_a_period_is_a_period_whatever_the_stepper(stepper):
    env = lipkin.Environment("double-pendulum", stepper=stepper, dt=1e-3, act=["joint.rod1"], period=0.02, time_limit=0.2)
    for _ in range(2):
        env.reset()
        for n in range(1, 11):
            *_, truncated, info = env.step([0.0])
            assert info["t"] == pytest.approx(0.02 * n, abs=1e-12)
            assert truncated is (n == 10)


def test_period_or_steps():
    with pytest.raises(lipkin.InvalidArgument, match="say the same"):
        lipkin.Environment("double-pendulum", steps=5, period=0.01)
    with pytest.raises(lipkin.InvalidArgument, match="a multiple of dt"):
        lipkin.Environment("double-pendulum", stepper="euler", dt=1e-3, period=0.0125)
    with pytest.raises(lipkin.InvalidArgument, match="give a period"):
        lipkin.Environment("double-pendulum", stepper="dopri5", dt=0)
    with pytest.raises(lipkin.InvalidArgument, match="period is -1"):
        lipkin.Environment("double-pendulum", period=-1)
    env = lipkin.Environment("double-pendulum", stepper="dopri5", dt=1e-2, steps=2)
    assert env.period == 0.02


def test_an_action_that_is_no_number_is_refused():
    env = lipkin.Environment("double-pendulum", act=["joint.rod1", "joint.rod2"], action_bound=np.inf, steps=2)
    env.reset(seed=1)
    before = env.simulation.state_hash
    for action in ([0, np.nan], [0.0, np.inf]):
        with pytest.raises(lipkin.InvalidArgument, match="action 1 is (nan|inf); expected a finite number"):
            env.step(action)
    assert env.simulation.state_hash == before
