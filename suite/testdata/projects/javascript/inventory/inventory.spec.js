const supertest = require('supertest');
const chai = require('chai');
const should = chai.should();
const expect = chai.expect;

const server = supertest.agent('http://localhost:8081');

describe('Inventory', () => {
  const item = { sku: 'BOLT-M8', count: 250, shelf: 'C4' };
  let location;

  before((done) => {
    server
      .post('/inventory')
      .send(item)
      .end((err, res) => {
        if (err) return done(err);
        location = res.headers.location;
        done();
      });
  });

  it('gives the item that was stored', (done) => {
    server
      .get('/inventory/BOLT-M8')
      .expect('Content-type', /json/)
      .expect(200)
      .end((err, res) => {
        expect(err).to.equal(null);
        res.status.should.equal(200);
        res.body.sku.should.equal('BOLT-M8');
        res.body.count.should.be.a('number');
        res.body.count.should.equal(250);
        res.body.should.have.property('shelf').equal('C4');
        expect(res.body.checkedAt).to.equal('2025-05-02');
        done();
      });
  });

  it('gives where the item is', (done) => {
    server.get(location).end(function (err, res) {
      if (err) {
        return done(err);
      }
      expect(res).to.have.property('status', 200);
      expect(res.body).to.deep.include({ sku: 'BOLT-M8', shelf: 'C4' });
      expect(res.headers).to.have.property('cache-control', 'no-store');
      expect(res.text).to.contain('BOLT-M8');
      done();
    });
  });

  it('counts down', async () => {
    const before = await server.get('/inventory/BOLT-M8');
    const after = await server.patch('/inventory/BOLT-M8').send({ take: 10 });

    expect(after.status).to.equal(200);
    expect(after.body.count).to.equal(before.body.count - 10);
    expect(after.body.count).to.be.at.least(0);
    expect(after.body.history).to.be.an('array').with.lengthOf(2);
    expect(after.body.history[0].by).to.equal('system');
    expect(after.body.history[1].at).to.be.a('string');
    expect(after.body.low).to.not.equal(true);
  });

  it('has summaries', async () => {
    const res = await server.get('/inventory/summary').query({ shelf: 'C4' });
    const { totals, shelves } = res.body;
    const [first] = shelves;

    expect(res.status).to.equal(200, 'a summary is always there');
    expect(totals.items).to.equal(12);
    expect(totals.pieces).to.be.greaterThan(1000);
    expect(first.name).to.equal('C4');
    expect(first.items).to.have.members(['BOLT-M8', 'NUT-M8', 'WASHER-M8']);
    expect(shelves.length).to.equal(1);
    should.exist(first.capacity);
  });
});
