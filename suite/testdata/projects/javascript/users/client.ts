export const baseUrl = process.env.BASE_URL ?? 'http://localhost:8080';

export interface User {
  id: number;
  name: string;
  email: string;
  roles: string[];
  createdAt: string;
}

export async function getJson<T>(path: string): Promise<{ status: number; body: T; headers: Headers }> {
  const response = await fetch(`${baseUrl}${path}`, { headers: { Accept: 'application/json' } });
  const body = (await response.json()) as T;
  return { status: response.status, body, headers: response.headers };
}

export async function postJson(path: string, payload: unknown): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  });
}

export const deleteUser = (id: number) => fetch(`${baseUrl}/api/users/${id}`, { method: 'DELETE' });
