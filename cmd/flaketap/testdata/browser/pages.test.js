const assert = require('node:assert');
const { after, before, test } = require('node:test');
const { Builder, By } = require('selenium-webdriver');
const chrome = require('selenium-webdriver/chrome');
const firefox = require('selenium-webdriver/firefox');

const base = process.env.PAGES;
let driver;

const browsers = {
  chrome: (builder) => {
    const options = new chrome.Options().addArguments('--headless=new', '--no-sandbox', '--disable-dev-shm-usage');
    return builder.setChromeOptions(options.setChromeBinaryPath(process.env.CHROMIUM));
  },
  firefox: (builder) => builder.setFirefoxOptions(new firefox.Options().addArguments('-headless').setBinary(process.env.FIREFOX)),
};

before(async () => {
  const name = process.env.BROWSER || 'chrome';
  driver = await browsers[name](new Builder().forBrowser(name)).build();
});

after(() => driver.quit());

async function open(name) {
  await driver.get(`${base}/${name}`);
}

test('fetch', async () => {
  await open('fetch');
  await driver.findElement(By.id('go')).click();
  assert.strictEqual(await driver.findElement(By.id('age')).getText(), '23');
});

test('jitter', async () => {
  await open('jitter');
  await driver.findElement(By.id('go')).click();
  const age = await driver.findElement(By.id('age')).getText();
  assert.strictEqual(age, '23');
});

test('list', async () => {
  await open('list');
  await driver.findElement(By.id('q')).sendKeys('a');
  const items = await driver.findElements(By.css('#items li'));
  assert.strictEqual(items.length, 5);
  assert.strictEqual(await items[4].getText(), 'elk');
});

test('value', async () => {
  await open('value');
  await driver.findElement(By.id('go')).click();
  const value = await driver.findElement(By.id('age')).getAttribute('value');
  assert.strictEqual(value, '23');
});

test('ticker', async () => {
  await open('ticker');
  await driver.findElement(By.id('go')).click();
  assert.strictEqual(await driver.findElement(By.id('age')).getText(), '23');
});

test('toast', async () => {
  await open('toast');
  await driver.findElement(By.id('go')).click();
  const toast = await driver.findElement(By.id('toast'));
  assert.strictEqual(await toast.getText(), 'Saved 23');
});

test('confirm', async () => {
  await open('confirm');
  await driver.findElement(By.id('go')).click();
  const dialog = await driver.switchTo().alert();
  assert.strictEqual(await dialog.getText(), 'Delete 23?');
  await dialog.accept();
  assert.strictEqual(await driver.findElement(By.id('age')).getText(), 'deleted 23');
});

test('navigate', async () => {
  await open('navigate');
  await driver.findElement(By.id('go')).click();
  assert.strictEqual(await driver.findElement(By.css('h1')).getText(), 'Next');
  assert.strictEqual(await driver.findElement(By.id('age')).getText(), '23');
});

test('shadow', async () => {
  await open('shadow');
  await driver.findElement(By.id('go')).click();
  const card = await driver.findElement(By.id('card')).getShadowRoot();
  const age = await card.findElement(By.css('#age'));
  assert.strictEqual(await age.getText(), '23');
});

test('poll', async () => {
  await open('poll');
  await driver.findElement(By.id('go')).click();
  assert.strictEqual(await driver.findElement(By.id('age')).getText(), '23');
});
