"""Runs a scene in Python, its commands given by calls, and prints what it shows: {"outputs": {name: value}, "hash": hash}.

run_in_python.py SCENE [COMMANDS]: one JSON object a line, as for `lipkin run --commands`.
"""
import json
import sys

import lipkin

simulation = lipkin.Simulation(sys.argv[1])
for line in open(sys.argv[2]) if len(sys.argv) > 2 else []:
    command = json.loads(line)
    args = command["args"]
    if command["cmd"] == "set":
        simulation.set(args["path"], args["value"], at=command["at"])
    else:
        simulation.push(args["body"], force=args["force"], point=args["point"], duration=args["duration"], at=command["at"])
run = simulation.run(simulation.options["duration"])
outputs = {name: simulation[name] for name in json.load(open(sys.argv[1] + ".names"))}
print(json.dumps({"outputs": outputs, "hash": simulation.state_hash}))
