// Property matchers for what is volatile in an API's answers, written by flaketap map --format jest.
//
//   const { matchers, strip } = require('./volatile.js');
//   const m = matchers['GET /orders/{id} 200'];
//   expect(strip(body, m.optional)).toMatchSnapshot(m.body);
'use strict';

const matcher = (name, test) => ({
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch: test,
  toAsymmetricMatcher: () => name,
  toString: () => name,
});

const matches = (wanted, value) =>
  wanted !== null && typeof wanted === 'object' && typeof wanted.asymmetricMatch === 'function'
    ? wanted.asymmetricMatch(value)
    : wanted === value;

// Whatever is there, null too.
const anything = matcher('Anything', () => true);

// One of these values, or of what matches one of these matchers.
const oneOf = (...all) => matcher('OneOf', (value) => all.some((wanted) => matches(wanted, value)));

// An array, or an object with data for keys, each element of which matches.
const each = (wanted) =>
  matcher('Each', (value) => value !== null && typeof value === 'object' && Object.values(value).every((v) => matches(wanted, v)));

// A number of the kind and within the bounds that are given.
const number = ({ integer = false, min = -Infinity, max = Infinity }) =>
  matcher('Number', (value) => typeof value === 'number' && (!integer || Number.isInteger(value)) && value >= min && value <= max);

// A copy of a body without what stands at the end of these ways; null on a way is every element.
const strip = (body, ways) => {
  const copy = structuredClone(body);
  const cut = (value, [key, ...rest]) => {
    if (value === null || typeof value !== 'object') return;
    for (const k of key === null ? Object.keys(value) : [key]) {
      if (!Object.hasOwn(value, k)) continue;
      if (rest.length > 0) cut(value[k], rest);
      else delete value[k];
    }
  };
  for (const way of ways) cut(copy, way);
  return copy;
};
