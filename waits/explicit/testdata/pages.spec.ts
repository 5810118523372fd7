import { test, expect, type Page } from '@playwright/test';

class Shop {
  constructor(private readonly page: Page) {}

  async age(): Promise<string | null> {
    return this.page.locator('#age').textContent(); // @@ textContent | "23" | =locator('#age')
  }

  async name(of?: string | null): Promise<Array<Map<string, Page.Name>>> {
    return await this.page.locator('#name').innerText(); // @@ innerText | "Ada" | =locator('#name')
  }
}

test('assertions', async ({ page }) => {
  expect(await page.getByTestId('age').textContent()).toBe('23'); // @@ textContent | "23 <b>" | =getByTestId('age')
  expect(await page.locator('li').count()).toBe(5); // @@ count | 5 | =locator('li')
  expect(await page.locator('li').allInnerTexts()).toEqual(['a']); // @@ allInnerTexts | ["a"] | =locator('li')
  expect(await page.inputValue('#age')).toBe('23'); // @@ inputValue | "23" | locator('#age')
  expect(await page.getByRole('link').getAttribute('href')).toBe('/x'); // @@ getAttribute | "/x" | =getByRole('link')
  expect(await page.getByRole('link').getAttribute('title')).toBe(null); // @@ getAttribute | null | =getByRole('link')
  expect(await page.getByText('late').isHidden()).toBe(false); // @@ isHidden | false | =getByText('late')
  expect(await page.isDisabled('#go')).toBe(true); // @@ isDisabled | true | locator('#go')
  expect(await page.title()).toBe('Ages'); // @@ title | "Ages" | -
  expect(await page.$$eval('li', (all) => all.length)).toBe(5); // @@ $$eval | 5 | locator('li')
  await expect(page.locator('#age')).toHaveText('23'); // @@ toHaveText | true | =locator(x)
  expect(await page.locator('#status').innerText()).toBe('Saved 23'); // @@ innerText | "Saved 23" | =locator('#status') | ""
});

test('actions', async ({ page }) => {
  await page.locator('#go0').click(); // @@ after | #list children 5; #age text 23; #go @class done "5" | =locator('#go0')
  await page.locator('#go1').click(); // @@ after | card >>> p > b text 7; #go @aria-busy | =locator('#go1')
  await page.locator('#go2').click(); // @@ after | #yes checked true; #list children 2; #list text AnnaBob | =locator('#go2')
  await page.locator('#go3').click(); // @@ after | #box @style color: red; #more text two  words | =locator('#go3')
});
