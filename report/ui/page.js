(() => {
  'use strict';
  const $ = (id) => document.getElementById(id);
  const stream = $('stream'), tall = $('tall'), panel = $('panel'), follow = $('follow');
  const rowHeight = 24, pageSize = 100, maxHeight = 8e6, keepPages = 300;
  const tabs = ['exchange', 'raw', 'beside', 'why', 'depends'];
  let key = sessionStorage.getItem('flaketap-key') || '', state = {count: 0, runs: []}, chosen = 0;

  // What is asked of the server.
  const call = async (path, init = {}) => {
    const r = await fetch(path, {...init, headers: {...init.headers, 'X-Flaketap-Key': key}, cache: 'no-store'});
    if (r.status === 403) { sessionStorage.removeItem('flaketap-key'); say('Open the address that flaketap ui printed'); throw new Error('locked'); }
    return r;
  };
  const say = (text) => { $('now').textContent = text; };
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const enter = async () => {
    const m = /^#token=(\w+)$/.exec(location.hash);
    if (!m) return;
    history.replaceState(null, '', '/'); // the token stays in no history
    const r = await fetch('/session', {method: 'POST', body: m[1], cache: 'no-store'});
    if (r.ok) { key = await r.text(); sessionStorage.setItem('flaketap-key', key); }
  };

  // The stream: only the rows that are seen are there. A row of number n stands in slot n modulo the slots.
  const pages = new Map(), asked = new Set();
  let slots = [], drawing = 0;
  const visible = () => Math.ceil(stream.clientHeight / rowHeight) + 1;
  const fits = () => state.count * rowHeight <= maxHeight;
  const firstRow = () => {
    if (fits()) return Math.floor(stream.scrollTop / rowHeight);
    const room = maxHeight - stream.clientHeight;
    return Math.round(Math.min(1, stream.scrollTop / room) * Math.max(0, state.count - visible() + 2));
  };
  const newRow = () => {
    const e = document.createElement('div');
    e.setAttribute('role', 'option');
    for (let i = 0; i < 6; i++) e.append(document.createElement('span'));
    tall.append(e);
    return {e, n: 0, full: false};
  };
  const fill = (slot, n, data) => {
    const cells = slot.e.children;
    slot.n = n; slot.full = !!data;
    slot.e.id = 'row-' + n;
    slot.e.dataset.n = n;
    slot.e.setAttribute('aria-posinset', n);
    slot.e.setAttribute('aria-setsize', state.count);
    const texts = data ? [n, data.outcome, data.method, data.target, data.ms < 10 ? data.ms.toFixed(1) : data.ms.toFixed(0), data.bytes] : [n, '', '', '…', '', ''];
    texts.forEach((t, i) => { cells[i].textContent = t; });
    slot.e.className = data && data.bad ? 'bad' : '';
  };
  const draw = () => {
    drawing = 0;
    const first = firstRow(), from = Math.max(1, first - 9), to = Math.min(state.count, first + visible() + 10);
    const need = visible() + 24;
    while (slots.length < need) { slots.push(newRow()); slots.forEach((s) => { s.n = 0; }); }
    const base = fits() ? 0 : stream.scrollTop - first * rowHeight;
    const used = new Set();
    for (let n = from; n <= to; n++) {
      const slot = slots[n % slots.length], page = pages.get(Math.floor((n - 1) / pageSize));
      used.add(slot);
      const data = page && page.rows.get(n);
      if (slot.n !== n || !slot.full && data) fill(slot, n, data);
      slot.e.hidden = false;
      const on = String(n === chosen);
      if (slot.e.getAttribute('aria-selected') !== on) slot.e.setAttribute('aria-selected', on);
      const y = `translateY(${base + (n - 1) * rowHeight}px)`;
      if (slot.e.style.transform !== y) slot.e.style.transform = y;
      if (!page) ask(Math.floor((n - 1) / pageSize));
    }
    for (const s of slots) if (!used.has(s)) { s.e.hidden = true; s.n = 0; }
    if (chosen && used.size && chosen >= from && chosen <= to) stream.setAttribute('aria-activedescendant', 'row-' + chosen);
    else stream.removeAttribute('aria-activedescendant');
  };
  const later = () => { if (!drawing) drawing = requestAnimationFrame(draw); };
  const ask = async (page) => {
    if (asked.has(page) || asked.size >= 4) return;
    asked.add(page);
    const until = state.count, begun = state.begun;
    try {
      const rows = await (await call(`/rows?from=${page * pageSize + 1}&count=${pageSize}`)).json();
      if (begun !== state.begun) return;
      pages.set(page, {rows: new Map(rows.map((r) => [r.n, r])), whole: until >= (page + 1) * pageSize, until});
      if (pages.size > keepPages) pages.delete(pages.keys().next().value);
    } finally {
      asked.delete(page);
      later();
    }
  };
  const reveal = (n) => {
    const top = (n - 1) * rowHeight;
    if (!fits()) stream.scrollTop = (n - 1) / Math.max(1, state.count - visible() + 2) * (maxHeight - stream.clientHeight);
    else if (top < stream.scrollTop) stream.scrollTop = top;
    else if (top + rowHeight > stream.scrollTop + stream.clientHeight) stream.scrollTop = top + rowHeight - stream.clientHeight;
  };
  let opening = 0;
  const choose = (n, delay) => {
    chosen = Math.max(1, Math.min(state.count, n));
    reveal(chosen);
    later();
    clearTimeout(opening);
    opening = setTimeout(() => { location.hash = `#/${tabs.includes(shown.name) ? shown.name : 'exchange'}?n=${chosen}`; }, delay);
  };
  stream.addEventListener('scroll', later, {passive: true});
  stream.addEventListener('wheel', (e) => { if (e.deltaY < 0) follow.checked = false; }, {passive: true});
  stream.addEventListener('click', (e) => {
    const row = e.target.closest('[data-n]');
    if (row) choose(+row.dataset.n, 0);
  });
  stream.addEventListener('keydown', (e) => {
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: visible() - 2, PageUp: 2 - visible(), Home: -state.count, End: state.count}[e.key];
    if (!by || e.ctrlKey || e.altKey || e.metaKey || !state.count) return;
    e.preventDefault();
    if (by < 0) follow.checked = false;
    choose((chosen || firstRow()) + by, 80);
  });
  addEventListener('resize', later);

  // Panels: what the address names, as the server wrote it. Attributes of the markup say what is asked for again.
  let shown = {name: '', query: '', text: ''}, turn = 0;
  const put = (at, text) => {
    at.innerHTML = text;
    for (const e of at.querySelectorAll('[data-src]')) refresh(e);
  };
  const refresh = async (e) => {
    const text = await (await call('/panel/' + e.dataset.src)).text();
    if (e.last !== text) { e.last = text; put(e, text); }
  };
  const load = async (name, query) => {
    const mine = ++turn, again = name === shown.name && query === shown.query;
    const text = await (await call(`/panel/${name}${query}`)).text();
    if (mine !== turn || again && text === shown.text) return;
    const lost = panel.contains(document.activeElement);
    shown = {name, query, text};
    put(panel, text);
    if (!again) panel.scrollTop = 0;
    if (lost) panel.focus({preventScroll: true});
  };
  const route = () => {
    const m = /^#\/([a-z]+)(\?.*)?$/.exec(location.hash);
    if (!m) return;
    const n = +new URLSearchParams(m[2]).get('n');
    if (n && n !== chosen) { chosen = n; reveal(n); later(); }
    for (const a of document.querySelectorAll('header nav a')) {
      if (a.hash === '#/' + m[1]) a.setAttribute('aria-current', 'page'); else a.removeAttribute('aria-current');
    }
    load(m[1], m[2] || '').catch(() => {});
  };
  addEventListener('hashchange', route);
  const post = async (form, button) => {
    const tries = form.dataset.live && (!button || button.value === 'try');
    const r = await call('/panel/' + form.dataset.post, {method: 'POST', body: new URLSearchParams(new FormData(form, button))});
    const text = await r.text();
    if (tries) put(document.querySelector(form.dataset.live), text);
    else if ('again' in form.dataset) route();
    else { shown.text = text; put(panel, text); panel.focus({preventScroll: true}); }
  };
  document.addEventListener('submit', (e) => {
    const form = e.target;
    if ('save' in form.dataset) { // the browser sends it, and saves what comes
      const field = document.createElement('input');
      Object.assign(field, {type: 'hidden', name: 'key', value: key});
      form.append(field);
      setTimeout(() => field.remove());
      return;
    }
    e.preventDefault();
    if (form.dataset.go) location.hash = `#/${form.dataset.go}?${new URLSearchParams(new FormData(form))}`;
    else if (form.dataset.post) post(form, e.submitter).catch(() => {});
  });
  let typing = 0;
  document.addEventListener('input', (e) => {
    const form = e.target.form;
    if (!form) return;
    if (form.dataset.go) form.requestSubmit();
    if (form.dataset.live) { clearTimeout(typing); typing = setTimeout(() => post(form).catch(() => {}), 150); }
  });
  $('find').addEventListener('submit', async () => {
    const words = $('find').elements.words.value.trim(), number = /^#?(\d+)$/.exec(words);
    if (!words) return;
    follow.checked = false;
    const n = number ? +number[1] : await (await call(`/find?after=${chosen}&words=${encodeURIComponent(words)}`)).json();
    $('found').textContent = n && n <= state.count ? `Exchange ${n}` : 'Nothing found';
    if (n && n <= state.count) choose(n, 0);
  });
  follow.addEventListener('change', () => { if (follow.checked) stream.scrollTop = tall.offsetHeight; });

  // What the server tells, ten times a second at most.
  const many = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
  const update = (next) => {
    const before = state;
    state = next;
    if (before.begun !== next.begun || next.count < before.count) pages.clear();
    for (const [n, p] of pages) if (!p.whole && p.until < next.count) pages.delete(n);
    $('file').textContent = document.title = next.file;
    say([many(next.count, 'exchange'), many(next.runs.length, 'run'), next.holder && 'live: ' + next.holder, next.trouble].filter(Boolean).join(' · '));
    tall.style.height = Math.min(next.count * rowHeight, maxHeight) + 'px';
    if (follow.checked) stream.scrollTop = tall.offsetHeight;
    for (const s of slots) s.e.setAttribute('aria-setsize', next.count);
    later();
    const moved = (what) => JSON.stringify(before[what]) !== JSON.stringify(next[what]);
    for (const e of panel.querySelectorAll('[data-refresh]')) {
      if (!e.dataset.refresh.split(' ').some(moved)) continue;
      if (e.dataset.src) refresh(e).catch(() => {}); else route();
    }
  };
  // A tab that is not seen lets go of its stream: a browser has six connections to a server, for all its tabs.
  const seen = async () => {
    while (document.hidden) await new Promise((done) => document.addEventListener('visibilitychange', done, {once: true}));
  };
  const listen = async () => {
    const end = new AbortController();
    document.addEventListener('visibilitychange', () => { if (document.hidden) end.abort(); }, {signal: end.signal});
    try { await hear(end.signal); } finally { end.abort(); }
  };
  const hear = async (signal) => {
    const reader = (await call('/events', {signal})).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ;) {
      const {value, done} = await reader.read();
      if (done) return;
      text += value;
      for (let i; (i = text.indexOf('\n\n')) >= 0; text = text.slice(i + 2)) {
        const m = /^data: (.*)$/m.exec(text.slice(0, i));
        if (m) update(JSON.parse(m[1]));
      }
    }
  };
  (async () => {
    await enter();
    route();
    for (;;) {
      await seen();
      try {
        await listen();
      } catch (e) {
        if (e.name === 'AbortError') continue;
        if (e.message === 'locked') return;
      }
      say('Not connected: flaketap ui has ended, or is out of reach');
      await wait(1000);
    }
  })();
})();
