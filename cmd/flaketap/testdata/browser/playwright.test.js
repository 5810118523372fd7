const assert = require('node:assert');
const { after, before, test } = require('node:test');
const { chromium } = require('playwright-core');

const base = process.env.PAGES;
let browser;
let page;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  page = await browser.newPage();
});

after(() => browser.close());

async function open(name) {
  await page.goto(`${base}/${name}`);
}

test('fetch', async () => {
  await open('fetch');
  await page.click('#go');
  assert.strictEqual(await page.textContent('#age'), '23');
});

test('jitter', async () => {
  await open('jitter');
  await page.click('#go');
  const age = await page.locator('#age').innerText();
  assert.strictEqual(age, '23');
});

test('list', async () => {
  await open('list');
  await page.fill('#q', 'a');
  const items = page.locator('#items li');
  assert.strictEqual(await items.count(), 5);
  assert.strictEqual(await items.nth(4).textContent(), 'elk');
});

test('value', async () => {
  await open('value');
  await page.click('#go');
  const value = await page.locator('#age').inputValue();
  assert.strictEqual(value, '23');
});

test('ticker', async () => {
  await open('ticker');
  await page.click('#go');
  assert.strictEqual(await page.locator('#age').textContent(), '23');
});

test('toast', async () => {
  await open('toast');
  await page.click('#go');
  const toast = await page.locator('#toast').allTextContents();
  assert.deepStrictEqual(toast, ['Saved 23']);
});

test('confirm', async () => {
  await open('confirm');
  let question;
  page.once('dialog', (dialog) => {
    question = dialog.message();
    return dialog.accept();
  });
  await page.click('#go');
  assert.strictEqual(await page.locator('#age').textContent(), 'deleted 23');
  assert.strictEqual(question, 'Delete 23?');
});

test('navigate', async () => {
  await open('navigate');
  await page.click('#go');
  assert.strictEqual(await page.locator('h1').textContent(), 'Next');
  assert.strictEqual(await page.locator('#age').textContent(), '23');
});

test('shadow', async () => {
  await open('shadow');
  await page.click('#go');
  assert.strictEqual(await page.locator('#card #age').textContent(), '23');
});

test('poll', async () => {
  await open('poll');
  await page.click('#go');
  assert.strictEqual(await page.locator('#age').textContent(), '23');
});
