package shard

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sort"
	"strings"
)

// Selector selects the objects whose uid or namespace has a hash in one of its ranges. The nil Selector selects all
// objects.
type Selector struct {
	namespace bool // whether it hashes the namespace instead of the uid
	ranges    []span
	text      string
}

// span is a range of hashes. It includes both ends, because an exclusive end of 2^64 would not fit.
type span struct{ first, last uint64 }

const (
	ofUID       = "object.metadata.uid"
	ofNamespace = "object.metadata.namespace"
	// beyond is 2^64, the end of the highest range.
	beyond = "0x10000000000000000"
)

// String returns the selector in the canonical form that the API shows, which parses as the same selector.
func (s *Selector) String() string {
	if s == nil {
		return ""
	}
	return s.text
}

// Matches reports whether the selector selects an object.
func (s *Selector) Matches(uid, namespace string) bool {
	if s == nil {
		return true
	}
	value := uid
	if s.namespace {
		value = namespace
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, value) // a hash returns no error
	hash := h.Sum64()
	at, found := slices.BinarySearchFunc(s.ranges, hash, func(r span, h uint64) int { return cmp.Compare(r.first, h) })
	return found || at > 0 && hash <= s.ranges[at-1].last
}

// merge sorts the ranges, and joins ranges that overlap or touch, so that a long selector does not make matches slow.
func merge(ranges []span) []span {
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].first < ranges[j].first })
	merged := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &merged[len(merged)-1]; r.first <= last.last || r.first == last.last+1 {
			last.last = max(last.last, r.last)
		} else {
			merged = append(merged, r)
		}
	}
	return slices.Clip(merged)
}

// add appends a range. start and end are its ends as the client wrote them.
func (s *Selector) add(field, start, end string) error {
	first, err := bound(start)
	if err != nil {
		return err
	}
	after, err := bound(end)
	if err != nil {
		return err
	}
	if end != beyond && (start == beyond || first >= after) || start == end {
		return fmt.Errorf("the range from %s to %s is empty", start, end)
	}
	switch {
	case field != ofUID && field != ofNamespace:
		return fmt.Errorf("the field %q is not supported; the fields are %s and %s", field, ofUID, ofNamespace)
	case len(s.ranges) > 0 && s.namespace != (field == ofNamespace):
		return fmt.Errorf("all ranges must use the same field")
	}
	s.namespace = field == ofNamespace
	s.ranges = append(s.ranges, span{first, after - 1}) // 2^64 is 0 here
	return nil
}

// bound reads an end of a range. It returns 0 for 2^64.
func bound(text string) (n uint64, err error) {
	if text == beyond {
		return 0, nil
	}
	digits, prefixed := strings.CutPrefix(text, "0x")
	if !prefixed || len(digits) != 16 {
		return 0, fmt.Errorf("%q must be 0x with 16 hexadecimal digits, or %s", text, beyond)
	}
	for _, c := range []byte(digits) {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0, fmt.Errorf("%q must be 0x with 16 lower-case hexadecimal digits", text)
		}
	}
	return n, nil
}
