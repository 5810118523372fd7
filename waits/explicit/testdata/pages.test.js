const { chromium } = require('playwright-core');

let page;

test('statements', async () => {
  await page.click('#go'); // @@ - | click | #go
  assert.equal(await page.textContent('#age'), '23'); // @@ textContent | "23" | locator('#age')
  const first = await page.innerText('p.late'); // @@ innerText | "a/b (c)\n d" | locator('p.late')
  const none = await page.locator('#none').textContent() // @@ textContent | "" | =locator('#none')
  const items = page.getByRole('listitem');
  if (await items.count() > 4) { // @@ count | 5 | =getByRole('listitem')
    assert.equal(await items.nth(4).textContent(), 'elk'); // @@ textContent | "elk" | =getByRole('listitem').nth(4)
  }
  await items.count(); // @@ count | 0 | =getByRole('listitem')
  const all = await page.locator('li').allTextContents(); // @@ allTextContents | ["ant","elk"] | =locator('li')
  const value = await page
    .getByLabel('Age', { exact: true })
    .inputValue(); // @@ inputValue | "23" | =getByLabel('Age')
  const title = await page.getAttribute(`#${id}`, 'title'); // @@ getAttribute | "it's" | locator('#x')
  await this.page.getByTestId('late').isVisible(); // @@ isVisible | true | =getByTestId('late')
  await page.isVisible('#spinner'); // @@ isVisible | false | locator('#spinner')
  await this.page.title(); // @@ title | "Ages" | -
  const toast = await page.$('#toast'); // @@ $ | "an element" | locator('#toast')
  const boxes = await page.$$('.box'); // @@ $$ | 3 | locator('.box')
  const checked = await page.locator(selectorOf('age')).isChecked(); // @@ isChecked | true | =locator('#x')
  const texts = await page.$$eval('li', (all) => all.map((e) => e.textContent)); // @@ $$eval | ["a"] | locator('li')
  const held = await toast.textContent(); // @@ textContent | "Saved" | handle
  const late = page.locator('#late').textContent(); // @@ textContent | "x" | =locator('#late')
  const both = ok && (await page.textContent('#age')); const next = await page.textContent('#next'); // @@ textContent | "next" | locator('#next')
});

test('what is there for a while only', async () => {
  const toasts = await page.locator('#toast').allTextContents(); // @@ allTextContents | ["Saved 23"] | =locator('#toast') | []
  const status = await page.locator('#status').textContent(); // @@ textContent | "Saved 23" | =locator('#status') | ""
  const many = await page.locator('.toast').count(); // @@ count | 2 | =locator('.toast') | 0
  const saved = await page.locator('.saved').allTextContents(); // @@ allTextContents | ["Saved 23"] | =locator('.saved') | [] | ["Saving"]
  const price = await page.locator('#price').textContent(); // @@ textContent | "Saved 23" | =locator('#price') | "23"
});

test('actions', async () => {
  await page.locator('#go0').click(); // @@ after | #list children 5; #age text 23; #go @class done "5" | =locator('#go0')
  await page.locator('#go1').click(); // @@ after | card >>> p > b text 7; #go @aria-busy | =locator('#go1')
  await page.locator('#go2').click(); // @@ after | #yes checked true; #list children 2; #list text AnnaBob | =locator('#go2')
  await page.locator('#go3').click(); // @@ after | #box @style color: red; #more text two  words | =locator('#go3')
});
