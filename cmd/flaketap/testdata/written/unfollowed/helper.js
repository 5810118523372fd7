exports.checkQuote = (quote) => {
  for (const [key, value] of Object.entries(quote)) {
    if (key === "validUntil") {
      expect(value).toEqual("2026-01-01T00:00:00Z");
    }
  }
};
