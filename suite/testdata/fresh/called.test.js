const BASE = 'http://localhost:1';

const HELLO = `mailto:${email()}`;

function email() {
  return 'ada@example.com';
}

const ada = () => ({ email: email(), name: 'Ada' });

test('signs up', async () => {
  const res = await fetch(`${BASE}/users`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: email(), name: 'Ada' }),
  });
  expect(res.status).toBe(201);
  expect((await res.json()).email).toBe(email());
  const found = await fetch(`${BASE}/users?email=${email()}`);
  expect((await found.json())[0].email).toBe(email());
});
