import got, { Response } from 'got';

const prefixUrl = process.env.WEATHER_URL || 'http://localhost:9090/v2';

interface Reading {
  station: string;
  celsius: number;
  humidity: number;
  takenAt: string;
}

const api = got.extend({ prefixUrl, responseType: 'json', throwHttpErrors: false });

const stationOf = async (id: string): Promise<Reading> => got(`stations/${id}/latest`, { prefixUrl }).json<Reading>();

describe('Weather stations', () => {
  describe('latest reading', () => {
    test('of the harbour', async () => {
      const reading = await stationOf('harbour');

      expect(reading.station).toBe('harbour');
      expect(reading.celsius).toBe(11.3);
      expect(reading.humidity).toBeLessThanOrEqual(100);
      expect(reading.takenAt).toBe('2025-04-01T06:00:00+02:00');
    });

    test('of a station that does not exist', async () => {
      const response: Response<any> = await api.get('stations/atlantis/latest');

      expect(response.statusCode).toBe(404);
      expect(response.body.error).toBe('unknown station');
      expect(response.headers['content-type']).toMatch('application/problem+json');
    });
  });

  describe('readings', () => {
    it('are stored', async () => {
      const { statusCode, body } = await api.post<any>('stations/harbour/readings', {
        json: { celsius: 12.1, humidity: 80 },
      });

      expect(statusCode).toBe(201);
      expect(body.id).toBe(5521);
      expect(body.celsius).toBe(12.1);
      expect(body).toEqual(expect.objectContaining({ humidity: 80, unit: 'celsius' }));
      expect(body.receivedAt).toEqual(expect.any(String));
    });

    it('come by page', async () => {
      const page = await api('stations/harbour/readings', { searchParams: { size: 5, page: 1 } }).then(
        (r) => r.body as any,
      );

      expect(page.content).toHaveLength(5);
      expect(page.totalElements).toBe(73);
      expect(page.last).toBe(false);
      expect(page.content[4].celsius).toBe(9.8);
      expect(page.content[0]).toMatchObject({ station: 'harbour', humidity: 81 });
    });
  });

  it.each([
    ['harbour', 3],
    ['airport', 120],
    ['summit', 2962],
  ])('%s lies at %d metres', async (id, metres) => {
    const response = await got.get(`${prefixUrl}/stations/${id}`);
    const station = JSON.parse(response.body);

    expect(response.statusCode).toEqual(200);
    expect(station.altitude).toBe(metres);
    expect(station.id).toBe(id);
    expect(station.active).toBeTruthy();
  });

  it('throws what got throws', async () => {
    await expect(stationOf('atlantis')).rejects.toThrow('Response code 404');
  });

  it('reports in both units', async () => {
    const [metric, imperial] = await Promise.all([
      got('forecast?units=metric', { prefixUrl }).json<any>(),
      got('forecast?units=imperial', { prefixUrl }).json<any>(),
    ]);

    expect(metric.unit).toBe('C');
    expect(imperial.unit).toBe('F');
    expect(metric.days).toHaveLength(7);
    expect(imperial.days.length).toBe(metric.days.length);
    expect(metric.days[0].max).toBe(14);
  });
});
