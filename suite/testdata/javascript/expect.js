// Runs pieces of JavaScript against answers as superagent shows them, with those of Jest's matchers that are written into
// suites. Prints a list: "" for each piece that went through, or why it did not.
"use strict";
const fs = require("fs");
const { isDeepStrictEqual } = require("util");

// Containing is what an array matches that has all of some elements.
class Containing {
    constructor(list) {
        this.list = list;
    }
}

expect.arrayContaining = (list) => new Containing(list);

function expect(received) {
    const verb = (holds, name) => (...args) => {
        if (!holds(...args)) throw new Error(`${name}(${args.map(String)}) of ${JSON.stringify(received)}`);
    };
    const number = (compare) => (wanted) => {
        if (typeof received !== "number") throw new TypeError("received value must be a number");
        return compare(wanted);
    };
    const matchers = {
        toBe: (wanted) => Object.is(received, wanted),
        toEqual: (wanted) =>
            wanted instanceof Containing
                ? Array.isArray(received) && wanted.list.every((one) => received.some((other) => isDeepStrictEqual(one, other)))
                : isDeepStrictEqual(received, wanted),
        toContain: (wanted) => {
            if (received === null || received === undefined) throw new TypeError("received value must not be null");
            return typeof received === "string" ? received.includes(String(wanted)) : Array.from(received).indexOf(wanted) !== -1;
        },
        toMatch: (wanted) => {
            if (typeof received !== "string") throw new TypeError("received value must be a string");
            return wanted.test(received);
        },
        toBeLessThan: number((wanted) => received < wanted),
        toBeLessThanOrEqual: number((wanted) => received <= wanted),
        toBeGreaterThan: number((wanted) => received > wanted),
        toBeGreaterThanOrEqual: number((wanted) => received >= wanted),
        toBeTruthy: () => Boolean(received),
        toBeUndefined: () => received === undefined,
        toBeDefined: () => received !== undefined,
        toHaveProperty: (path) => {
            if (received === null || received === undefined) throw new TypeError("received value must not be null");
            return path.every((key) => Object.hasOwn(Object(received), key));
        },
    };
    const out = { not: {} };
    for (const [name, holds] of Object.entries(matchers)) {
        out[name] = verb(holds, name);
        out.not[name] = verb((...args) => !holds(...args), "not." + name);
    }
    return out;
}

// answer is what superagent makes of a body.
function answer(raw) {
    const media = (raw.header["content-type"] || "text/plain").split(";")[0].trim().toLowerCase();
    const json = /[/+]json($|[^-\w])/i.test(media);
    let body = {};
    if (json) body = raw.text && JSON.parse(raw.text);
    return { status: raw.status, header: raw.header, text: raw.text, body };
}

const EM = { isValidURIorEmpty: (uri) => !uri || typeof uri === "string" };
const results = JSON.parse(fs.readFileSync(process.argv[2], "utf8")).map((c) => {
    try {
        const names = Object.keys(c.answers);
        const fn = new Function("expect", "EM", ...names, '"use strict"; ' + c.code);
        fn(expect, EM, ...names.map((name) => answer(c.answers[name])));
        return "";
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
});
process.stdout.write(JSON.stringify(results));
