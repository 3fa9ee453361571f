// Sends and asks with the npm package `riemann`: with_riemann.js HOST PORT
// It takes one port for TCP and UDP.
const assert = require('assert');
const riemann = require('riemann');

const PATIENCE_MS = 20000;
const [host, port] = process.argv.slice(2);

const SENT = {
  float: { metric: 252.5 },
  zero: { metric: 0 },
  double: { metricD: 3.141592653589793 },
  int: { metricSint64: 9007199254740991 },
  none: {},
  text: { state: 'grün', description: 'ligne 1\nligne 2 – ☃ 𝄞', metric: -1 },
  tags: { tags: ['nonblocking', 'b c', 'ü'], metric: 1 },
  attributes: {
    attributes: [{ key: 'rack', value: 'a1' }, { key: 'größe', value: '10 µm' }],
  },
  past: { time: 1700000000, ttl: 2 ** 30 },
};

function event(way, service) {
  return { host: `node-${way}`, service, ttl: 300.5, ...SENT[service] };
}

function compare(got, sent) {
  const says = `${JSON.stringify(got)} for ${JSON.stringify(sent)}`;
  for (const name of ['host', 'service', 'ttl']) assert.strictEqual(got[name], sent[name], says);
  for (const name of ['state', 'description']) {
    assert.strictEqual(got[name], sent[name] ?? null, says);
  }
  assert.deepStrictEqual(got.tags, sent.tags ?? [], says);
  const attributes = got.attributes.map(({ key, value }) => ({ key, value }));
  assert.deepStrictEqual(attributes, sent.attributes ?? [], says);
  if (sent.time) assert.strictEqual(Number(got.time), sent.time, says);
  else assert(Math.abs(Number(got.time) - Date.now() / 1000) < PATIENCE_MS / 1000, says);
  compareMetric(got, sent, says);
}

function compareMetric(got, sent, says) {
  const has = (name) => Object.hasOwn(got, name);
  const metric = sent.metric ?? sent.metricD ?? sent.metricSint64;
  assert.strictEqual(has('metricF'), metric !== undefined, says);
  assert.strictEqual(has('metricSint64'), sent.metricSint64 !== undefined, says);
  assert.strictEqual(has('metricD'), metric !== undefined && !has('metricSint64'), says);
  if (metric === undefined) return;
  assert.strictEqual(got.metricF, Math.fround(metric), says);
  if (has('metricD')) assert.strictEqual(got.metricD, metric, says);
  if (has('metricSint64')) assert.strictEqual(Number(got.metricSint64), metric, says);
}

async function query(client, text) {
  return client.send(client.Query({ string: text }), client.tcp);
}

async function check(client, way) {
  const services = Object.keys(SENT);
  const deadline = Date.now() + PATIENCE_MS;
  let answer;
  do {
    answer = await query(client, `host = "node-${way}"`);
    assert(answer.ok, JSON.stringify(answer));
    assert(Date.now() < deadline, `${answer.events.length} events of ${services.length}`);
  } while (answer.events.length < services.length);
  for (const got of answer.events) compare(got, event(way, got.service));
}

async function main() {
  const client = await riemann.createClient({ host, port, returnPromise: true });
  for (const service of Object.keys(SENT)) {
    const answer = await client.send(client.Event(event('tcp', service)), client.tcp);
    assert.strictEqual(answer.ok, true, JSON.stringify(answer));
  }
  await check(client, 'tcp');
  for (const service of Object.keys(SENT)) {
    await client.send(client.Event(event('udp', service)));
  }
  await check(client, 'udp');
  const refused = await query(client, 'service =~ foo');
  assert.strictEqual(refused.ok, false);
  assert(refused.error.includes('foo'), refused.error);
  const state = await client.send(client.State({ service: 'old', state: 'ok' }), client.tcp);
  assert.strictEqual(state.ok, true);
  await client.disconnect();
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
