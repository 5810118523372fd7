'use strict';
// Shows the sections that have all words of the query, the best first: a word counts most in the title of a chapter,
// then in that of a section, then in the text, where long sections have many words by their length alone. A word finds
// those that begin with it, too.

const shown = 30;

function words(text) {
  return text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);
}

function weight(word, section) {
  const begins = (text) => words(text).filter((w) => w.startsWith(word)).length;
  const within = (section.title + ' ' + section.text).toLowerCase().includes(word) ? 0.1 : 0;
  const length = Math.max(1, section.text.length / 2000);
  return 20 * begins(section.chapter) + 10 * begins(section.title) + Math.min(begins(section.text), 5) / length + within;
}

function search(query) {
  const asked = words(query);
  if (asked.length === 0) return [];
  return sections
    .map((section) => ({ section, weights: asked.map((word) => weight(word, section)) }))
    .filter(({ weights }) => weights.every((w) => w > 0))
    .map(({ section, weights }) => ({ section, sum: weights.reduce((a, b) => a + b) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ section }) => section);
}

// The text around the first word of the query that it has.
function excerpt(text, query) {
  const at = Math.max(0, ...words(query).map((word) => text.toLowerCase().indexOf(word)));
  const from = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 80)));
  return (from > 0 ? '…' : '') + text.slice(from, from + 240) + (from + 240 < text.length ? '…' : '');
}

function item(section, query) {
  const link = document.createElement('a');
  link.href = section.page + (section.id ? '#' + section.id : '');
  link.textContent = section.title === section.chapter ? section.title : section.chapter + ': ' + section.title;
  const text = document.createElement('p');
  text.textContent = excerpt(section.text, query);
  const li = document.createElement('li');
  li.append(link, text);
  return li;
}

function show(query) {
  const all = search(query);
  const count = all.length === 1 ? '1 section' : all.length + ' sections';
  document.getElementById('told').textContent =
    query.trim() === '' ? 'Type a word above.' : count + (all.length > shown ? ', the best ' + shown + ' of them' : '');
  document.getElementById('found').replaceChildren(...all.slice(0, shown).map((s) => item(s, query)));
}

const input = document.querySelector('input[type=search]');
if (document.getElementById('found')) {
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  show(input.value);
  input.addEventListener('input', () => show(input.value));
  input.focus();
}
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && event.target !== input) {
    event.preventDefault();
    input.focus();
  }
});
// On a narrow screen the contents would push the page away.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('nav details').open = false;
