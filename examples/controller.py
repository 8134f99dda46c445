#!/usr/bin/env python3
"""A controller outside of the program, in step with it: balances the rod of the scene cart-pole.

    lipkin view cart-pole --no-browser --paused    # prints the address
    python3 examples/controller.py 'http://127.0.0.1:PORT/?token=TOKEN' [STEPS]

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
        head = self.file.read(2)
        if len(head) < 2:
            raise SystemExit("the simulation has ended")
        opcode, size = head
        size &= 127
        if size > 125:
            size = struct.unpack(">H" if size == 126 else ">Q", self.file.read(2 if size == 126 else 8))[0]
        return opcode & 15, self.file.read(size)

    def send(self, opcode, data):
        if len(data) < 126:
            size = struct.pack("B", 128 | len(data))
        elif len(data) < 65536:
            size = struct.pack(">BH", 254, len(data))
        else:
            size = struct.pack(">BQ", 255, len(data))
        mask = os.urandom(4)
        self.socket.sendall(bytes([128 | opcode]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def command(self, cmd, **args):
        """Sends a command and waits for its answer; returns the result."""
        self.last_id += 1
        self.send(1, json.dumps({"id": self.last_id, "cmd": cmd, "args": args}).encode())
        while True:
            opcode, data = self.receive()
            if opcode == 8:
                raise SystemExit("the simulation has ended")
            if opcode == 9:  # ping
                self.send(10, data)
            message = json.loads(data) if opcode == 1 else {}
            if message.get("type") == "answer" and message["id"] == self.last_id:
                if not message["ok"]:
                    raise SystemExit(message["error"])
                return message["result"]


def main():
    url, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    simulation = Simulation(url)
    simulation.command("take")
    simulation.command("watch", channels=[{"name": "x", "expr": "joint.cart.q"}, {"name": "v", "expr": "joint.cart.u"},
                                          {"name": "angle", "expr": "joint.pole.q"},
                                          {"name": "rate", "expr": "joint.pole.u"}])
    force = 0.0
    for _ in range(steps):
        values = simulation.command("step", controls={"push": force})["values"]
        # Poles of the linearised motion at -3 1/s, each.
        force = 3.468 * values["x"] + 4.624 * values["v"] + 35.84 * values["angle"] + 6.890 * values["rate"]
    print(f"angle {values['angle']:.6f} rad, place {values['x']:.6f} m, hash {simulation.command('hash')['hash']}")


if __name__ == "__main__":
    main()
