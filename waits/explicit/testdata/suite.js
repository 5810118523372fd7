const { By } = require('selenium-webdriver');

let driver;

test('statements', async () => {
  await driver.findElement(By.id('go')).click(); // @@ root | - | #go
  assert.equal(await driver.findElement(By.id('age')).getText(), '23'); // @@ text | "23" | #age
  const shown = await driver.findElement(By.css('.x > b')).isDisplayed() // @@ displayed | true | .x > b
  const gone = await driver.findElement(By.xpath('//p')).getAttribute('title') // @@ attribute title | null | //p
  const all = await driver.findElements(By.css('li')); // @@ find all | 5 | li
  await all[4].getText(); // @@ text | "it's \"5\"" | nth 5 li
  const card = await driver.findElement(By.css('card')); // @@ find | - | card
  await (await (await card.getShadowRoot()).findElement(By.css('#age'))).getText(); // @@ text | "23" | card | shadow | #age
  const title = await driver.getTitle(); // @@ title | "A"
  const sure = await driver.switchTo().alert().getText(); // @@ text of the alert | "Sure?"
  const windows = await driver.getAllWindowHandles(); // @@ windows | 2
  const color = await driver.findElement(By.css('p')).getCssValue('color'); // @@ css color | "red" | p
  await driver.findElement(By.id('late')).click(); // @@ click | - | #late
  if (await driver.findElement(By.id('a')).isEnabled()) { // @@ enabled | true | #a
    await driver.findElement(By.id('b')).getText(); // @@ text | "b" | #b
  } else if (
    await driver.findElement(By.id('c')).getText() // @@ text | "c" | #c
  ) {
    return;
  }
  const name =
    await driver.findElement(By.id('d')).getText(); // @@ text | "d" | #d
  await (open())
  await driver.findElement(By.id('n')).getText() // @@ text | "n" | #n
  const page = {
    text: await driver.findElement(By.id('e')).getText(), // @@ text | "e" | #e
  };
});

test('left', async () => {
  while (
    await driver.findElement(By.id('f')).getText() // @@ text | "f" | #f
  ) {}
  const each = all.map(async (x) =>
    await x.getText()); // @@ text | "g" | #g
  if (each) 
    await driver.findElement(By.id('h')).getText(); // @@ text | "h" | #h
  for (const x of all)
    await driver.findElement(By.id('l')).getText(); // @@ text | "l" | #l
  for await (const x of all)
    await driver.findElement(By.id('m')).getText(); // @@ text | "m" | #m
  do
    await driver.findElement(By.id('o')).getText(); // @@ text | "o" | #o
  while (false);
  const [a, b] = [1, 2]; await
    driver.findElement(By.id('i')).getText(); // @@ text | "i" | #i
  driver.findElement(By.id('j')).getText(); // @@ text | "j" | #j
});

test('another driver', async () => {
  const own = await open();
  await own.findElement(By.id('p')).click(); // @@ root | - | #p
});

test('the driver of the file', async () => {
  await page.age(); // @@ text | "q" | #q
});

class Page {
  async age() {
    return await this.driver.findElement(By.id('k')).getText(); // @@ text | "k" | #k
  }
}

test('actions', async () => {
  await driver.findElement(By.id('go0')).click(); // @@ after | #list children 5; #age text 23; #go @class done "5" | #go0
  await driver.findElement(By.id('go1')).click(); // @@ after | card >>> p > b text 7; #go @aria-busy | #go1
  await driver.findElement(By.id('go2')).click(); // @@ after | #yes checked true; #list children 2; #list text AnnaBob | #go2
  await driver.findElement(By.id('go3')).click(); // @@ after | #box @style color: red; #more text two  words | #go3
});
