import axios, { AxiosError, AxiosInstance } from 'axios';
import { beforeAll, describe, expect, test } from 'vitest';

const baseURL = `${process.env.HOST ?? 'http://localhost'}:${process.env.PORT ?? 8000}`;

type Session = { accessToken: string; refreshToken: string; expiresIn: number; scope: string[] };

describe('Authentication', () => {
  let http: AxiosInstance;
  let session: Session;

  beforeAll(async () => {
    http = axios.create({ baseURL, timeout: 2000 });
    const { data } = await http.post<Session>('/oauth/token', { user: 'dora', password: 'explorer' });
    session = data;
    http.defaults.headers.common.Authorization = `Bearer ${session.accessToken}`;
  });

  test('the token', () => {
    expect(session.expiresIn).toBe(3600);
    expect(session.scope).toEqual(['read', 'write']);
    expect(session.accessToken).toMatch(/^ey/);
    expect(session.refreshToken).toHaveLength(36);
    expect(typeof session.accessToken).toBe('string');
  });

  test('who am I', async () => {
    const me = await http.get('/me');

    expect(me.status).toBe(200);
    expect(me.statusText).toBe('OK');
    expect(me.data.login).toBe('dora');
    expect(me.data.lastLogin).toBe('2025-06-30T21:45:10.000Z');
    expect(me.data.groups).toEqual(expect.arrayContaining(['explorers']));
    expect(me.headers).toHaveProperty('x-ratelimit-remaining', '58');
    expect(me.data.settings?.theme).toBe('dark');
    expect(me.data['display-name']).toBe('Dora');
  });

  describe('refresh', () => {
    test('gives another token', async () => {
      const response = await http.post('/oauth/refresh', { refreshToken: session.refreshToken });
      const fresh = response.data as Session;

      expect(response.status).toBe(200);
      expect(fresh.accessToken).not.toEqual(session.accessToken);
      expect(fresh.expiresIn).toBe(session.expiresIn);
      expect(fresh.scope.sort()).toEqual(['read', 'write']);
      expect(fresh.scope[0]).toBe('read');
    });

    test('refuses rubbish', async () => {
      await expect(http.post('/oauth/refresh', { refreshToken: 'rubbish' })).rejects.toMatchObject({
        response: { status: 401, data: { error: 'invalid_grant' } },
      });
    });

    test('says why', async () => {
      expect.assertions(3);
      try {
        await http.post('/oauth/refresh', {});
      } catch (e) {
        const error = e as AxiosError<{ error: string; error_description: string }>;
        expect(error.response?.status).toBe(400);
        expect(error.response?.data.error).toBe('invalid_request');
        expect(error.response!.data.error_description).toBe('refreshToken is missing');
      }
    });
  });

  test('a stranger has no profile', async () => {
    const res = await axios.get(`${baseURL}/me`, { validateStatus: (status) => status < 500 });
    expect(res.status).toBe(401);
    expect(res.data).toEqual({ error: 'unauthorized', status: 401 });
    expect(res.headers['www-authenticate']).toBe('Bearer realm="explorers"');
  });

  test('logs out', async () => {
    const first = await http.post('/logout').then((r) => r.status);
    expect(first).toBe(204);
    const sessions = await http.get('/sessions').then(({ data }) => data.sessions);
    expect(sessions).toEqual([]);
    expect(sessions.length).toBe(0);
  });
});
