const assert = require('node:assert');
const { after, before, test } = require('node:test');
const { chromium } = require('playwright-core');

let browser;
let page;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  page = await browser.newPage();
});

after(() => browser.close());

async function ask() {
  await page.goto(`${process.env.PAGES}/named`);
  await page.click('//html/body/button[1]');
}

test('test id', async () => {
  await ask();
  assert.strictEqual(await page.textContent('//html/body/p[2]'), '23');
});

test('role', async () => {
  await ask();
  assert.strictEqual(await page.locator('p').nth(2).textContent(), '23');
});

test('text', async () => {
  await ask();
  assert.ok(await page.isVisible('//html/body/p[4]'));
});

test('label', async () => {
  await ask();
  assert.ok(await page.locator('button').nth(1).isVisible());
});
