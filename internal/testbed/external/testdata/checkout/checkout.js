'use strict';
// Backend of a webshop: product pages, search, prices of carts, checkout, orders and returns.
//
// Upstreams: catalog (products, stock), promo (coupons), vat (tax rates), parcel (shipping), pay (card payments).
const { createServer } = require('node:http');
const { parseArgs } = require('node:util');

const config = {
  timeout: Number(process.env.TIMEOUT || 2) * 1000,
  mend: (process.env.MEND || '').split(','),
  urls: {
    catalog: 'http://catalog.shopcore.example:8200',
    promo: 'https://promo.couponly.example',
    vat: 'https://vat.taxlayer.example',
    parcel: 'http://192.0.2.80:7300',
    pay: 'https://api.cardstream.example',
    ...Object.fromEntries((process.env.SERVICES || '').split(',').filter(Boolean).map((s) => s.split(/=(.*)/s))),
  },
};
const mended = (bug) => config.mend.includes(bug);

const STANDARD_VAT = { DE: 19, AT: 20, FR: 20 };
const FLAT_SHIPPING = 690;
const SEARCH_PAGES = 4;
const DECLINED = {
  insufficient_funds: 'try another card',
  expired_card: 'card is expired',
  incorrect_cvc: 'check the code',
};

class HttpError extends Error {
  constructor(status, code, details) {
    super(code);
    this.status = status;
    this.details = details;
  }
}

class UpstreamError extends HttpError {}

let db;
function resetDb() {
  db = {
    token: null,
    etags: new Map(),
    orders: new Map([['1001', { id: '1001', tracking: 'TR-77', payment: 'pi-55', total: 5990, state: 'placed' }]]),
  };
}

// --- upstream calls

async function request(upstream, method, path, { body, headers, timeout = config.timeout } = {}) {
  const init = { method, headers: { accept: 'application/json', ...headers } };
  if (body) {
    init.body = JSON.stringify(body);
    init.headers['content-type'] = 'application/json';
  }
  if (timeout) init.signal = AbortSignal.timeout(timeout);
  try {
    const res = await fetch(config.urls[upstream] + path, init);
    return { upstream, status: res.status, ok: res.ok, headers: res.headers, text: await res.text() };
  } catch (err) {
    if (err.name === 'TimeoutError') throw new UpstreamError(504, `${upstream}_timeout`);
    console.error(`${method} ${upstream}${path}: ${err.cause?.message ?? err.message}`);
    throw new UpstreamError(503, `${upstream}_unreachable`);
  }
}

