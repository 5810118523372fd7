const axios = require('axios');
const { expect } = require('chai');

const url = 'http://localhost:5001/api';

function newCart() {
  return axios.post(`${url}/carts`, { currency: 'EUR' });
}

describe('Shopping cart', function () {
  this.timeout(5000);

  let cartId;

  before(function () {
    return newCart().then(function (response) {
      cartId = response.data.cartId;
    });
  });

  it('starts empty', function () {
    return axios.get(`${url}/carts/${cartId}`).then(function (response) {
      expect(response.status).to.equal(200);
      expect(response.data.lines).to.be.an('array').that.is.empty;
      expect(response.data.total).to.equal(0);
      expect(response.data.currency).to.be.equal('EUR');
      expect(response.data).to.have.property('updatedAt', 1741684462);
    });
  });

  it('takes an article', () => {
    return axios
      .post(`${url}/carts/${cartId}/lines`, { article: 'A-100', quantity: 3 })
      .then((res) => {
        expect(res.status).to.eql(201);
        expect(res.data.lines).to.have.lengthOf(1);
        expect(res.data.lines[0].article).to.equal('A-100');
        expect(res.data.lines[0]).to.have.all.keys('id', 'article', 'quantity', 'price');
        expect(res.data.total).to.be.closeTo(29.97, 0.001);
        return axios.get(`${url}/carts/${cartId}/lines/${res.data.lines[0].id}`);
      })
      .then(({ data }) => {
        expect(data.quantity).to.equal(3);
        expect(data.price).to.deep.equal({ amount: 9.99, currency: 'EUR' });
      });
  });

  it('knows its vouchers', async function () {
    const { data: vouchers } = await axios.get(url + '/vouchers?active=true');

    expect(vouchers).to.be.an('array');
    expect(vouchers).to.have.length(2);
    expect(vouchers[0].code).to.equal('SPRING25');
    expect(vouchers[1].percent).to.be.above(5);
    expect(vouchers.map((v) => v.code)).to.include('SPRING25');
    expect(vouchers[0].expired).to.be.false;
    expect(vouchers[0].validUntil).to.match(/^2025-/);
  });

  describe('an unknown cart', function () {
    it('is a 404', async function () {
      let failure;
      try {
        await axios.get(`${url}/carts/does-not-exist`);
      } catch (error) {
        failure = error;
      }
      expect(failure.response.status).to.equal(404);
      expect(failure.response.data.message).to.equal('Cart does-not-exist does not exist');
      expect(failure.response.data.timestamp).to.exist;
    });

    it('cannot be ordered', function () {
      return axios.post(`${url}/carts/does-not-exist/order`).catch((error) => {
        expect(error.response.status).to.equal(409);
        expect(error.response.data).to.include({ code: 'CART_GONE' });
      });
    });
  });
});
