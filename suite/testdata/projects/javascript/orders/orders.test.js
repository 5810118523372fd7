const axios = require('axios');

const BASE_URL = process.env.API_URL || 'http://localhost:3000';
const client = axios.create({ baseURL: BASE_URL, validateStatus: () => true });

describe('Orders API', () => {
  let token;
  let orderId;

  beforeAll(async () => {
    const login = await client.post('/auth/login', { email: 'ann@example.com', password: 's3cret' });
    token = login.data.token;
  });

  describe('POST /orders', () => {
    it('creates an order', async () => {
      const res = await client.post(
        '/orders',
        { customerId: 7, items: [{ sku: 'PEN-1', quantity: 2 }, { sku: 'INK-3', quantity: 1 }] },
        { headers: { Authorization: `Bearer ${token}` } },
      );

      expect(res.status).toBe(201);
      expect(res.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(res.data.id).toBe(1042);
      expect(res.data.status).toBe('pending');
      expect(res.data.items).toHaveLength(2);
      expect(res.data.items[0].sku).toEqual('PEN-1');
      expect(res.data.total).toBeCloseTo(17.4, 2);
      expect(res.data.createdAt).toBe('2025-03-11T09:14:22.113Z');
      orderId = res.data.id;
    });

    it('refuses an order without items', async () => {
      const res = await client.post('/orders', { customerId: 7, items: [] }, authorized());

      expect(res.status).toBe(422);
      expect(res.data.error.code).toBe('ITEMS_REQUIRED');
      expect(res.data.error.message).toMatch(/at least one item/);
      expect(res.data.error.details).toEqual([{ field: 'items', rule: 'min' }]);
    });
  });

  describe('GET /orders', () => {
    it('lists the orders of a customer', async () => {
      const { status, data } = await client.get('/orders', { params: { customerId: 7 }, ...authorized() });

      expect(status).toBe(200);
      expect(data.total).toBe(3);
      expect(data.orders.length).toBe(3);
      expect(data.orders[0].id).toBe(1040);
      expect(data.orders.map((o) => o.status)).toEqual(['shipped', 'pending', 'pending']);
      expect(Array.isArray(data.orders)).toBe(true);
    });

    it('finds the order that was made', async () => {
      const res = await client.get(`/orders/${orderId}`, authorized());

      expect(res.status).toBe(200);
      expect(res.data).toMatchObject({ id: orderId, status: 'pending' });
      expect(res.data.customer.name).toBe('Ann Example');
      expect(res.data.cancelledAt).toBeNull();
      expect(res.data.trackingNumber).toBeUndefined();
      expect(res.data.paid).toBeFalsy();
    });

    it('does not find an order that is not there', async () => {
      const res = await client.get('/orders/999999', authorized());

      expect(res.status).toBe(404);
      expect(res.data).toEqual({ error: { code: 'NOT_FOUND', message: 'Order 999999 not found' } });
    });
  });

  afterAll(async () => {
    await client.delete(`/orders/${orderId}`, authorized());
  });

  function authorized() {
    return { headers: { Authorization: `Bearer ${token}` } };
  }
});
