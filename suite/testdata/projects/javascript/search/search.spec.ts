import { beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, makeClient } from './api-client';

let client: ApiClient;

beforeAll(() => {
  client = makeClient();
});

describe('search', () => {
  describe('for one word', () => {
    it('finds documents', async () => {
      const { status, body } = await client.search('lighthouse');

      expect(status).toBe(200);
      expect(body.took).toBe(4);
      expect(body.hits.total).toBe(3);
      expect(body.hits.documents).toHaveLength(3);
      expect(body.hits.documents[0]).toMatchObject({ title: 'To the Lighthouse', author: { name: 'Virginia Woolf' } });
      expect(body.hits.documents[0].score).toBeCloseTo(8.213);
      expect(body.hits.documents[0].score).toBeGreaterThan(body.hits.documents[1].score);
      expect(body.facets).toHaveProperty('year.1927', 1);
    });

    it('finds nothing', async () => {
      const result = await client.search('zzzzzz');
      expect(result.status).toBe(200);
      expect(result.body.hits.total).toBe(0);
      expect(result.body.hits.documents).toEqual([]);
      expect(result.body.suggestion).toBe(null);
    });
  });

  describe.each([
    { size: 1, titles: ['To the Lighthouse'] },
    { size: 2, titles: ['To the Lighthouse', 'Moominpappa at Sea'] },
  ])('by pages of $size', ({ size, titles }) => {
    it('gives as many', async () => {
      const { body } = await client.search('lighthouse', { size });
      expect(body.hits.documents.length).toBe(size);
      expect(body.hits.documents.map((d: any) => d.title)).toEqual(titles);
      expect(body.page.size).toBe(size);
    });
  });

  it('suggests', async () => {
    const words = await client.suggest('lig');
    expect(words).toEqual(['light', 'lighthouse', 'lightning']);
    expect(words[0]).toBe('light');
    expect(words).toContain('lightning');
    expect(words).not.toContain('dark');
  });

  it('indexes a document', async () => {
    const response = await client.index({ title: 'The Sea, the Sea', year: 1978 });
    const doc = response.body as { id: string; version: number; indexedAt: string };

    expect(response.statusCode).toBe(202);
    expect(doc.id).toBe('b1946ac9');
    expect(doc.version).toBe(1);
    expect(doc.indexedAt).toBeDefined();
    expect(new Date(doc.indexedAt).getFullYear()).toBe(2025);
    expect(response.headers['location']).toBe(`/api/documents/${doc.id}`);
    expect(doc).toEqual({ id: expect.any(String), version: 1, indexedAt: expect.stringMatching(/Z$/) });
  });
});
