#!/usr/bin/env python3
"""A thousand arms at once: 1024 chains of seven joints, each driven to a posture of its own by NumPy."""
import time

import numpy as np

import lipkin


def main(copies=1024, seconds=2.0, dt=1e-3, steps_per_control=5):
    arms = lipkin.Batch("chain", copies, set={"n": 7, "damping": 600}, dt=dt)  # [N m s/rad], taken implicitly
    rng = np.random.default_rng(7)
    arms.q = rng.uniform(-0.5, 0.5, (copies, 7))
    wanted = np.zeros_like(arms.q_lanes)
    wanted[:] = rng.uniform(-1, 1, wanted.shape)
    stiffness = 3000.0  # [N m/rad]
    q, tau = arms.q_lanes, arms.tau_lanes  # the batch's own memory
    begin = time.perf_counter()
    for _ in range(round(seconds / dt / steps_per_control)):
        np.subtract(wanted, q, out=tau)
        tau *= stiffness
        arms.step(steps_per_control)
    elapsed = time.perf_counter() - begin
    error = np.abs(q - wanted).reshape(-1, 7)[:copies].max(axis=0)
    steps = copies * round(seconds / dt)
    print(f"{arms}: {steps} steps of an arm in {elapsed:.2f} s, {steps / elapsed:.3g} per s")
    print("largest distance from the posture [rad]:", np.array2string(error, precision=2))
    assert (error < 0.2).all()  # the weight of 7 rods on the first joint, some 240 N m, and a little swing


if __name__ == "__main__":
    main()
