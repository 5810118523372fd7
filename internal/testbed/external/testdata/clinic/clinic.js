// Clinic: free hours of doctors, what an insurer pays, appointments and their cancellation.
//
// The practice's own system keeps the hours, an insurer says who is covered, deposits go through a payment provider, and
// a gateway sends text messages.
'use strict';
const http = require('node:http');

const SERVICES = {
  pms: 'http://pms.northclinic.example:8090',
  insurer: 'https://eligibility.carecover.example',
  payments: 'https://pay.medpay.example',
  sms: 'http://198.51.100.23:9000',
};
for (const pair of (process.env.SERVICES || '').split(',').filter(Boolean)) {
  SERVICES[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1);
}
const MENDED = new Set((process.env.MEND || '').split(','));
const TIMEOUT = 1000 * Number(process.env.TIMEOUT || 2); // for each call
const MOST_PAGES = 10;

/** An answer to the client that is no success. */
class Refusal extends Error {
  constructor(status, message, more = {}, headers = {}) {
    super(message);
    Object.assign(this, { status, body: { error: message, ...more }, headers });
  }
}

/** A service that gave no answer, or one of no use. */
class Unavailable extends Refusal {
  constructor(service, why, status = 503) {
    super(status, `${service} ${why}`);
    this.service = service;
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function call(service, method, path, { body, headers = {}, timeout = TIMEOUT } = {}) {
  const options = { method, headers: { accept: 'application/json', ...headers }, redirect: 'manual' };
  if (body !== undefined) {
    options.headers['content-type'] = 'application/json';
    options.body = JSON.stringify(body);
  }
  if (timeout) options.signal = AbortSignal.timeout(timeout);
  try {
    const response = await fetch(SERVICES[service] + path, options);
    const text = await response.text();
    return { service, status: response.status, headers: response.headers, text };
  } catch (error) {
    if (error.name === 'TimeoutError') throw new Unavailable(service, 'does not answer in time', 504);
    console.error(`${service}: ${error.message}`, error.cause ? error.cause.message : '');
    throw new Unavailable(service, 'cannot be reached');
  }
}

/** The JSON of an answer that has to be an object. */
function json(answer) {
  let value;
  try {
    value = JSON.parse(answer.text);
  } catch {
    throw new Unavailable(answer.service, 'sent no JSON', 502);
  }
  if (value === null || typeof value !== 'object') throw new Unavailable(answer.service, 'sent no object', 502);
  return value;
}

/** The value of a member, which has to be of that type. */
function want(service, object, name, type) {
  const value = object[name];
  const fits = type === 'array' ? Array.isArray(value) : typeof value === type && value !== null;
  if (!fits) throw new Unavailable(service, `sent no ${name}`, 502);
  return value;
}

let coverages, appointments;

function reset() {
  coverages = new Map();
  appointments = new Map([
    ['A-1', { id: 'A-1', status: 'confirmed', charge: 'ch-1', paid: 4000 }],
    ['A-2', { id: 'A-2', status: 'confirmed', charge: null, paid: 0 }],
  ]);
}

async function doctorOf(id) {
  const answer = await call('pms', 'GET', `/doctors/${id}`);
  if (answer.status === 404) throw new Refusal(404, 'no such doctor');
  if (answer.status !== 200) throw new Unavailable('pms', 'is unavailable');
  return json(answer);
}

// GET /doctors/{id}
async function showDoctor(id) {
  const doctor = await doctorOf(id);
  if (MENDED.has('doctor-specialty') && typeof doctor.specialty !== 'string') doctor.specialty = 'general';
  const out = { id, name: want('pms', doctor, 'name', 'string'), department: doctor.specialty.toUpperCase() };
  if (typeof doctor.on_leave_until === 'string') {
    out.back = doctor.on_leave_until;
  } else if (want('pms', doctor, 'accepting', 'boolean')) {
    out.accepting = true;
  } else {
    out.accepting = false;
    out.waiting_list = true;
  }
  return [200, out];
}

async function schedulePage(id, day, page) {
  for (let attempt = 1; ; attempt++) {
    const answer = await call('pms', 'GET', `/doctors/${id}/schedule?day=${day}&page=${page}`);
    if (answer.status === 200) return [json(answer), attempt - 1];
    if (answer.status === 404) throw new Refusal(404, 'no such doctor');
    if (answer.status !== 429) throw new Unavailable('pms', 'is unavailable');
    const wait = Number.parseInt(answer.headers.get('retry-after') || '0', 10);
    if (attempt === 3 || !(wait <= 3)) throw new Refusal(503, 'the practice is busy', {}, { 'retry-after': String(wait || 1) });
    await sleep(Math.max(0, wait) * 1000);
  }
}

// GET /doctors/{id}/slots?day=…
async function showSlots(id, query) {
  const day = query.get('day');
  if (!/^\d{4}-\d\d-\d\d$/.test(day || '')) throw new Refusal(400, 'day must be a date');
  const out = { day, free: 0, maybe: 0, complete: true, retries: 0, starts: [] };
  let rooms = 0;
  for (let page = 1, pages = 1; page <= pages; page++) {
    let part, retries;
    try {
      [part, retries] = await schedulePage(id, day, page);
    } catch (error) {
      if (page === 1 || !(error instanceof Refusal)) throw error;
      console.error(`slots of ${id}: page ${page}: ${error.message}`);
      out.complete = false;
      break;
    }
    out.retries += retries;
    if (typeof part.pages === 'number') pages = part.pages;
    if (MENDED.has('slots-page-count')) pages = Math.min(pages, MOST_PAGES);
    if (MENDED.has('slots-rooms-null')) want('pms', part, 'rooms', 'array');
    rooms += part.rooms.length;
    for (const room of part.rooms) {
      for (const slot of want('pms', room || {}, 'slots', 'array')) {
        const state = want('pms', slot || {}, 'state', 'string');
        if (state === 'free') {
          out.free++;
          out.starts.push(slot.start);
        } else if (state === 'held') out.maybe++;
      }
    }
  }
  if (rooms === 0) out.closed = true;
  else if (out.free === 0) out.ask_again = true;
  return [200, out];
}

async function coverageOf(member) {
  const answer = await call('insurer', 'GET', `/v1/members/${member}?service=consultation`, {
    headers: { 'x-api-key': process.env.INSURER_KEY || 'k-demo' },
  });
  if (answer.status === 404) throw new Refusal(404, 'no such member');
  if (answer.status === 401 || answer.status === 403) throw new Unavailable('insurer', 'refuses our key', 502);
  if (answer.status !== 200) throw new Unavailable('insurer', 'is unavailable');
  const member_ = json(answer);
  if (!want('insurer', member_, 'active', 'boolean')) return { covered: false, reason: 'inactive' };
  if (MENDED.has('coverage-plan-null')) want('insurer', member_, 'plan', 'object');
  const plan = member_.plan;
  const limit = (Array.isArray(plan.limits) ? plan.limits : []).find((l) => l && l.service === 'consultation');
  if (limit && limit.remaining <= 0) return { covered: false, reason: 'limit' };
  const out = { covered: true, plan: plan.name, copay_percent: want('insurer', plan, 'copay_percent', 'number') };
  if (out.copay_percent === 0) out.free = true;
  if (member_.deductible && member_.deductible.met === false) out.note = 'deductible not met';
  return out;
}

// GET /coverage/{member}
async function showCoverage(member) {
  if (coverages.has(member)) return [200, { ...coverages.get(member), cached: true }];
  try {
    coverages.set(member, await coverageOf(member));
  } catch (error) {
    if (error instanceof Unavailable && !MENDED.has('coverage-cached-failure')) coverages.set(member, { covered: false });
    throw error;
  }
  return [200, { ...coverages.get(member), cached: false }];
}

async function holdHour(order) {
  const answer = await call('pms', 'POST', '/holds', { body: { doctor: order.doctor, day: order.day, start: order.start } });
  if (answer.status === 409) {
    if (json(answer).reason === 'closed') throw new Refusal(422, 'the practice is closed then');
    throw new Refusal(409, 'that hour is taken');
  }
  if (answer.status !== 200 && answer.status !== 201) throw new Unavailable('pms', 'is unavailable');
  const hold = json(answer);
  return MENDED.has('hold-undefined') ? want('pms', hold, 'hold', 'string') : hold.hold;
}

async function release(hold) {
  try {
    await call('pms', 'DELETE', `/holds/${hold}`);
  } catch (error) {
    console.error(`hold ${hold} was not released: ${error.message}`);
  }
}

/** Takes a deposit: the charge as it stands when it is decided, or when we no longer wait. */
async function charge(amount, reference) {
  let answer = await call('payments', 'POST', '/charges', { body: { amount, currency: 'EUR', reference } });
  if (answer.status === 402) return { id: null, status: 'declined', decline_code: json(answer).decline_code };
  if (answer.status >= 300) throw new Unavailable('payments', 'is unavailable');
  let deposit = json(answer);
  for (let i = 0; i < 3 && deposit.status === 'processing'; i++) {
    await sleep(30);
    answer = await call('payments', 'GET', `/charges/${deposit.id}`);
    if (answer.status !== 200) throw new Unavailable('payments', 'is unavailable');
    deposit = json(answer);
  }
  want('payments', deposit, 'status', 'string');
  return deposit;
}

async function notify(phone, text) {
  try {
    const timeout = MENDED.has('sms-hang') ? TIMEOUT : 0;
    const answer = await call('sms', 'POST', '/messages', { body: { to: phone, text }, timeout });
    if (answer.status >= 300) return { notified: false };
    const segments = json(answer).segments;
    return segments > 1 ? { notified: true, segments } : { notified: true };
  } catch (error) {
    console.error(`no message to ${phone}: ${error.message}`);
    return { notified: false };
  }
}

// POST /appointments
async function book(order) {
  for (const name of ['doctor', 'day', 'start']) {
    if (!order[name]) throw new Refusal(400, `an appointment needs ${name}`);
  }
  const doctor = await doctorOf(order.doctor);
  if (doctor.accepting === false) throw new Refusal(409, 'the doctor takes no patients');
  const fee = want('pms', doctor, 'fee_cents', 'number');
  let covered = false, due = fee;
  if (order.member) {
    try {
      const coverage = await coverageOf(order.member);
      covered = coverage.covered;
      if (covered) due = Math.round((fee * coverage.copay_percent) / 100);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      console.error(`booked without the insurer: ${error.message}`);
      covered = 'unknown';
    }
  }
  const hold = await holdHour(order);
  let deposit = { id: null, status: 'none' };
  if (due > 0) {
    try {
      deposit = await charge(due, hold);
    } catch (error) {
      if (error.status !== 504 || MENDED.has('timeout-keeps-hold')) await release(hold);
      throw error;
    }
  }
  if (deposit.status === 'declined') {
    await release(hold);
    throw new Refusal(402, 'the payment was declined', { code: deposit.decline_code || 'unknown' });
  }
  if (deposit.status === 'requires_action') return [202, { status: 'waiting', redirect: deposit.redirect, due }];
  if (deposit.status === 'processing') return [202, { status: 'pending', due }];
  if (MENDED.has('charge-unknown') && deposit.status !== 'succeeded' && deposit.status !== 'none') {
    await release(hold);
    throw new Unavailable('payments', 'sent an unknown status', 502);
  }
  const answer = await call('pms', 'POST', `/holds/${hold}/confirm`);
  if (answer.status !== 200 && answer.status !== 201) {
    if (deposit.id && MENDED.has('confirm-keeps-money')) await call('payments', 'POST', '/refunds', { body: { charge: deposit.id } });
    throw new Unavailable('pms', 'did not confirm');
  }
  const id = want('pms', json(answer), 'appointment', 'string');
  appointments.set(id, { id, status: 'confirmed', charge: deposit.id, paid: due });
  const message = order.phone ? await notify(order.phone, `Your appointment: ${order.day} ${order.start}`) : {};
  return [201, { id, status: 'confirmed', covered, due, payment: deposit.status, ...message }];
}

async function refund(appointment) {
  const answer = await call('payments', 'POST', '/refunds', { body: { charge: appointment.charge } });
  const result = JSON.parse(answer.text);
  if (MENDED.has('refund-unchecked') && answer.status >= 300) throw new Unavailable('payments', 'is unavailable');
  if (MENDED.has('refund-unchecked')) want('payments', result, 'status', 'string');
  if (result.status === 'failed') throw new Unavailable('payments', 'cannot pay back', 502);
  return result.status === 'succeeded' ? 'done' : result.status;
}

// POST /appointments/{id}/cancel
async function cancel(id) {
  const appointment = appointments.get(id);
  if (!appointment) throw new Refusal(404, 'no such appointment');
  if (appointment.status === 'cancelled') throw new Refusal(409, 'already cancelled');
  const out = { id };
  try {
    const answer = await call('pms', 'DELETE', `/appointments/${id}`);
    if (answer.status === 409) throw new Refusal(409, 'too late to cancel');
    if (answer.status === 404) out.already = true;
    else if (answer.status >= 300) throw new Unavailable('pms', 'is unavailable');
    if (appointment.charge) out.refund = await refund(appointment);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (MENDED.has('cancel-trace')) throw new Unavailable('payments', 'sent no JSON', 502);
    console.error(error.stack);
    return [500, { error: String(error), stack: error.stack }];
  }
  appointment.status = out.status = 'cancelled';
  return [200, out];
}

const ROUTES = [
  ['GET', /^\/doctors\/(\d+)$/, showDoctor],
  ['GET', /^\/doctors\/(\d+)\/slots$/, showSlots],
  ['GET', /^\/coverage\/([\w-]+)$/, showCoverage],
  ['POST', /^\/appointments\/([\w-]+)\/cancel$/, cancel],
  ['POST', /^\/appointments$/, book],
];

async function answerTo(method, url, text) {
  if (url.pathname === '/health') return [200, { status: 'up' }];
  if (method === 'POST' && url.pathname === '/reset') {
    reset();
    return [200, { reset: true }];
  }
  for (const [verb, pattern, handler] of ROUTES) {
    const match = verb === method && pattern.exec(url.pathname);
    if (!match) continue;
    const args = match.slice(1);
    if (method === 'GET') args.push(url.searchParams);
    else if (args.length === 0) {
      try {
        args.push(Object(JSON.parse(text)));
      } catch {
        throw new Refusal(400, 'the body is no JSON');
      }
    }
    return handler(...args);
  }
  throw new Refusal(404, 'no such resource');
}

function serve(request, response) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => { text += part; });
  request.on('end', async () => {
    let status, body, headers = {};
    try {
      [status, body] = await answerTo(request.method, new URL(request.url, 'http://localhost'), text);
    } catch (error) {
      if (error instanceof Refusal) {
        ({ status, body, headers } = error);
        if (status >= 500) console.error(`${request.method} ${request.url}: ${error.message}`);
      } else {
        console.error(`${request.method} ${request.url}:`, error);
        [status, body] = [500, { error: 'internal error' }];
      }
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
}

function main() {
  const i = process.argv.indexOf('--port');
  const port = Number(i > 0 ? process.argv[i + 1] : process.env.PORT || 8000);
  reset();
  http.createServer(serve).listen(port, '127.0.0.1', () => console.error(`clinic listens on ${port}`));
}

main();
