"""Lipkin from Python as a measuring process: answers one JSON line on stdout for each JSON line on stdin.

    {"command": "steps", "set", "dt"}             -> {"engine"}; then "measure" times step()
    {"command": "batch", "set", "copies", "threads"}  -> {"engine"}; then "measure" times step() of all copies
    {"command": "measure", "dt", "calls", "seconds", "clock"}  -> {"ns"} per call
"""
import json
import math
import sys
import time

import lipkin


class Steps:
    def __init__(self, request):
        self.simulation = lipkin.Simulation("chain", set=request["set"], stepper="euler", dt=request["dt"])
        self.start = self.simulation.save()
        self.q = self.simulation.q  # whoever holds a view pays for looking whether it was written

    def restart(self):
        self.simulation.restore(self.start)

    def call(self, count, dt):
        step = self.simulation.step
        for _ in range(count):
            step()

    def state(self):
        return {"state_hash": self.simulation.state_hash, "finite": math.isfinite(sum(self.simulation.q))}


class Copies:
    def __init__(self, request):
        self.batch = lipkin.Batch("chain", request["copies"], request["threads"], set=request["set"])
        self.q, self.u = self.batch.q, self.batch.u

    def restart(self):
        self.batch.q, self.batch.u = self.q, self.u

    def call(self, count, dt):
        self.batch.dt = dt
        step = self.batch.step
        for _ in range(count):
            step()

    def state(self):
        return {"finite": bool(math.isfinite(self.batch.q.sum()))}


def measure(engine, request):
    """Least time per call over rounds of calls from the same start."""
    clock = time.perf_counter_ns if request["clock"] == "wall" else time.process_time_ns
    calls, dt = request["calls"], request["dt"]
    least, end = math.inf, time.monotonic() + request["seconds"]
    while True:
        engine.restart()
        begin = clock()
        engine.call(calls, dt)
        least = min(least, (clock() - begin) / calls)
        if time.monotonic() >= end:
            return {"ns": least, **engine.state()}


def answer(request, engines):
    command = request["command"]
    if command == "measure":
        return measure(engines[-1], request)
    engines[:] = [Steps(request) if command == "steps" else Copies(request)]
    return {"engine": f"lipkin python {lipkin.__version__}", "setting": lipkin.instruction_set}


def main():
    engines = []
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line), engines)
        except Exception as error:
            reply = {"error": str(error)}
        print(json.dumps(reply), flush=True)


main()
