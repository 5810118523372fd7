/* eslint-env jest */
const BASE = 'http://localhost:3333';

async function api(method, path, body) {
  const res = await fetch(BASE + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await res.text();
  return { res, json: text ? JSON.parse(text) : null };
}

const get = (path) => api('GET', path);
const post = (path, body) => api('POST', path, body);

function expectTodo(todo, title, done) {
  expect(todo.title).toBe(title);
  expect(todo.done).toBe(done);
}

let list;

beforeEach(async () => {
  const { json } = await post('/lists', { name: 'Groceries' });
  list = json;
});

afterEach(async () => {
  await fetch(`${BASE}/lists/${list.id}`, { method: 'DELETE' });
});

test('a new list is empty', async () => {
  const { res, json } = await get(`/lists/${list.id}/todos`);
  expect(res.status).toBe(200);
  expect(json).toEqual([]);
  expect(list.name).toBe('Groceries');
  expect(list.id).toBe(31);
});

test('adds a todo', async () => {
  const { res, json: todo } = await post(`/lists/${list.id}/todos`, { title: 'Milk' });
  expect(res.status).toBe(201);
  expect(res.headers.get('Location')).toBe('/lists/31/todos/1');
  expectTodo(todo, 'Milk', false);
  expect(todo.createdAt).toBe(1741612345678);
});

test.each`
  title      | status | message
  ${''}      | ${400} | ${'title must not be empty'}
  ${null}    | ${400} | ${'title must be a string'}
`('refuses $title', async ({ title, status, message }) => {
  const { res, json } = await post(`/lists/${list.id}/todos`, { title });
  expect(res.status).toBe(status);
  expect(json.message).toBe(message);
  expect(json.path).toBe('title');
});

describe('with three todos', () => {
  beforeEach(async () => {
    for (const title of ['Milk', 'Bread', 'Eggs']) {
      await post(`/lists/${list.id}/todos`, { title });
    }
  });

  it('keeps their order', async () => {
    const response = await fetch(`${BASE}/lists/${list.id}/todos`);
    const todos = await response.json();
    expect(todos).toHaveLength(3);
    expect(todos.map((t) => t.title)).toEqual(['Milk', 'Bread', 'Eggs']);
    expectTodo(todos[2], 'Eggs', false);
    expect(todos.every((t) => t.done === false)).toBe(true);
  });

  it('ticks one off', async () => {
    const todos = (await get(`/lists/${list.id}/todos`)).json;
    const ticked = await fetch(`${BASE}/lists/${list.id}/todos/${todos[1].id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ done: true }),
    }).then((r) => r.json());

    expect(ticked.done).toBe(true);
    expect(ticked.title).toBe('Bread');
    expect(ticked.id).toBe(todos[1].id);
    const { json: open } = await get(`/lists/${list.id}/todos?done=false`);
    expect(open.length).toBe(2);
    expect(open[0].position).toBe(1);
  });

  it('each has a link', async () => {
    const { json: todos } = await get(`/lists/${list.id}/todos`);
    todos.forEach((todo) => {
      expect(todo.href).toMatch(/^\/lists\/\d+\/todos\/\d+$/);
      expect(todo.done).toBe(false);
    });
    for (const todo of todos) {
      expect(todo.listId).toBe(list.id);
    }
  });
});
