#!/usr/bin/env python3
"""A parameter study with plots: how unevenly a crank turns with sliders of several masses.

    python3 parameter_study.py [PICTURE]

Without matplotlib the numbers are printed all the same.
"""
import sys

import lipkin


def study(masses):
    """A run for each mass of the slider [kg]."""
    runs = {}
    for mass in masses:
        engine = lipkin.Simulation("slider-crank-inline", set={"slider_mass": mass})
        runs[f"{mass:g} kg"] = engine.run(0.5, every=1e-3)
    return runs


def main():
    runs = study([0.25, 0.5, 1, 2])
    swings = []
    for label, run in runs.items():
        rate = run["crank_rate"]
        swings.append(rate.max() - rate.min())
        drift = abs(run["energy"] - run["energy"][0]).max()
        print(f"slider of {label}: crank between {rate.min():.2f} and {rate.max():.2f} rad/s, energy drifts {drift:.1e} J")
    assert swings == sorted(swings), "a heavier slider takes more from the crank"
    try:
        lipkin.plot(runs, "crank_rate", "slider_x", title="Crank with sliders of several masses",
                    path=sys.argv[1] if len(sys.argv) > 1 else None)  # fmt: skip
    except lipkin.Error as missing:
        print(missing)


if __name__ == "__main__":
    main()
