// Package certs is the certificate authority that lets flaketap look into TLS.
//
// An [Authority] is one CA of an installation's own: an ECDSA P-256 key and a self-signed certificate, kept in a
// directory of the user's. Nobody else has the key, which is why it may be trusted on the machine it was made on, and
// nowhere else. From it [Authority.Leaf] mints certificates for the hosts whose TLS is intercepted. All leaves share
// one key, made anew for each process: minting one costs a signature and no key generation.
//
// Clients learn of the CA by a file: [Authority.CertFile] where a setting adds to the roots that a client has,
// [Authority.WriteBundle] where it replaces them, and [Authority.WriteTrustStore] for Java.
package certs
