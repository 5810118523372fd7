// Decimal numbers, exactly: part of the library of tests that flaketap writes. It needs only the language.

/** A number as digits without trailing zeros and a power of ten. */
function decimal(text) {
  const parts = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
  if (!parts) {
    throw new RangeError("not a number");
  }
  const [, sign, whole, fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  const kept = digits.replace(/0+$/, "");
  const power =
    Number(exponent) - fraction.length + digits.length - kept.length;
  return kept === ""
    ? { n: 0n, e: 0 }
    : { n: BigInt(sign + kept || "0"), e: power };
}

/** Two decimals as integers of the same power of ten. */
function aligned(a, b) {
  const e = Math.min(a.e, b.e);
  if (Math.max(a.e, b.e) - e > 1000) {
    throw new RangeError("numbers too far apart");
  }
  const scale = (d) => d.n * 10n ** BigInt(d.e - e);
  return [scale(a), scale(b), e];
}

function compareDecimals(a, b) {
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

function sum(a, b) {
  const [x, y, e] = aligned(a, b);
  return { n: x + y, e };
}

const negated = (d) => ({ n: -d.n, e: d.e });
const product = (a, b) => ({ n: a.n * b.n, e: a.e + b.e });
const absolute = (d) => (d.n < 0n ? negated(d) : d);

/** A number as a decimal, without the rounding error of a service that computes in doubles. */
function exactly(text) {
  const d = decimal(text);
  const digits = String(absolute(d).n).length;
  if (d.e >= 0 || digits <= 15) {
    return d;
  }
  const dropped = Math.min(digits - 15, -d.e);
  const unit = 10n ** BigInt(dropped);
  const n = absolute(d).n + unit / 2n;
  return { n: (d.n < 0n ? -n : n) / unit, e: d.e + dropped };
}

module.exports = {
  absolute,
  compareDecimals,
  decimal,
  exactly,
  negated,
  product,
  sum,
};
