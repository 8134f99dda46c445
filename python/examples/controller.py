#!/usr/bin/env python3
"""A controller in the loop: computed torques swing a double pendulum up and hold it there.

The controller is a Python function that is called every millisecond, between two steps.
"""
import numpy as np

import lipkin


def main():
    pendulum = lipkin.Simulation("double-pendulum", stepper="rk4", dt=1e-3)
    dynamics = lipkin.Dynamics(pendulum.model)
    upright = np.array([np.pi / 2, 0.0])
    stiffness, damping = 25.0, 10.0  # of the error's motion: two equal time constants of 0.2 s

    def controller(now):
        dynamics.set(now.q, now.u)
        wanted = stiffness * (upright - now.q) - damping * now.u
        now.tau[:] = dynamics.inverse_dynamics(wanted)

    pendulum.add_controller(controller, period=1e-3)
    pendulum.watch("error", f"hypot(joint.rod1.q - {np.pi / 2!r}, joint.rod2.q)", "rad")
    run = pendulum.run(4, every=0.1)
    for t, error in list(zip(run.t, run["error"]))[::5]:
        print(f"{t:4.1f} s  {error:.2e} rad from upright")
    # (1 + 5 t) exp(-5 t) of the first error, times what holding the torque for a millisecond costs.
    assert run["error"][-1] < 1e-5


if __name__ == "__main__":
    main()
