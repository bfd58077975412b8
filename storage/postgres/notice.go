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
	text     string // the copy and the change, or ""
}

var errNotice = errors.New("invalid notification")

// parseNotice returns what the payload of a notification says: REVISION, or REVISION COPY CHANGE.
func parseNotice(payload string) (notice, error) {
	first, rest, _ := strings.Cut(payload, " ")
	revision, err := strconv.ParseUint(first, 10, 63)
	return notice{watch.Revision(revision), rest}, err
}

// change returns the change, and the copy of the store in which it was made.
func (n *notice) change() (store uint32, c *change, err error) {
	first, rest, _ := strings.Cut(n.text, " ")
	id, err := strconv.ParseUint(first, 10, 32)
	if err != nil {
		return 0, nil, err
	}
	if c, err = parseChange(rest); err != nil {
		return 0, nil, err
	}
	c.revision, c.last = int64(n.revision), int64(n.revision)
	return uint32(id), c, nil
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
