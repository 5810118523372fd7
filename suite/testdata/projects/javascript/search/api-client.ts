import got, { Got } from 'got';

export class ApiClient {
  private readonly http: Got;

  constructor(private readonly root: string, apiKey: string) {
    this.http = got.extend({ prefixUrl: root, headers: { 'x-api-key': apiKey }, throwHttpErrors: false });
  }

  async search(q: string, extra: Record<string, string | number> = {}) {
    const response = await this.http.get('search', { searchParams: { q, ...extra }, responseType: 'json' });
    return { status: response.statusCode, body: response.body as any };
  }

  async suggest(prefix: string): Promise<string[]> {
    return this.http.get(`suggest/${prefix}`).json<string[]>();
  }

  index(document: object) {
    return this.http.post('documents', { json: document, responseType: 'json' });
  }
}

export const makeClient = () => new ApiClient('http://localhost:9200/api', 'key-1');
