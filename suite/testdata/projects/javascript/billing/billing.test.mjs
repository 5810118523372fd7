import { assert } from 'chai';

const ROOT = new URL('http://localhost:7070/billing/');

const send = async (method, path, payload) => {
  const init = { method, headers: { accept: 'application/json' } };
  if (payload) {
    init.headers['content-type'] = 'application/json';
    init.body = JSON.stringify(payload);
  }
  return fetch(new URL(path, ROOT), init);
};

suite('Billing', () => {
  let invoice;

  suiteSetup(async () => {
    const res = await send('POST', 'invoices', { customer: 'ACME', lines: [{ text: 'Hosting', cents: 4900 }] });
    assert.equal(res.status, 201);
    invoice = await res.json();
  });

  suite('invoice', () => {
    test('has a number', () => {
      assert.strictEqual(invoice.number, '2025-0007');
      assert.equal(invoice.customer, 'ACME');
      assert.isString(invoice.id);
      assert.isNull(invoice.paidAt);
      assert.deepEqual(invoice.lines, [{ text: 'Hosting', cents: 4900, tax: 931 }]);
    });

    test('can be fetched', async () => {
      const res = await send('GET', `invoices/${invoice.id}`);
      const body = await res.json();

      assert.equal(res.status, 200, 'status');
      assert.isTrue(res.ok);
      assert.equal(res.headers.get('content-type'), 'application/json');
      assert.equal(body.total, 5831);
      assert.lengthOf(body.lines, 1);
      assert.property(body, 'dueAt');
      assert.propertyVal(body, 'currency', 'EUR');
      assert.match(body.dueAt, /^\d{4}-\d{2}-\d{2}$/);
      assert.isAbove(body.total, 4900);
    });

    test('is paid', async () => {
      const res = await send('POST', `invoices/${invoice.id}/payments`, { cents: 5831 });
      const payment = await res.json();

      assert(res.status === 201);
      assert.ok(payment.receipt);
      assert.equal(payment.receipt.number, 'R-88');
      assert.notEqual(payment.id, invoice.id);
      assert.include(payment.methods, 'card');
      assert.typeOf(payment.paidAt, 'string');
      assert.isFalse(payment.partial);
      assert.isUndefined(payment.failure);
    });
  });

  suite('errors', () => {
    for (const [path, status, code] of [
      ['invoices/none', 404, 'INVOICE_UNKNOWN'],
      ['customers/none', 404, 'CUSTOMER_UNKNOWN'],
    ]) {
      test(`${path} is ${status}`, async () => {
        const res = await send('GET', path);
        const { errors } = await res.json();
        assert.equal(res.status, status);
        assert.equal(errors[0].code, code);
        assert.equal(errors.length, 1);
      });
    }
  });
});
