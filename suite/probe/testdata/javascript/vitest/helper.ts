import { expect } from "vitest";
import { say, soon } from "../lib.js";

export const checkOne = (n: number) => {
  expect(n).toBe(1);
  say("helper");
};

export async function checkSoon(n: number): Promise<void> {
  await soon(n);
  expect(n).toBe(1);
  say("soon");
}

export const never = async (): Promise<void> => {
  await soon(2);
  expect(2).toBe(1);
  say("wrong");
};

export async function eventually<T>(
  fn: () => Promise<T>,
): Promise<T | undefined> {
  for (let i = 0; i < 2; i++) {
    try {
      return await fn();
    } catch {
      say("again");
    }
  }
}

export class Client {
  constructor(private readonly wanted: number) {}

  async check(n: number): Promise<number> {
    expect(await soon(n)).toBe(this.wanted);
    say("client");
    return n;
  }
}
