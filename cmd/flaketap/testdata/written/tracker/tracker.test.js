const url = process.env.FLAKETAP_URL || 'http://127.0.0.1:8000';

let token;
let projectId;
let taskId;

async function call(method, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : null };
}

describe('tracker', () => {
  beforeAll(async () => {
    await fetch(`${url}/users`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Edsger', email: 'edsger@example.com', password: 'goto1968' }),
    });
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      body: JSON.stringify({ email: 'edsger@example.com', password: 'goto1968' }),
    });
    token = (await response.json()).token;
  });

  test('knows who I am', async () => {
    const me = await call('GET', '/me');
    expect(me.status).toBe(200);
    expect(me.body.name).toBe('Edsger');
  });

  test('has no projects at first', async () => {
    const list = await call('GET', '/projects');
    expect(list.body).toEqual({ total: 0, items: [] });
  });

  test('creates a project', async () => {
    const made = await call('POST', '/projects', { name: 'THE' });
    expect(made.status).toBe(201);
    expect(made.body.name).toBe('THE');
    projectId = made.body.id;
  });

  test('refuses the same name', async () => {
    const again = await call('POST', '/projects', { name: 'THE' });
    expect(again.status).toBe(409);
    expect(again.body.error).toBe('the name is taken');
  });

  test('reads the project', async () => {
    const got = await call('GET', `/projects/${projectId}`);
    expect(got.status).toBe(200);
    expect(got.body.owner).toBe('Edsger');
  });

  test('lists one project', async () => {
    const list = await call('GET', '/projects');
    expect(list.body.total).toBe(1);
    expect(list.body.items[0].name).toBe('THE');
  });

  test('adds a task', async () => {
    const made = await call('POST', '/projects/1/tasks', { title: 'Semaphores', points: 8 });
    expect(made.status).toBe(201);
    expect(made.body.points).toBe(8);
    expect(made.body.status).toBe('open');
    taskId = made.body.id;
  });

  test('finds the task', async () => {
    const got = await call('GET', `/tasks/${taskId}`);
    expect(got.status).toBe(200);
    expect(got.body.title).toBe('Semaphores');
  });

  test('lists the open tasks', async () => {
    const list = await call('GET', '/projects/1/tasks?status=open');
    expect(list.body.total).toBe(1);
  });

  test('comments on the task', async () => {
    const made = await call('POST', '/tasks/1/comments', { text: 'Prove it.' });
    expect(made.status).toBe(201);
    expect(made.body.text).toBe('Prove it.');
  });

  test('shows the comment', async () => {
    const list = await call('GET', '/tasks/1/comments');
    expect(list.body).toHaveLength(1);
    expect(list.body[0].by).toBe('Edsger');
  });

  test('finishes the task', async () => {
    const done = await call('PATCH', '/tasks/1', { status: 'done' });
    expect(done.status).toBe(200);
    expect(done.body.status).toBe('done');
  });

  test('counts it', async () => {
    const stats = await call('GET', '/stats');
    expect(stats.body).toEqual({ projects: 1, tasks: 1, done: 1, points: 8 });
  });

  test('renames the project', async () => {
    const renamed = await call('PATCH', '/projects/1', { name: 'T.H.E.' });
    expect(renamed.status).toBe(200);
    expect(renamed.body.name).toBe('T.H.E.');
  });

  test('has the new name', async () => {
    const got = await call('GET', '/projects/1');
    expect(got.body.name).toBe('T.H.E.');
  });

  test('deletes the project', async () => {
    const gone = await call('DELETE', '/projects/1');
    expect(gone.status).toBe(204);
  });

  test('does not find it any more', async () => {
    const got = await call('GET', '/projects/1');
    expect(got.status).toBe(404);
  });
});
