const { remote } = require('webdriverio');

test('before any element', async () => {
  assert.equal(await browser.getTitle(), 'A'); // @@ title | "A"
});

describe('globals of the runner', () => {
  it('statements', async () => {
    await browser.url('/');
    await $('#go').click(); // @@ click | - | #go
    assert.equal(await $('#age').getText(), '23'); // @@ text | "23" | #age
    const shown = await $('.x > b').isDisplayed() // @@ displayed | true | .x > b
    const gone = await $('//p').getAttribute('title') // @@ attribute title | null | //p
    const value = await $('#in').getValue(); // @@ property value | "it's" | #in
    const items = await $$('li'); // @@ find all | 5 | li
    await items[4].getText(); // @@ text | "elk" | nth 5 li
    const inner = await $('ul').$$('li').length; // @@ find all | 2 | ul | li
    await $('card').shadow$('#age').getText(); // @@ text | "23" | card | shadow | #age
    const there = await $('#toast').isExisting(); // @@ find | - | #toast
    const windows = await browser.getWindowHandles(); // @@ windows | 2
    const color = await $('p').getCSSProperty('color'); // @@ css color | "red" | p
    const hidden = await $('#x').isDisplayed(); // @@ displayed | false | #x
    await expect($('#age')).toHaveText('23');
  });
});

describe('browsers of one\'s own', () => {
  let ada;
  before(async () => {
    ada = await remote({ capabilities: { browserName: 'chrome' } });
  });

  it('statements', async () => {
    await ada.url('/');
    await ada.$('#go').click();
    const card = await ada.$('#card');
    await card.$('#age').getText(); // @@ text | "23" | #card | #age
    await ada.$$('b')[1].getText(); // @@ text | "bee" | nth 2 b
    const url = await ada.getUrl(); // @@ url | "http://x/"
  });
});

test('actions', async () => {
  await browser.$('#go0').click(); // @@ after | #list children 5; #age text 23; #go @class done "5" | #go0
  await browser.$('#go1').click(); // @@ after | card >>> p > b text 7; #go @aria-busy | #go1
  await browser.$('#go2').click(); // @@ after | #yes checked true; #list children 2; #list text AnnaBob | #go2
  await browser.$('#go3').click(); // @@ after | #box @style color: red; #more text two  words | #go3
});
