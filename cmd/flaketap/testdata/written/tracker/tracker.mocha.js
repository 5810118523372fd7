const { expect } = require('chai');

const base = process.env.FLAKETAP_URL || 'http://127.0.0.1:8000';

async function send(method, path, token, body) {
  const response = await fetch(base + path, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

describe('the tracker', function () {
  describe('accounts', function () {
    it('signs up', async function () {
      const user = await send('POST', '/users', '', { name: 'Barbara', email: 'barbara@example.com', password: 'clu1974' });
      expect(user.status).to.equal(201);
      expect(user.body.name).to.equal('Barbara');
    });

    it('refuses a second account', async function () {
      const user = await send('POST', '/users', '', { name: 'Barbara', email: 'barbara@example.com', password: 'clu1974' });
      expect(user.status).to.equal(409);
    });

    it('wants a password', async function () {
      const user = await send('POST', '/users', '', { name: 'Barbara', email: 'barbara2@example.com' });
      expect(user.status).to.equal(422);
    });
  });

  describe('projects', function () {
    let token;

    beforeEach(async function () {
      const login = await send('POST', '/login', '', { email: 'barbara@example.com', password: 'clu1974' });
      token = login.body.token;
    });

    it('creates one', async function () {
      const made = await send('POST', '/projects', token, { name: 'Argus' });
      expect(made.status).to.equal(201);
      expect(made.body.owner).to.equal('Barbara');
    });

    it('creates another', async function () {
      const made = await send('POST', '/projects', token, { name: 'Thor' });
      expect(made.status).to.equal(201);
      expect(made.body.archived).to.equal(false);
    });

    it('lists both', async function () {
      const list = await send('GET', '/projects', token);
      expect(list.body.total).to.equal(2);
      expect(list.body.items.map((p) => p.name)).to.deep.equal(['Argus', 'Thor']);
    });

    it('archives the second', async function () {
      const changed = await send('PATCH', '/projects/2', token, { archived: true });
      expect(changed.status).to.equal(200);
      expect(changed.body.archived).to.equal(true);
    });

    it('takes no task in the archived one', async function () {
      const refused = await send('POST', '/projects/2/tasks', token, { title: 'Guardians' });
      expect(refused.status).to.equal(409);
    });

    it('takes one in the first', async function () {
      const made = await send('POST', '/projects/1/tasks', token, { title: 'Guardians', points: 2 });
      expect(made.status).to.equal(201);
      expect(made.body.by).to.equal('Barbara');
    });

    it('shows the task', async function () {
      const task = await send('GET', '/tasks/1', token);
      expect(task.status).to.equal(200);
      expect(task.body.title).to.equal('Guardians');
      expect(task.body.points).to.equal(2);
    });

    it('estimates the task anew', async function () {
      const task = await send('PATCH', '/tasks/1', token, { points: 5 });
      expect(task.status).to.equal(200);
      expect(task.body.points).to.equal(5);
    });

    it('takes a comment', async function () {
      const made = await send('POST', '/tasks/1/comments', token, { text: 'Done?' });
      expect(made.status).to.equal(201);
      expect(made.body.task).to.equal(1);
    });

    it('shows the comments', async function () {
      const list = await send('GET', '/tasks/1/comments', token);
      expect(list.body.length).to.equal(1);
      expect(list.body[0].text).to.equal('Done?');
    });

    it('does not delete a project with open tasks', async function () {
      const refused = await send('DELETE', '/projects/1', token);
      expect(refused.status).to.equal(409);
    });

    it('deletes the archived one', async function () {
      const gone = await send('DELETE', '/projects/2', token);
      expect(gone.status).to.equal(204);
    });

    it('has one left', async function () {
      const list = await send('GET', '/projects', token);
      expect(list.body.total).to.equal(1);
    });
  });
});
