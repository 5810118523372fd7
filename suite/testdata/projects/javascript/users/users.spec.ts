import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baseUrl, deleteUser, getJson, postJson, type User } from './client';

describe('users', () => {
  let created: User;

  beforeEach(async () => {
    const response = await postJson('/api/users', { name: 'Grace', email: 'grace@example.com' });
    created = (await response.json()) as User;
  });

  afterEach(async () => {
    await deleteUser(created.id);
  });

  it('answers with the new user', async () => {
    expect(created.id).toBe(12);
    expect(created.name).toBe('Grace');
    expect(created.email).toBe('grace@example.com');
    expect(created.roles).toEqual(['member']);
  });

  it('lists users', async () => {
    const { status, body, headers } = await getJson<User[]>('/api/users');

    expect(status).toBe(200);
    expect(headers.get('x-total-count')).toBe('4');
    expect(body).toHaveLength(4);
    expect(body[0]).toEqual({
      id: 1,
      name: 'Root',
      email: 'root@example.com',
      roles: ['admin', 'member'],
      createdAt: '2024-01-01T00:00:00Z',
    });
    expect(body.at(-1)!.name).toBe('Grace');
    expect(body.find((u) => u.name === 'Grace')?.email).toBe('grace@example.com');
    expect(body.some((u) => u.roles.includes('admin'))).toBe(true);
  });

  describe('one user', () => {
    it('is found by id', async () => {
      const res = await fetch(`${baseUrl}/api/users/${created.id}`);

      expect(res.ok).toBe(true);
      expect(res.status).toEqual(200);
      expect(res.headers.get('content-type')).toContain('application/json');
      const user: User = await res.json();
      expect(user.id).toBe(created.id);
      expect(user).toHaveProperty('createdAt', '2025-02-17T10:31:07Z');
      expect(user.roles).toContain('member');
      expect(user.name.length).toBeGreaterThan(0);
    });

    it('is not found after it was deleted', async () => {
      const gone = await deleteUser(created.id);
      expect(gone.status).toBe(204);

      const res = await fetch(`${baseUrl}/api/users/${created.id}`);
      expect(res.status).toBe(404);
      expect(await res.json()).toStrictEqual({ message: 'no such user' });
    });

    it('keeps the mail unique', async () => {
      const res = await postJson('/api/users', { name: 'Grace II', email: created.email });
      const problem = await res.json();

      expect(res.status).toBe(409);
      expect(problem.title).toBe('Conflict');
      expect(problem.detail).toContain('grace@example.com');
      expect(problem.instance).not.toBeNull();
      expect(Object.keys(problem)).toEqual(['title', 'status', 'detail', 'instance']);
    });
  });
});
