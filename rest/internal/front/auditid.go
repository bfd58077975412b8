package front

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// auditIDHeader names a request: in the answer, in the lines of the log about it, and in the logs of proxies that pass
// it on.
const auditIDHeader = "Audit-Id"

// maxAuditID bounds what a client can make a log repeat.
const maxAuditID = 64

// newAuditID returns a random audit ID. It need not be secret, so it does without the random bytes of the operating
// system, which take longer than to find the object.
func newAuditID() string {
	var b [16]byte
	binary.NativeEndian.PutUint64(b[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(b[8:], rand.Uint64())
	return objectmeta.UIDOf(b)
}

// isAuditID reports whether a client may name its request so: with 1 to 64 printable ASCII characters.
func isAuditID(s string) bool {
	if s == "" || len(s) > maxAuditID {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
