'use strict';

const request = require('supertest');

const api = request(process.env.APP_URL || 'http://127.0.0.1:4000');

describe('Products', () => {
  let product;

  beforeEach(async () => {
    const res = await api
      .post('/v1/products')
      .set('X-Api-Key', 'test-key')
      .send({ name: 'Desk lamp', price: 39.9, tags: ['home', 'light'] })
      .expect(201);
    product = res.body;
  });

  it('GET /v1/products', async () => {
    const res = await api.get('/v1/products').query({ limit: 2 }).expect('Content-Type', /json/).expect(200);

    expect(res.body.items).toHaveLength(2);
    expect(res.body.items[0].name).toBe('Chair');
    expect(res.body.items[1].price).toBe(39.9);
    expect(res.body.page).toEqual({ limit: 2, offset: 0, total: 18 });
    expect(res.headers['x-request-id']).toBe('4f1c02aa-2f51-4d8e-93c5-3a2b3cf0e6f5');
  });

  it('GET /v1/products/:id', async () => {
    await api
      .get(`/v1/products/${product.id}`)
      .set('Accept', 'application/json')
      .expect(200)
      .expect('ETag', '"1"')
      .expect((res) => {
        expect(res.body.name).toBe('Desk lamp');
        expect(res.body.tags).toEqual(['home', 'light']);
      });
  });

  it('PUT /v1/products/:id changes the price', async () => {
    const { body, status } = await api
      .put('/v1/products/' + product.id)
      .set('X-Api-Key', 'test-key')
      .send({ ...product, price: 44.5 });

    expect(status).toBe(200);
    expect(body.price).toBe(44.5);
    expect(body.version).toBe(2);
    expect(body.updatedAt).not.toBe(product.updatedAt);
    expect(body.id).toBe(product.id);
  });

  describe('without a key', () => {
    it('is refused', () =>
      api
        .post('/v1/products')
        .send({ name: 'Sofa' })
        .expect(401)
        .expect('WWW-Authenticate', 'ApiKey')
        .expect({ error: 'unauthorized' }));

    it('may look', () => {
      return api
        .get('/v1/products/1')
        .expect(200)
        .then((response) => {
          expect(response.body.id).toBe(1);
          expect(response.body.name).toBe('Chair');
          expect(response.body.stock).toBeGreaterThanOrEqual(3);
          expect(response.type).toBe('application/json');
        });
    });
  });

  describe.each([
    ['name', { price: 3 }],
    ['price', { name: 'Vase' }],
  ])('without %s', (field, payload) => {
    it('is not valid', async () => {
      const response = await api.post('/v1/products').set('X-Api-Key', 'test-key').send(payload);
      expect(response.statusCode).toBe(400);
      expect(response.body.errors[0].path).toBe(field);
      expect(response.body.errors).toHaveLength(1);
    });
  });
});
