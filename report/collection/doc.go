// Package collection writes the requests of a recording as collections of other clients: Postman, Insomnia, Bruno.
//
//  1. Read goes over the recording twice: for its secrets and bindings, then for the requests ([Collection]). What is
//     secret, what an earlier answer gave, and the address of the API are variables; all else stays as it was sent.
//  2. A form of [Forms] writes the collection as files. Where an answer gave a value that later requests use, a script
//     behind its request keeps it (source.go says which values a script can find).
//
// No secret is in a collection: its variable is empty, and for the user to fill. What a client cannot send as it was
// recorded is left out, and said ([Collection.Left]).
package collection
