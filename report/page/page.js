(() => {
  'use strict';
  const $ = (s) => document.querySelector(s);
  // On a page of very many places, what is in one stands in a comment until it is opened: the page's own markup, escaped.
  const fill = (d) => {
    const last = d.lastChild;
    if (!last || last.nodeType !== Node.COMMENT_NODE) return;
    const t = document.createElement('template');
    t.innerHTML = last.data;
    last.replaceWith(t.content);
  };
  document.addEventListener('toggle', (e) => fill(e.target), true);
  // What a link names is opened, and so is what it stands in.
  const reveal = () => {
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    for (let e = at; e; e = e.parentElement) if (e.tagName === 'DETAILS') { fill(e); e.open = true; }
    if (at.hidden || at.closest('[hidden]')) clear();
    at.scrollIntoView({block: 'start'});
  };
  const form = $('#filter');
  if (!form) { addEventListener('hashchange', reveal); reveal(); return; }
  form.hidden = false;
  const query = $('#q'), said = $('#shown'), open = $('#open'), places = [...document.querySelectorAll('details.p')];
  const groups = [...document.querySelectorAll('section.op')];
  let texts = null, waiting = 0;
  const names = new Map(groups.map((g) => [g, g.querySelector('h3').textContent]));
  const text = (p) => names.get(p.parentElement) + ' ' + p.textContent +
    (p.lastChild.nodeType === Node.COMMENT_NODE ? p.lastChild.data.replace(/<[^>]*>/g, ' ') : '');
  const read = () => texts ??= places.map((p) => text(p).toLowerCase());
  const kinds = places.map((p) => p.querySelector('span'));
  const apply = () => {
    waiting = 0;
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const category = form.category.value, judgement = form.judgement.value, fresh = form.fresh && form.fresh.checked;
    if (words.length) read();
    let n = 0;
    const live = new Set();
    places.forEach((p, i) => {
      const on = (!category || kinds[i].firstChild.textContent === category) && (!judgement || kinds[i].className === judgement) &&
        (!fresh || 'new' in p.dataset) && words.every((w) => texts[i].includes(w));
      if (p.hidden === on) p.hidden = !on;
      if (on) { n++; live.add(p.parentElement); }
    });
    for (const g of groups) g.hidden = !live.has(g);
    said.textContent = (n === places.length ? '' : `${n} of `) + `${places.length} place` + (places.length === 1 ? '' : 's');
  };
  const later = () => { if (!waiting) waiting = requestAnimationFrame(apply); };
  const clear = () => { form.reset(); apply(); };
  form.addEventListener('input', later);
  form.addEventListener('submit', (e) => e.preventDefault());
  form.addEventListener('reset', () => setTimeout(apply));
  open.addEventListener('click', () => {
    const shown = places.filter((p) => !p.hidden).slice(0, 100), all = shown.every((p) => p.open);
    for (const p of shown) p.open = !all;
  });
  // A category in the headline filters by it.
  for (const a of document.querySelectorAll('a[data-filter]')) {
    a.addEventListener('click', () => { form.reset(); form.category.value = a.dataset.filter; apply(); });
  }
  // On paper, what is shown is open, as far as that can be read.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')].filter((d) => !d.hidden).slice(0, 300);
    for (const d of closed) { fill(d); d.open = true; }
  });
  addEventListener('afterprint', () => { for (const d of closed) d.open = false; closed = []; });
  addEventListener('hashchange', reveal);
  reveal();
})();
