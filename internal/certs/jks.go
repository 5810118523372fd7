package certs

import (
	"crypto/sha1"
	"encoding/binary"
	"unicode/utf16"

	"software.sslmate.com/src/go-pkcs12"
)

// The Java key store has no specification; this is what sun.security.provider.JavaKeyStore reads.
const (
	jksMagic   = 0xfeedfeed
	jksVersion = 2
	jksTrusted = 2 // the kind of entry that is a certificate without a key
	jksSalt    = "Mighty Aphrodite"
)

// encodeJKS returns a Java key store that holds certificates to be trusted. Its digest, which is keyed by the password,
// tells of damage and no more. Equal certificates give equal bytes.
func encodeJKS(entries []pkcs12.TrustStoreEntry, password string) []byte {
	var b []byte
	b = binary.BigEndian.AppendUint32(b, jksMagic)
	b = binary.BigEndian.AppendUint32(b, jksVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	for _, e := range entries {
		b = binary.BigEndian.AppendUint32(b, jksTrusted)
		b = appendUTF(b, e.FriendlyName)
		b = binary.BigEndian.AppendUint64(b, uint64(e.Cert.NotBefore.UnixMilli())) // the date of the entry
		b = appendUTF(b, "X.509")
		b = binary.BigEndian.AppendUint32(b, uint32(len(e.Cert.Raw)))
		b = append(b, e.Cert.Raw...)
	}
	digest := sha1.New()
	for _, unit := range utf16.Encode([]rune(password)) {
		digest.Write([]byte{byte(unit >> 8), byte(unit)})
	}
	digest.Write([]byte(jksSalt))
	digest.Write(b)
	return digest.Sum(b)
}

// appendUTF appends a text as Java's DataOutput.writeUTF does. Texts are ASCII here, in which that is as usual.
func appendUTF(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}
