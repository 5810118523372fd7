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

test('popup', async () => {
  await page.goto(`${base}/popup`);
  const opens = page.waitForEvent('popup');
  await page.click('#go');
  const popup = await opens;
  assert.strictEqual(await popup.textContent('#age'), '23');
  await popup.close();
  assert.strictEqual(await page.title(), 'Ages');
});

test('frame', async () => {
  await page.goto(`${base}/frame`);
  await page.click('#go');
  const inner = page.frameLocator('#inner');
  assert.strictEqual(await inner.locator('#age').textContent(), '23');
});
