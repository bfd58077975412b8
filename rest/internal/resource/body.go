package resource

import (
	"encoding/hex"
	"fmt"

	"github.com/decorum-go/decorum/status"
)

// Unrecognized is the answer to a body whose kind cannot be told.
func Unrecognized(kind string, err error, data []byte) error {
	return status.BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind, err, excerpt(data)))
}

const excerptLength = 30

// excerpt shows the beginning of a body: as it is where it looks like JSON, else in hexadecimal digits.
func excerpt(data []byte) string {
	if len(data) == 0 {
		return "<empty>"
	}
	head, tail := data, ""
	if len(data) > excerptLength {
		head, tail = data[:excerptLength], " ..."
	}
	if data[0] == '{' {
		return string(head) + tail
	}
	return hex.EncodeToString(head) + tail
}
