import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

// Just enough of HTTP and WebSocket (RFC 6455) to stand in for the program in tests.

const kGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, 1.3
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

export class Peer {
  private buffer = Buffer.alloc(0);

  constructor(private stream: Duplex, private onText: (text: string) => void) {
    stream.on('data', (data: Buffer) => this.read(data));
    stream.on('error', () => undefined);
  }

  get open(): boolean {
    return !this.stream.destroyed && this.stream.writable;
  }

  send(message: string | ArrayBuffer): void {
    if (!this.open) return;
    const data = typeof message === 'string' ? Buffer.from(message) : Buffer.from(message);
    const head = data.length < 126 ? Buffer.alloc(2) : data.length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
    head[0] = 0x80 | (typeof message === 'string' ? 1 : 2);
    head[1] = data.length < 126 ? data.length : data.length < 65536 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(data.length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(data.length), 2);
    this.stream.write(Buffer.concat([head, data]));
  }

  drop(): void {
    this.stream.destroy();
  }

  private read(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      if (this.buffer.length < 6) return;
      const opcode = this.buffer[0]! & 15;
      const short = this.buffer[1]! & 127;
      const headSize = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (this.buffer.length < headSize + 4) return;
      const size = short < 126 ? short : short === 126 ? this.buffer.readUInt16BE(2) : Number(this.buffer.readBigUInt64BE(2));
      const end = headSize + 4 + size;
      if (this.buffer.length < end) return;
      const mask = this.buffer.subarray(headSize, headSize + 4);
      const text = Buffer.from(this.buffer.subarray(headSize + 4, end)).map((byte, i) => byte ^ mask[i % 4]!);
      this.buffer = this.buffer.subarray(end);
      if (opcode === 8) return this.drop();
      if (opcode === 1) this.onText(Buffer.from(text).toString());
    }
  }
}

export async function serve(folder: string, onPeer: (stream: Duplex) => void, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const file = new URL(request.url ?? '/', 'http://x').pathname.replace(/^\/$/, '/index.html');
    readFile(path.join(folder, path.basename(file))).then(
      (data) => {
        response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream');
        response.setHeader('Content-Security-Policy', "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'");
        response.end(data);
      },
      () => response.writeHead(404).end(),
    );
  });
  server.on('upgrade', (request, stream) => {
    const key = createHash('sha1').update(request.headers['sec-websocket-key'] + kGuid).digest('base64');
    const protocol = request.headers['sec-websocket-protocol'] ? 'Sec-WebSocket-Protocol: lipkin.1\r\n' : '';
    stream.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${protocol}Sec-WebSocket-Accept: ${key}\r\n\r\n`);
    onPeer(stream);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