function object(res) {
  try {
    const value = JSON.parse(res.text);
    if (value && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // falls through
  }
  throw new UpstreamError(502, `${res.upstream}_bad_json`);
}

function expect(upstream, ok, field) {
  if (!ok) throw new UpstreamError(502, `${upstream}_bad_${field}`);
}

const isText = (v) => typeof v === 'string' && v !== '';
const isId = (v) => typeof v === 'string' && /^[\w-]+$/.test(v);
const isCents = (v) => Number.isInteger(v) && v >= 0;

// --- products

async function loadItem(sku, headers) {
  const res = await request('catalog', 'GET', `/items/${sku}`, { headers });
  if (res.status === 404) throw new HttpError(404, 'unknown_product', { sku });
  if (!res.ok && res.status !== 304) throw new UpstreamError(503, 'catalog_unavailable');
  return res;
}

function availability({ stock }) {
  const { available = 0, incoming } = stock ?? {};
  expect('catalog', Number.isInteger(available), 'stock');
  if (available > 5) return { availability: 'in stock' };
  if (available > 0) return { availability: 'few left', left: available };
  const next = Array.isArray(incoming) && incoming.find((i) => i?.qty > 0 && isText(i.date));
  return next ? { availability: 'back soon', from: next.date } : { availability: 'sold out' };
}

function productPage(item) {
  const { successor } = item;
  if (item.state === 'DISCONTINUED') throw new HttpError(410, 'discontinued', successor == null ? {} : { successor });
  expect('catalog', isText(item.title), 'title');
  const page = { sku: item.sku, title: item.title };
  if (item.price == null) {
    page.on_request = true;
  } else {
    expect('catalog', isCents(item.price.amount), 'price');
    page.price = item.price.amount;
    page.currency = isText(item.price.currency) ? item.price.currency : 'EUR';
    if (item.price.was > item.price.amount) page.saving = Math.round(100 - (100 * item.price.amount) / item.price.was);
  }
  Object.assign(page, item.state === 'PREORDER' ? { availability: 'preorder' } : availability(item));
  if (item.rating?.count >= 5) page.rating = item.rating.average;
  page.image = mended('no-image') ? item.images?.[0]?.url : item.images[0].url;
  return page;
}

async function getProduct({ params: [sku] }) {
  const known = db.etags.get(sku);
  let res;
  try {
    res = await loadItem(sku, known ? { 'if-none-match': known.etag } : {});
  } catch (err) {
    if (!known || !(err instanceof UpstreamError)) throw err;
    return { ...known.page, stale: true };
  }
  if (res.status === 304) {
    expect('catalog', known, 'status');
    return { ...known.page, cached: true };
  }
  const page = productPage(object(res));
  const etag = res.headers.get('etag');
  if (etag) db.etags.set(sku, { etag, page });
  return page;
}

const pathOf = (url) => url.pathname + url.search;

async function search({ query }) {
  const q = query.get('q')?.trim();
  if (!q) throw new HttpError(400, 'q_missing');
  const result = { q, hits: [], complete: true };
  let path = `/items?q=${encodeURIComponent(q)}`;
  for (let page = 1; path; page++) {
    if (page > SEARCH_PAGES) {
      result.more = true;
      break;
    }
    const res = await request('catalog', 'GET', path).catch((err) => ({ error: err }));
    if (res.status === 429 && page === 1) {
      throw new HttpError(503, 'catalog_busy', { retry_after: Number(res.headers.get('retry-after')) || 30 });
    }
    if (res.error || !res.ok) {
      if (page === 1) throw res.error ?? new UpstreamError(503, 'catalog_unavailable');
      result.complete = false;
      break;
    }
    const { items } = object(res);
    expect('catalog', Array.isArray(items), 'items');
    for (const item of items) {
      expect('catalog', isText(item?.sku), 'sku');
      if (item.state !== 'DISCONTINUED') result.hits.push({ sku: item.sku, title: item.title ?? item.sku });
    }
    const next = /<([^>]*)>\s*;\s*rel="?next"?/.exec(res.headers.get('link') ?? '')?.[1];
    path = next && URL.canParse(next, config.urls.catalog) ? pathOf(new URL(next, config.urls.catalog)) : null;
  }
  if (result.hits.length === 0) result.suggestions = await suggestions(q);
  return result;
}

async function suggestions(q) {
  try {
    const { terms } = object(await request('catalog', 'GET', `/suggest?q=${encodeURIComponent(q)}`));
    return Array.isArray(terms) ? terms.slice(0, 3) : [];
  } catch {
    return [];
  }
}

// --- prices

async function vatRate(country) {
  try {
    const res = await request('vat', 'GET', `/v2/rates/${country}`);
    if (res.status === 404) throw new HttpError(422, 'country_not_supported', { country });
    if (!res.ok) throw new UpstreamError(503, 'vat_unavailable');
    const { standard, holiday } = object(res);
    const rate = holiday?.active === true ? holiday.rate : standard;
    expect('vat', typeof rate === 'number' && rate >= 0 && rate < 100, 'rate');
    return { rate, source: holiday?.active === true ? 'holiday' : 'service' };
  } catch (err) {
    if (!(err instanceof UpstreamError) || !(country in STANDARD_VAT)) throw err;
    console.error(`standard VAT of ${country}: ${err.message}`);
    return { rate: STANDARD_VAT[country], source: 'table' };
  }
}

async function discountOf(code, subtotal) {
  let res;
  try {
    res = await request('promo', 'GET', `/coupons/${encodeURIComponent(code)}`);
  } catch (err) {
    return { coupon: 'not checked', discount: 0 };
  }
  if (res.status === 404) return { coupon: 'unknown', discount: 0 };
  if (!res.ok) return { coupon: 'not checked', discount: 0 };
  const coupon = object(res);
  if (coupon.expires_at != null) {
    const expires = Date.parse(coupon.expires_at);
    expect('promo', !Number.isNaN(expires), 'expires_at');
    if (expires < Date.now()) return { coupon: 'expired', discount: 0 };
  }
  if (coupon.remaining === 0) return { coupon: 'used up', discount: 0 };
  const missing = typeof coupon.min_order === 'number' ? coupon.min_order - subtotal : -1;
  if (mended('minimum-order') ? missing > 0 : missing >= 0) return { coupon: 'below minimum', missing, discount: 0 };
  expect('promo', typeof coupon.value === 'number' && coupon.value >= 0, 'value');
  const applied = { coupon: 'applied', type: coupon.type ?? null };
  if (coupon.type === 'FREE_SHIPPING') return { ...applied, discount: 0, freeShipping: true };
  if (mended('coupon-type')) expect('promo', ['PERCENT', 'FIXED'].includes(coupon.type), 'type');
  const discount = coupon.type === 'FIXED' ? Math.round(coupon.value) : Math.round((subtotal * coupon.value) / 100);
  return { ...applied, discount: mended('negative-total') ? Math.min(discount, subtotal) : discount };
}

async function priceCart({ items, coupon, country }) {
  const filled = Array.isArray(items) && items.length > 0 && items.every((i) => /^\d+$/.test(i?.sku) && i.qty > 0);
  if (!filled || !/^[A-Z]{2}$/.test(country)) throw new HttpError(400, 'items_and_country_needed');
  const loaded = await Promise.allSettled(items.map(async ({ sku }) => object(await loadItem(sku))));
  const lines = [], unavailable = [];
  loaded.forEach(({ reason, value }, i) => {
    if (reason && reason.status !== 404) throw reason;
    if (reason || value.state === 'DISCONTINUED') return unavailable.push(items[i].sku);
    expect('catalog', isCents(value.price?.amount), 'price');
    lines.push({ ...items[i], amount: value.price.amount * items[i].qty, currency: value.price.currency });
  });
  if (!lines.length) throw new HttpError(409, 'nothing_available', { unavailable });
  if (new Set(lines.map((l) => l.currency)).size > 1) throw new HttpError(422, 'mixed_currencies');
  const subtotal = lines.reduce((sum, l) => sum + l.amount, 0);
  const [vat, promo] = await Promise.all([vatRate(country), coupon ? discountOf(coupon, subtotal) : {}]);
  const total = subtotal - (promo.discount ?? 0);
  const tax = Math.round(total - total / (1 + vat.rate / 100));
  const price = { subtotal, ...promo, total, vat: tax, vat_source: vat.source };
  if (unavailable.length) price.unavailable = unavailable;
  return { price, lines };
}

async function postPrice({ body }) {
  return (await priceCart(body)).price;
}

// --- checkout

async function shippingCost(zip, grams) {
  let res;
  try {
    res = await request('parcel', 'GET', `/v1/rates?zip=${encodeURIComponent(zip)}&grams=${grams}`);
    if (res.status === 400 || res.status === 404) throw new HttpError(422, 'zip_unknown');
    if (!res.ok) throw new UpstreamError(503, 'parcel_unavailable');
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err;
    return { service: 'standard', cost: FLAT_SHIPPING, estimated: true };
  }
  const { rates } = object(res);
  expect('parcel', Array.isArray(rates) && rates.every((r) => isText(r?.service) && isCents(r.price)), 'rates');
  if (!rates.length) throw new HttpError(422, 'not_deliverable');
  const best = rates.reduce((a, b) => (b.price < a.price ? b : a));
  const saved = rates[0].price - best.price;
  return { service: best.service, cost: best.price, ...(saved && { saved }), ...(best.days > 7 && { slow: true }) };
}

async function reserve(lines) {
  for (let attempt = 1; ; attempt++) {
    const res = await request('catalog', 'POST', '/reservations', { body: { lines } });
    if (res.status === 409) {
      const { shortages } = object(res);
      throw new HttpError(409, 'out_of_stock', { shortages: Array.isArray(shortages) ? shortages : [] });
    }
    if (res.status === 503 || res.status === 429) {
      if (attempt === 4 && mended('reserve-endless')) throw new UpstreamError(503, 'catalog_unavailable');
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    if (!res.ok) throw new UpstreamError(503, 'catalog_unavailable');
    const { id } = object(res);
    expect('catalog', isId(id), 'reservation');
    return { id, attempts: attempt };
  }
}

async function release(id) {
  try {
    await request('catalog', 'DELETE', `/reservations/${id}`);
  } catch (err) {
    console.error(`reservation ${id} is not released: ${err.message}`);
  }
}

async function payApi(method, path, body) {
  for (let fresh = false; ; fresh = true) {
    if (!db.token) {
      const res = await request('pay', 'POST', '/oauth/token', { body: { grant_type: 'client_credentials' } });
      if (!res.ok) throw new UpstreamError(502, 'pay_login_failed');
      const { access_token: token } = object(res);
      expect('pay', isId(token), 'token');
      db.token = token;
    }
    const res = await request('pay', method, path, { body, headers: { authorization: `Bearer ${db.token}` } });
    if (res.status !== 401) return res;
    db.token = null;
    if (fresh) throw new UpstreamError(502, 'pay_token_rejected');
  }
}

async function takePayment(amount, card) {
  const res = await payApi('POST', '/v1/intents', { amount, currency: 'EUR', card });
  if (res.status === 402) {
    const code = object(res).decline_code;
    throw new HttpError(402, 'card_declined', { advice: DECLINED[code] ?? 'ask your bank' });
  }
  if (!res.ok) throw new UpstreamError(503, 'pay_unavailable');
  const intent = object(res);
  expect('pay', isId(intent.id), 'id');
  if (intent.status === 'requires_action') return { state: 'action', redirect: intent.redirect_url ?? null };
  expect('pay', intent.status === 'authorized', 'status');
  if (intent.risk?.score >= 75) return { state: 'review', payment: intent.id };
  const capture = await payApi('POST', `/v1/intents/${intent.id}/capture`);
  if (!capture.ok && mended('capture-unchecked')) throw new UpstreamError(503, 'pay_capture_failed');
  return { state: 'paid', payment: intent.id };
}

async function shippingLabel(order, zip) {
  try {
    const res = await request('parcel', 'POST', '/v1/labels', { body: { order: order.id, service: order.shipping, zip } });
    const { tracking } = object(res);
    return res.ok && isId(tracking) ? tracking : null;
  } catch (err) {
    console.error(`no label for order ${order.id}: ${err.message}`);
    return null;
  }
}

async function postCheckout({ body }) {
  if (!isText(body.zip) || !isText(body.card)) throw new HttpError(400, 'zip_and_card_needed');
  const { price, lines } = await priceCart(body);
  if (price.unavailable) throw new HttpError(409, 'cart_changed', { unavailable: price.unavailable });
  const reservation = await reserve(lines);
  const order = { id: String(1001 + db.orders.size), attempts: reservation.attempts };
  try {
    const shipping = await shippingCost(body.zip, 800 * lines.length);
    const free = price.freeShipping || price.total >= 10000;
    const { service, cost, ...notes } = shipping;
    Object.assign(order, notes, { shipping: service, shipping_cost: free ? 0 : cost });
    order.total = price.total + order.shipping_cost;
    Object.assign(order, await takePayment(order.total, body.card));
  } catch (err) {
    if (err instanceof UpstreamError || err.status === 402 || mended('stock-kept')) await release(reservation.id);
    throw err;
  }
  db.orders.set(order.id, order);
  if (order.state !== 'paid') return [202, order];
  const done = await request('catalog', 'POST', `/reservations/${reservation.id}/commit`).catch(() => ({ ok: false }));
  if (!done.ok) order.stock = 'to be confirmed';
  order.tracking = await shippingLabel(order, body.zip);
  if (!order.tracking) order.label = 'later';
  return [201, order];
}

// --- orders

async function tracking({ tracking: number }) {
  const timeout = mended('tracking-hang') ? config.timeout : 0;
  const res = await request('parcel', 'GET', `/v1/trackings/${number}`, { timeout });
  if (res.status === 404) return { delivery: 'not handed over yet' };
  if (!res.ok) throw new UpstreamError(503, 'parcel_unavailable');
  const { state, eta, signed_by: signedBy, attempts } = object(res);
  switch (state) {
    case 'TRANSIT': return { delivery: 'on its way', eta };
    case 'DELIVERED': return { delivery: 'delivered', ...(signedBy && { signed_by: signedBy }) };
    case 'FAILED': return { delivery: attempts >= 3 ? 'goes back' : 'next attempt', attempts };
    default: return { delivery: 'unknown' };
  }
}

async function paymentState({ payment }) {
  const res = await payApi('GET', `/v1/intents/${payment}`);
  if (!res.ok) throw new UpstreamError(503, 'pay_unavailable');
  const { status, refunded } = object(res);
  if (status === 'disputed') return { payment: 'disputed', hold: true };
  if (refunded > 0) return { payment: 'refunded', refunded };
  return { payment: status === 'captured' ? 'paid' : 'open' };
}

function findOrder(id) {
  const order = db.orders.get(id);
  if (!order || !order.tracking) throw new HttpError(404, 'unknown_order');
  return order;
}

async function getOrder({ params: [id] }) {
  const order = findOrder(id);
  const [parcel, payment] = await Promise.allSettled([tracking(order), paymentState(order)]);
  if (parcel.reason && payment.reason) throw new HttpError(503, 'order_state_unknown');
  const out = { id, total: order.total, ...parcel.value, ...payment.value };
  if (parcel.reason) out.delivery = 'not available';
  if (payment.reason) out.payment = 'not available';
  if (mended('eta-epoch') && !isText(out.eta)) delete out.eta;
  if (out.eta === undefined) return out;
  try {
    out.eta = new Date(out.eta).toISOString().slice(0, 10);
  } catch (err) {
    if (mended('eta-trace')) throw new UpstreamError(502, 'parcel_bad_eta');
    console.error(err);
    return [500, { error: err.message, stack: err.stack }];
  }
  return out;
}

async function postReturn({ params: [id] }) {
  const order = findOrder(id);
  const result = { id, state: 'returned' };
  const parcel = await request('parcel', 'POST', '/v1/returns', { body: { tracking: order.tracking } }).catch(() => null);
  if (parcel?.status === 422) throw new HttpError(409, 'return_period_over');
  const url = parcel?.ok ? object(parcel).label_url : null;
  if (isText(url)) result.label = url;
  else result.label_by = 'mail';
  try {
    const res = await payApi('POST', `/v1/intents/${order.payment}/refunds`, { amount: order.total });
    if (res.status === 409) result.refund = 'already made';
    else if (!res.ok) throw new UpstreamError(503, 'pay_refund_failed');
    else result.refund = object(res).status === 'pending' ? 'in some days' : 'made';
  } catch (err) {
    if (mended('refund-swallowed')) throw err;
    console.error(`refund of ${id}: ${err.message}`);
  }
  order.state = 'returned';
  return result;
}

// --- http

const routes = [
  ['GET', /^\/products\/(\d+)$/, getProduct],
  ['GET', /^\/search$/, search],
  ['POST', /^\/cart\/price$/, postPrice],
  ['POST', /^\/checkout$/, postCheckout],
  ['GET', /^\/orders\/(\d+)$/, getOrder],
  ['POST', /^\/orders\/(\d+)\/return$/, postReturn],
];

async function handle(req) {
  const url = new URL(req.url, 'http://shop');
  let text = '';
  for await (const chunk of req) text += chunk;
  if (url.pathname === '/health') return { status: 'ok' };
  if (req.method === 'POST' && url.pathname === '/reset') return resetDb();
  for (const [method, pattern, handler] of routes) {
    const match = method === req.method && pattern.exec(url.pathname);
    if (!match) continue;
    let body = null;
    try {
      if (method === 'POST') body = Object(JSON.parse(text || '{}'));
    } catch {
      throw new HttpError(400, 'no_json');
    }
    return handler({ params: match.slice(1), query: url.searchParams, body });
  }
  throw new HttpError(404, 'not_found');
}

const server = createServer(async (req, res) => {
  let status = 200, body;
  try {
    const result = (await handle(req)) ?? { reset: true };
    [status, body] = Array.isArray(result) ? result : [200, result];
  } catch (err) {
    status = err instanceof HttpError ? err.status : 500;
    body = err instanceof HttpError ? { error: err.message, ...err.details } : { error: 'server_error' };
    if (status === 500) console.error(`${req.method} ${req.url}`, err);
  }
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify(body));
});

const { values } = parseArgs({ options: { port: { type: 'string', default: process.env.PORT || '8000' } } });
resetDb();
server.listen(Number(values.port), '127.0.0.1', () => console.error(`checkout listens on port ${values.port}`));
