describe('ages', () => {
  it('shows the age', () => {
    cy.visit('/fetch')
    cy.get('#go').click()
    cy.wait(700)
    return cy.get('#age').should('not.have.text', '24')
  })

  it('stays open', () => {
    cy.visit('/poll')
    cy.get('#go').click()
    cy.wait(700)
    cy.get('#age').should('not.have.text', '24')
  })
})
