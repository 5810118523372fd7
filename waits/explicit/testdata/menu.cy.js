describe('menu', () => {
  beforeEach(() => {
    cy.intercept('GET', '/api/dishes*').as('dishes')
    cy.visit('/menu')
    cy.wait('@dishes')
  })

  it('shows the price', () => {
    cy.get('#refresh').click()
    cy.wait(2000)
    cy.get('#price').then(($price) => {
      expect($price.text()).to.equal('23')
    })
  })

  it('lists dishes', () => {
    cy.get('#more').click()
    cy.get('.dish')
      .then((dishes) => {
        const names = dishes.toArray().map((e) => e.innerText)
        expect(names, 'the dishes').to.deep.equal(['soup', 'cake'])
      })
    cy.get('#count')
      .invoke('text')
      .then((n) => {
        expect(Number(n)).to.equal(2)
      })
  })

  it('orders', () => {
    cy.request('POST', '/api/orders').then((made) => {
      expect(made.status).to.equal(201)
    })
  })
})
