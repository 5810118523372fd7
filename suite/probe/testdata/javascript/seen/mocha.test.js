const { assert, expect } = require("chai");

describe("chai", () => {
  it("compares", () => {
    expect({ a: 1 }).to.deep.equal({ a: 2 });
    assert.equal("x", "y");
    expect(5).to.be.above(6);
  });
});
