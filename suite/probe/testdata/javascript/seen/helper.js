function same(got, want) {
  expect(got).toEqual(want);
}

module.exports = { same };
