// The library's API, as it answered when I looked at it.
const axios = require("axios");

const BASE = (process.env.FLAKETAP_URL || "http://localhost:3000").replace(/\/$/, "");
const api = axios.create({ baseURL: BASE, validateStatus: () => true });

const getJSON = async (path) => {
  const response = await fetch(`${BASE}${path}`);
  return response.json();
};

async function borrow(bookId) {
  const { data } = await api.post("/loans", { memberId: 9, bookId, dueOn: "2026-12-13", returned: false });
  return data;
}

describe("settings", () => {
  let response;

  beforeAll(async () => {
    response = await api.get("/settings");
  });

  it("has the name of the library", () => {
    expect(response.status).toBe(200);
    expect(response.data.name).toBe("Harbour Street Library");
    expect(response.data).toMatchObject({ currency: "EUR", loanDays: 21, finePerDay: 0.25 });
  });

  it("has the opening hours", () => {
    const { openingHours, updatedAt } = response.data;
    expect(openingHours).toHaveLength(4);
    expect(openingHours.map((h) => h.day)).toEqual(["Mon", "Wed", "Fri", "Sat"]);
    expect(openingHours[3].closes).toBe("14:00");
    expect(updatedAt).toBe("2024-02-11T08:30:00Z");
  });

  it("has headers", () => {
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.headers["content-length"]).toBe("486");
    expect(response.headers.date).toBe("Sun, 22 Nov 2026 17:31:02 GMT");
  });
});

describe("books", () => {
  it("gives one", async () => {
    const book = await getJSON("/books/13");
    expect(book).toMatchSnapshot();
  });

  it("does not give one that is not there", async () => {
    const { status, data } = await api.get("/books/999");
    expect(status).toBe(404);
    expect(data).toEqual({});
  });

  it("filters by price", async () => {
    const books = await getJSON("/books?price_gte=38");
    expect(books).toHaveLength(4);
    expect(books[0].title).toBe("The Clockmaker's Daughter");
    expect(books[3]).toHaveProperty("isbn", "978-8-90250-981-8");
    expect(books.map((b) => b.id)).toStrictEqual([3, 7, 13, 15]);
  });

  test.each([
    [1, "The Quiet Harbour"],
    [2, "Letters from the Lake"],
    [8, "A Field Guide to Silence"],
  ])("page %i begins with %s", async (page, title) => {
    const { data, headers } = await api.get("/books", { params: { _page: page, _limit: 4 } });
    expect(data).toHaveLength(4);
    expect(data[0].title).toBe(title);
    expect(headers["x-total-count"]).toBe("32");
  });

  it("links to the next page", async () => {
    const res = await fetch(`${BASE}/books?_page=8&_limit=4`);
    expect(res.headers.get("link")).toBe(
      '<http://localhost:3000/books?_page=1&_limit=4>; rel="first", <http://localhost:3000/books?_page=7&_limit=4>; rel="prev", <http://localhost:3000/books?_page=8&_limit=4>; rel="last"',
    );
  });

  it("finds by title", async () => {
    const found = await getJSON("/books?title_like=%5EThe&_limit=4&_sort=year");
    expect(found.map((b) => [b.id, b.year])).toMatchSnapshot();
    expect(found[0].inStock).toBe(true);
  });
});

describe("people", () => {
  it("has gold members", async () => {
    const { data: members } = await api.get("/members?level=gold");
    expect(members.length).toBe(8);
    const [first] = members;
    expect(first.name).toBe("Ben Carter");
    expect(members[1].address).toEqual({ street: "64 Quay Street", city: "Dublin", postcode: "0093" });
  });

  it("has the author of a book", async () => {
    const book = await getJSON("/books/3?_expand=author");
    expect(book.author.name).toBe("Matthias Kern");
    expect(book.author.awards[2].year).toBe(2005);
  });

  it("takes a new member", async () => {
    const response = await api.post("/members", { name: "Wilma Berg", email: "wilma@readers.example", level: "plus" });
    expect(response.status).toBe(201);
    expect(response.headers.location).toBe("http://localhost:3000/members/17");
    expect(response.data.id).toBe(17);
    expect(response.data).toMatchSnapshot();
  });

  it("has one member more now", async () => {
    const { data, headers } = await api.get("/members?_sort=id&_order=desc&_limit=1");
    expect(headers["x-total-count"]).toEqual("17");
    expect(data[0].email).toBe("wilma@readers.example");
  });
});

describe("loans", () => {
  it("begin", async () => {
    const loan = await borrow(6);
    expect(loan.id).toBe("Bs6mVAM");
    expect(loan.id).toHaveLength(7);
    expect(loan).toEqual({ id: "Bs6mVAM", memberId: 9, bookId: 6, dueOn: "2026-12-13", returned: false });
  });

  it("are kept", async () => {
    const loan = await borrow(8);
    const again = await getJSON(`/loans/${loan.id}`);
    expect(again).toEqual(loan);
    expect(again).toMatchSnapshot();
  });

  it("end", async () => {
    const { id } = await borrow(9);
    const res = await fetch(`${BASE}/loans/${id}`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ returned: true, fine: 1.25 }),
    });
    expect(res.status).toBe(200);
    const loan = await res.json();
    expect(loan.returned).toBe(true);
    expect(loan.fine).toBe(1.25);
    expect(loan.id).toBe("p2TzUaj");
  });

  it("are listed by member", async () => {
    const loans = await getJSON("/loans?memberId=9&returned=false&dueOn=2026-12-13");
    expect(loans.map((loan) => loan.bookId)).toEqual([6, 8]);
    expect(loans.map((loan) => loan.id)).toEqual(["Bs6mVAM", "FZKPsn0"]);
  });
});

describe("reviews", () => {
  let review;

  it("can be written", async () => {
    const response = await api.post("/books/3/reviews", { rating: 2, text: "Not for me." });
    review = response.data;
    expect(response.status).toBe(201);
    expect(review).toEqual({ rating: 2, text: "Not for me.", bookId: "3", id: 19 });
  });

  it("can be deleted", async () => {
    const response = await api.delete(`/reviews/${review.id}`);
    expect(response.status).toBe(200);
    expect((await api.get("/reviews/19")).status).toBe(404);
    expect(await getJSON("/reviews")).toHaveLength(18);
  });
});
