// Follows the index with the npm package `ws`: with_ws.js HOST WS_PORT
// Puts events, asks, follows, and pings.
const assert = require('assert');
const WebSocket = require('ws');

const PATIENCE_MS = 20000;
const [host, port] = process.argv.slice(2);
const url = (path) => `ws://${host}:${port}${path}`;
const query = encodeURIComponent('host = "ws"');

function put(event) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url('/events'));
    socket.on('open', () => socket.send(JSON.stringify(event)));
    socket.on('message', (answer) => {
      resolve(JSON.parse(answer));
      socket.close();
    });
    socket.on('error', reject);
  });
}

function snapshot() {
  return new Promise((resolve, reject) => {
    const events = [];
    const socket = new WebSocket(url(`/index?query=${query}`));
    socket.on('message', (text) => events.push(JSON.parse(text)));
    socket.on('close', (code) => resolve({ code, events }));
    socket.on('error', reject);
  });
}

function refusal(path) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url(path));
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    socket.on('error', reject);
  });
}

async function main() {
  const first = { host: 'ws', service: 'first', metric: 1.5, tags: ['ü'], ttl: 300, rack: 'a1' };
  assert.deepStrictEqual(await put(first), {});
  const { code, events } = await snapshot();
  assert.strictEqual(code, 1000);
  assert.strictEqual(events.length, 1);
  const { time, state, description, ...rest } = events[0];
  assert.deepStrictEqual(rest, first);
  assert.strictEqual(state, null);
  assert.strictEqual(description, null);
  assert(Math.abs(Date.parse(time) - Date.now()) < PATIENCE_MS, time);

  const bad = await refusal('/index?query=' + encodeURIComponent('service =~ foo'));
  assert.strictEqual(bad.code, 1008);
  assert(bad.reason.includes('foo'), bad.reason);

  const follower = new WebSocket(url(`/index?subscribe=true&query=${query}`));
  const seen = [];
  const done = new Promise((resolve) => {
    follower.on('message', (text) => {
      seen.push(JSON.parse(text).service);
      if (seen.at(-1) === 'last') resolve();
    });
  });
  const heard = new Promise((resolve) => follower.once('message', resolve));
  await heard;
  const pong = new Promise((resolve) => follower.once('pong', resolve));
  follower.ping('are you there?');
  assert.strictEqual((await pong).toString(), 'are you there?');
  assert.deepStrictEqual(await put({ host: 'other', service: 'last' }), {});
  for (const service of ['second', 'third', 'last']) await put({ ...first, service });
  await done;
  assert.deepStrictEqual(seen, ['first', 'second', 'third', 'last']);
  follower.close();
}

const overdue = setTimeout(() => {
  console.error('no answer in time');
  process.exit(1);
}, 2 * PATIENCE_MS);
main().then(
  () => clearTimeout(overdue),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
