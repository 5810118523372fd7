// Writes down what a suite can observe of a browser: one line for each thing, the same ones each time.
const { Builder, By, until } = require('selenium-webdriver');
const firefox = require('selenium-webdriver/firefox');

const say = (what, is) => console.log(`observed ${what}: ${JSON.stringify(is)}`);
const error = (failed) => ({ error: failed.name, message: failed.message, text: failed.text });

async function visit(driver) {
  await driver.get(`${process.env.PAGES}/dialogs`);
  const click = async (id) => {
    await driver.findElement(By.id(id)).click();
    await driver.wait(until.alertIsPresent(), 60000);
    await driver.sleep(300); // it stays
  };
  const result = async () => {
    const text = () => driver.findElement(By.id('result')).getText();
    await driver.wait(async () => (await text()) !== '', 60000);
    return text();
  };
  for (const id of ['confirm', 'later']) {
    await click(id);
    say(`${id} text`, await driver.switchTo().alert().getText());
    await driver.switchTo().alert().accept();
    say(`${id} result`, await result());
    await click(id);
    say(`${id} unexpected`, await driver.getTitle().catch(error));
    say(`${id} after it`, await driver.switchTo().alert().then((a) => a.dismiss()).catch((failed) => failed.name));
    say(`${id} result then`, await result());
  }
  await click('prompt');
  await driver.switchTo().alert().sendKeys('Ada');
  await driver.switchTo().alert().accept();
  say('prompt result', await result());
  await driver.manage().addCookie({ name: 'session', value: 'kept' });
  say('cookies', (await driver.manage().getCookies()).map((c) => `${c.name}=${c.value}`));
  say('storage', await driver.executeScript('localStorage.setItem("a", "b"); return [localStorage.length, sessionStorage.length]'));
  say('names of the window', await driver.executeScript('return Object.getOwnPropertyNames(window).length'));
  say('setTimeout', await driver.executeScript('return [setTimeout.name, setTimeout.length]'));
  await driver.executeScript('window.onbeforeunload = () => "stay"');
  await driver.get(`${process.env.PAGES}/dialogs`);
  say('left', await driver.getTitle());
}

(async () => {
  for (const prompts of ['', 'accept']) {
    const options = new firefox.Options().addArguments('-headless').setBinary(process.env.FIREFOX);
    if (prompts) options.set('unhandledPromptBehavior', prompts);
    const driver = await new Builder().forBrowser('firefox').setFirefoxOptions(options).build();
    try {
      const is = await driver.getCapabilities();
      say('capabilities', [...is.keys()].sort());
      say('prompts', is.get('unhandledPromptBehavior'));
      await visit(driver);
    } finally {
      await driver.quit();
    }
  }
})();
