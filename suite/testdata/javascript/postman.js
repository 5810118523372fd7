// Runs pieces of test scripts against an answer as Postman's sandbox shows it, with those of Chai's assertions that are
// written into collections. Prints a list: "" for each piece that went through, or why it did not.
"use strict";
const fs = require("fs");

function expect(value) {
    let not = false;
    const check = (holds, what) => {
        if (Boolean(holds) === not) throw new Error(`expected ${JSON.stringify(value)}${not ? " not" : ""} ${what}`);
        return chain;
    };
    const number = (compare) => (wanted) => {
        if (typeof value !== "number") throw new TypeError("not a number");
        return check(compare(wanted), `compared with ${wanted}`);
    };
    const kind = (v) => (v === null ? "null" : Array.isArray(v) ? "array" : typeof v);
    const chain = {
        get not() { not = !not; return chain; },
        get true() { return check(value === true, "true"); },
        get ok() { return check(value, "ok"); },
        get undefined() { return check(value === undefined, "undefined"); },
        equal: (wanted) => check(value === wanted, `equal ${wanted}`),
        eql: (wanted) => check(JSON.stringify(value) === JSON.stringify(wanted), `eql ${wanted}`),
        a: (name) => check(kind(value) === name, `a ${name}`),
        matches: (re) => check(re.exec(value), `match ${re}`),
        include: (wanted) => check(value.includes(wanted), `include ${wanted}`),
        oneOf: (list) => check(list.includes(value), `one of ${list}`),
        property: (name) => check(value !== null && value !== undefined && name in Object(value), `property ${name}`),
        members: (wanted) => {
            const sorted = (list) => list.map((v) => JSON.stringify(v)).sort().join();
            return check(Array.isArray(value) && sorted(value) === sorted(wanted), `members ${wanted}`);
        },
        lengthOf: (n) => check(value.length === n, `length ${n}`),
        within: (lo, hi) => number((w) => value >= lo && value <= hi)(lo),
        below: number((wanted) => value < wanted),
        most: number((wanted) => value <= wanted),
        above: number((wanted) => value > wanted),
        least: number((wanted) => value >= wanted),
    };
    chain.an = chain.a;
    for (const word of ["to", "be", "at", "have", "has", "that", "and", "deep"]) Object.defineProperty(chain, word, { get: () => chain });
    return chain;
}

const results = JSON.parse(fs.readFileSync(process.argv[2], "utf8")).map((c) => {
    const raw = c.answers[""];
    let failure = "";
    const tests = new Proxy({}, { set: (_, name, holds) => { if (!holds) failure = `tests[${name}]`; return true; } });
    const pm = {
        expect,
        test: (name, fn) => fn(),
        response: {
            code: raw.status,
            responseTime: 1,
            text: () => raw.text,
            json: () => JSON.parse(raw.text),
            headers: { get: (name) => raw.header[name.toLowerCase()] },
            to: { have: {
                status: (n) => expect(raw.status).to.equal(n),
                header: (name) => expect(raw.header[name.toLowerCase()]).to.not.be.undefined,
            } },
        },
    };
    try {
        new Function("pm", "tests", "responseBody", c.code)(pm, tests, raw.text);
        return failure;
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
});
process.stdout.write(JSON.stringify(results));
