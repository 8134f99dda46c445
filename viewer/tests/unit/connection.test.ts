import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection, socketUrl, type ConnectionState } from '../../src/protocol/connection';
import { emptyFrame, writeFrame } from '../support/frame_writer';

class FakeSocket {
  binaryType = '';
  readyState = 0;
  onopen: (() => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: (() => void) | null = null;
  sent: { id: number; cmd: string; args: unknown; at?: number }[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.fail();
  }
  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  fail(reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code: 1006, reason });
  }
  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

function connect() {
  const sockets: FakeSocket[] = [];
  const seen = { messages: [] as unknown[], frames: 0, states: [] as ConnectionState[], trouble: [] as string[] };
  const makeSocket = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const connection = new Connection({ url: 'ws://x', makeSocket, firstDelay: 1, longestDelay: 4 }, {
    message: (message) => seen.messages.push(message),
    frame: () => ++seen.frames,
    state: (state) => seen.states.push(state),
    trouble: (text) => seen.trouble.push(text),
  });
  connection.open();
  return { connection, sockets, seen };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('answers find their commands, in any order', async () => {
  const { connection, sockets } = connect();
  sockets[0]!.accept();
  const [first, second] = [connection.send('play'), connection.send('seek', { t: 2 }, 3)];
  assert.deepEqual(sockets[0]!.sent, [{ id: 1, cmd: 'play', args: {} }, { id: 2, cmd: 'seek', args: { t: 2 }, at: 3 }]);
  sockets[0]!.say({ type: 'answer', id: 2, ok: true, step: 20 });
  sockets[0]!.say({ type: 'answer', id: 1, ok: false, error: 'no' });
  assert.equal((await second).step, 20);
  await assert.rejects(first, /no/);
  connection.close();
});

test('a lost connection rejects what waits and comes back by itself', async () => {
  const { connection, sockets, seen } = connect();
  sockets[0]!.accept();
  const waiting = connection.send('play');
  sockets[0]!.fail('too many messages');
  await assert.rejects(waiting, /lost/);
  await assert.rejects(connection.send('play'), /not connected/);
  await pause(30);
  assert.equal(sockets.length, 2);
  sockets[1]!.accept();
  assert.deepEqual(seen.states, ['connecting', 'open', 'waiting', 'connecting', 'open']);
  assert.deepEqual(seen.trouble, ['too many messages']);
  connection.close();
});

test('one that never opened is called refused, and tried again', async () => {
  const { connection, sockets, seen } = connect();
  sockets[0]!.fail();
  assert.equal(seen.states.at(-1), 'refused');
  await pause(30);
  assert.ok(sockets.length >= 2);
  connection.close();
});

test('a closed connection stays closed', async () => {
  const { connection, sockets } = connect();
  sockets[0]!.accept();
  connection.close();
  await pause(20);
  assert.equal(sockets.length, 1);
});

test('frames and messages are told apart; a broken one is reported and survived', () => {
  const { connection, sockets, seen } = connect();
  sockets[0]!.accept();
  sockets[0]!.onmessage?.({ data: writeFrame(emptyFrame()) });
  sockets[0]!.onmessage?.({ data: new ArrayBuffer(3) });
  sockets[0]!.onmessage?.({ data: '{' });
  sockets[0]!.say({ type: 'run', run: {} });
  assert.equal(seen.frames, 1);
  assert.equal(seen.trouble.length, 2);
  assert.equal(seen.messages.length, 1);
  connection.close();
});

test('the token of the page goes to the socket', () => {
  assert.equal(socketUrl({ protocol: 'http:', host: '127.0.0.1:80', search: '?token=ab%20c' }), 'ws://127.0.0.1:80/ws?token=ab%20c');
});
