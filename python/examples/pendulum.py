#!/usr/bin/env python3
"""A pendulum in ten lines: its period against the complete elliptic integral."""
import math

import lipkin

pendulum = lipkin.Simulation("simple-pendulum", set={"length": 0.5})
run = pendulum.run(4, every=1e-3)
a, b = 1.0, math.cos(math.pi / 4)  # released from the horizontal: half the amplitude is 45 degrees
for _ in range(5):
    a, b = (a + b) / 2, math.sqrt(a * b)  # the arithmetic-geometric mean of Gauss
expected = 2 * math.pi * math.sqrt(0.5 / 9.81) / a
turns = [t for t, before, now in zip(run.t[1:], run["vx"], run["vx"][1:]) if before > 0 >= now]
print(f"period {turns[-1] - turns[-2]:.3f} s, expected {expected:.3f} s; energy changed by {abs(run['energy']).max():.1e} J")
assert abs(turns[-1] - turns[-2] - expected) < 2e-3  # two samples
