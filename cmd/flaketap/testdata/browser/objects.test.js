const assert = require('node:assert');
const { after, before, test } = require('node:test');
const { Builder, By } = require('selenium-webdriver');
const chrome = require('selenium-webdriver/chrome');

let driver;

class Page {
  constructor(browser) {
    this.browser = browser;
  }

  async open(name) {
    await this.browser.get(`${process.env.PAGES}/${name}`);
  }

  async find(id) {
    return this.browser.findElement(By.id(id));
  }

  async text(id) {
    const element = await this.find(id);
    return element.getText();
  }

  async go() {
    await (await this.find('go')).click();
  }
}

class Toasts extends Page {
  async toast() {
    return (await this.find('toast')).getText();
  }
}

before(async () => {
  const options = new chrome.Options().addArguments('--headless=new', '--no-sandbox', '--disable-dev-shm-usage');
  options.setChromeBinaryPath(process.env.CHROMIUM);
  driver = await new Builder().forBrowser('chrome').setChromeOptions(options).build();
});

after(() => driver.quit());

test('fetch', async () => {
  const page = new Page(driver);
  await page.open('fetch');
  await page.go();
  assert.strictEqual(await driver.getTitle(), 'Ages');
  assert.strictEqual(await page.text('go'), 'Go');
  assert.strictEqual(await page.text('age'), '23');
});

test('toast', async () => {
  const page = new Toasts(driver);
  await page.open('toast');
  await page.go();
  assert.strictEqual(await page.toast(), 'Saved 23');
});
