// Package ship sends what a recorder has in its file to a hub, where the recordings of many machines come together.
//
// The file is the spool. A [Shipper] reads behind the recorder what is stored, and never stands in its way: a hub
// that is away, slow or full costs lag, and no memory beyond one block. The order of work:
//
//  1. It agrees with the hub on the form of blocks and on how secrets stand in them ([Terms]).
//  2. It asks what the hub has of this recorder ([Mark]), and goes on behind that. The hub's answer is the only
//     mark there is: one beside the file could say that something was sent which a hub that was set up anew does
//     not have.
//  3. It reads exchanges, puts tokens in the place of their secrets, and makes blocks of them. Whoever goes on in
//     the middle reads from the beginning all the same, to know the secrets that were named there.
//  4. It appends each block behind the last one that it knows of, and waits for the acknowledgement. A block that
//     the hub has by then, because an acknowledgement was lost or somebody else sends the same file, is refused by
//     the hub; the shipper then asks again what is there. So nothing is there twice, and nothing is left out.
//
// What the hub is, this package does not know: [Hub] is what it asks of one.
package ship
