#!/usr/bin/env python3
"""A controller outside of the program, in step with it: drives a joint to an angle by a PD law.

    lipkin view andrews-squeezer --no-browser --paused    # prints the address
    python3 examples/controller.py 'http://127.0.0.1:PORT/?token=TOKEN' ACTUATOR JOINT

Only the standard library. Each turn sends one `step` with the controls and gets the watched values back; the simulation
waits for the answer, and the log of the session has every control, so that a recording replays without this program.
"""
import base64, json, os, socket, struct, sys
from urllib.parse import parse_qs, urlparse


class Simulation:
    """A WebSocket (RFC 6455) that speaks the viewer's protocol."""

    def __init__(self, url):
        parts = urlparse(url)
        token = parse_qs(parts.query)["token"][0]
        self.socket = socket.create_connection((parts.hostname, parts.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws?token={token} HTTP/1.1\r\nHost: {parts.hostname}:{parts.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        status = self.file.readline().decode()
        if " 101 " not in status:
            raise SystemExit(f"refused: {status.strip()}")
        while self.file.readline() not in (b"\r\n", b""):
            pass
        self.last_id = 0

    def receive(self):
        opcode, size = self.file.read(2)
        size &= 127
        if size > 125:
            size = struct.unpack(">H" if size == 126 else ">Q", self.file.read(2 if size == 126 else 8))[0]
        return opcode & 15, self.file.read(size)

    def command(self, cmd, **args):
        """Sends a command and waits for its answer; returns the result."""
        self.last_id += 1
        data = json.dumps({"id": self.last_id, "cmd": cmd, "args": args}).encode()
        size = struct.pack("B", 128 | len(data)) if len(data) < 126 else struct.pack(">BH", 254, len(data))
        mask = os.urandom(4)
        self.socket.sendall(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))
        while True:
            opcode, data = self.receive()
            if opcode == 8:
                raise SystemExit("the simulation has ended")
            message = json.loads(data) if opcode == 1 else {}
            if message.get("type") == "answer" and message["id"] == self.last_id:
                if not message["ok"]:
                    raise SystemExit(message["error"])
                return message["result"]


def main():
    url, actuator, joint = sys.argv[1:4]
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
    simulation = Simulation(url)
    simulation.command("take")
    simulation.command("watch", channels=[{"name": "angle", "expr": f"joint.{joint}.q"},
                                          {"name": "rate", "expr": f"joint.{joint}.u"}])
    torque, target = 0.0, 0.5
    for _ in range(steps):
        values = simulation.command("step", controls={actuator: torque})["values"]
        torque = 40 * (target - values["angle"]) - 8 * values["rate"]
    print(f"angle {values['angle']:.6f} rad, target {target} rad, hash {simulation.command('hash')['hash']}")


if __name__ == "__main__":
    main()
