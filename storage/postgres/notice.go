package postgres

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/watch"
)

// notice is what a notification says: the last revision of a commit and, if it made one small change, this change. A
// replica that has everything before it need not read. Notifications arrive after their commits, in the same order.
type notice struct {
	revision watch.Revision
	copy     uint32
	change   *change
}

var errNotice = errors.New("the notification is not understood")

// parseNotice returns what the payload of a notification says: REVISION, or REVISION COPY CHANGE.
func parseNotice(payload string) (n notice, err error) {
	first, rest, more := strings.Cut(payload, " ")
	revision, err := strconv.ParseUint(first, 10, 63)
	if n.revision = watch.Revision(revision); err != nil || !more {
		return n, err
	}
	first, rest, _ = strings.Cut(rest, " ")
	id, err := strconv.ParseUint(first, 10, 32)
	if err != nil {
		return n, err
	}
	n.copy = uint32(id)
	n.change, err = parseChange(rest)
	if err == nil {
		n.change.revision, n.change.last = int64(revision), int64(revision)
	}
	return n, err
}

// parseChange returns a change without its revision: numbers, and texts in base64.
func parseChange(text string) (*change, error) {
	words := strings.Split(text, " ")
	if len(words) != 11 {
		return nil, errNotice
	}
	var numbers [5]int64
	for i := range numbers {
		var err error
		if numbers[i], err = strconv.ParseInt(words[i], 10, 64); err != nil {
			return nil, err
		}
	}
	var texts [6][]byte
	for i := range texts {
		var err error
		if texts[i], err = base64.StdEncoding.DecodeString(words[5+i]); err != nil {
			return nil, err
		}
	}
	c := &change{at: numbers[0], origin: numbers[1], form: int32(numbers[2]), position: int32(numbers[3]),
		written: numbers[4], resource: string(texts[0]), namespace: string(texts[1]), name: string(texts[2]),
		creator: string(texts[3]), keyID: string(texts[4])}
	if len(texts[5]) > 0 {
		c.body = texts[5]
	}
	return c, nil
}
