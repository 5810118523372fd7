const assert = require('node:assert');
const { after, before, test } = require('node:test');
const { remote } = require('webdriverio');

const base = process.env.PAGES;
let browser;

before(async () => {
  const args = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'];
  const options = { binary: process.env.CHROMIUM, args };
  browser = await remote({ logLevel: 'error', capabilities: { browserName: 'chrome', 'goog:chromeOptions': options } });
});

after(() => browser.deleteSession());

async function open(name) {
  await browser.url(`${base}/${name}`);
}

test('fetch', async () => {
  await open('fetch');
  await browser.$('#go').click();
  assert.strictEqual(await browser.$('#age').getText(), '23');
});

test('jitter', async () => {
  await open('jitter');
  await browser.$('#go').click();
  const age = await browser.$('#age').getText();
  assert.strictEqual(age, '23');
});

test('list', async () => {
  await open('list');
  await browser.$('#q').setValue('a');
  const items = await browser.$$('#items li').getElements();
  assert.strictEqual(items.length, 5);
  assert.strictEqual(await items[4].getText(), 'elk');
});

test('value', async () => {
  await open('value');
  await browser.$('#go').click();
  const value = await browser.$('#age').getValue();
  assert.strictEqual(value, '23');
});

test('ticker', async () => {
  await open('ticker');
  await browser.$('#go').click();
  assert.strictEqual(await browser.$('#age').getText(), '23');
});

test('toast', async () => {
  await open('toast');
  await browser.$('#go').click();
  assert.strictEqual(await browser.$('#toast').isExisting(), true);
  assert.strictEqual(await browser.$('#toast').getText(), 'Saved 23');
});

test('confirm', async () => {
  await open('confirm');
  const opened = new Promise((resolve) => browser.once('dialog', resolve));
  await browser.$('#go').click();
  const dialog = await opened;
  assert.strictEqual(dialog.message(), 'Delete 23?');
  await dialog.accept();
  assert.strictEqual(await browser.$('#age').getText(), 'deleted 23');
});

test('navigate', async () => {
  await open('navigate');
  await browser.$('#go').click();
  assert.strictEqual(await browser.$('h1').getText(), 'Next');
  assert.strictEqual(await browser.$('#age').getText(), '23');
});

test('shadow', async () => {
  await open('shadow');
  await browser.$('#go').click();
  const card = await browser.$('#card');
  assert.strictEqual(await card.$('#age').getText(), '23');
});

test('poll', async () => {
  await open('poll');
  await browser.$('#go').click();
  assert.strictEqual(await browser.$('#age').getText(), '23');
});
