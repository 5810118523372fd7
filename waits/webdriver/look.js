// Says by what of an element that is likely to last it is the only one: for each root around it, those of shadow trees and that of its
// document, the outermost first, a list of names as package oracle has them, the best first. It runs where no script of the page sees it
// (that of Playwright runs in the page), looks, and changes nothing.
(element) => {
  'use strict';
  const longest = 100;
  // What is longer, or has something in it that nobody sees, is no name.
  const fits = (text) => text !== '' && text.length <= longest && !/[\p{C}\p{Zl}\p{Zp}]|[^\S ]/u.test(text);
  const spaced = (text) => String(text ?? '').replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
  const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const literal = (text) => { // of XPath, which has no escapes
    if (!text.includes('"')) return `"${text}"`;
    if (!text.includes("'")) return `'${text}'`;
    return `concat(${text.split(/(")/).filter(Boolean).map((part) => (part === '"' ? `'"'` : `"${part}"`)).join(', ')})`;
  };
  const tests = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa', 'data-e2e'];
  const types = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
    number: 'spinbutton', search: 'searchbox', text: 'textbox', email: 'textbox', tel: 'textbox', url: 'textbox' };
  const tags = { button: 'button', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', textarea: 'textbox',
    nav: 'navigation', main: 'main', dialog: 'dialog', table: 'table', img: 'img', output: 'status', progress: 'progressbar', option: 'option' };
  const named = new Set(['button', 'link', 'heading', 'tab', 'menuitem', 'option', 'checkbox', 'radio', 'switch', 'cell', 'treeitem', 'tooltip']);

  const roleOf = (e) => {
    const own = spaced(e.getAttribute('role')).split(' ')[0];
    switch (own || e.localName) {
      case 'a': return e.hasAttribute('href') ? 'link' : '';
      case 'input': return types[e.type] ?? '';
      case 'select': return e.multiple || e.size > 1 ? 'listbox' : 'combobox';
      default: return own || tags[e.localName] || '';
    }
  };
  const small = (e) => e.getElementsByTagName('*').length <= 10;
  const textOf = (e) => (small(e) && !/^(?:html|body|script|style|textarea|select)$/.test(e.localName) ? spaced(e.textContent) : '');
  // A row of a table has the text of all its cells: what is one's own lasts longer than what several others say.
  const holdsOthers = (e) => [...e.children].some((child) => spaced(child.textContent) !== '');
  const labelOf = (e) => spaced(e.getAttribute('aria-label'));
  const nameOf = (e, role) => labelOf(e) || spaced(e.labels?.[0]?.textContent) || spaced(e.getAttribute('alt')) ||
    (named.has(role) ? textOf(e) : '');

  const namesOf = (e, root) => {
    const names = [];
    const add = (by, css, more) => {
      if (root.querySelectorAll(css).length === 1) names.push({ by, locator: { using: 'css selector', value: css }, ...more });
    };
    if (fits(e.id)) add('id', `#${CSS.escape(e.id)}`);
    for (const attribute of tests) {
      const value = e.getAttribute(attribute) ?? '';
      if (fits(value)) add('test id', `[${attribute}=${quoted(value)}]`, attribute === 'data-testid' ? { text: value } : {});
    }
    const own = e.getAttribute('role') ?? '';
    const role = roleOf(e);
    const label = labelOf(e);
    const name = nameOf(e, role);
    if (role && fits(name)) {
      if (name === label && name === e.getAttribute('aria-label')) {
        add('role', `${own ? `[role=${quoted(own)}]` : e.localName}[aria-label=${quoted(name)}]`, { role, text: name });
      }
      if (!names.some(({ by }) => by === 'role')) names.push({ by: 'role', role, text: name }); // that it is the only one, Playwright has to say
    }
    if (fits(own)) add('role', `[role=${quoted(own)}]`, { role });
    const text = named.has(role) || !holdsOthers(e) ? textOf(e) : '';
    if (fits(text) && e.namespaceURI === 'http://www.w3.org/1999/xhtml' && /^[a-z][a-z0-9]*$/.test(e.localName)) {
      const xpath = `//${e.localName}[normalize-space()=${literal(text)}]`;
      const all = `count(${xpath} | //${e.localName}[normalize-space(text())=${literal(text)}])`;
      // 1 is XPathResult.NUMBER_TYPE. No XPath reaches into a shadow tree.
      const only = root === document && document.contentType === 'text/html' && document.evaluate(all, document, null, 1, null).numberValue === 1;
      names.push({ by: 'text', tag: e.localName, text, ...(only && { locator: { using: 'xpath', value: xpath } }) });
    }
    return names;
  };

  const steps = [];
  for (let e = element; e && steps.length < 8;) {
    const root = e.getRootNode();
    const within = root === document || root.host;
    if (!within) break; // it is no part of the page any more
    steps.unshift(namesOf(e, root));
    e = root.host;
  }
  return JSON.stringify(steps);
}
