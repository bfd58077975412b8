package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	// recordOverhead is about how many bytes a record needs in addition to its JSON, labels, fields and owners: the
	// struct, its name and uid, and its places in the tree and in the map.
	recordOverhead = 372
	// stringOverhead is how many bytes a string of the parts needs in addition to its text.
	stringOverhead = 24
)

// sizeOf returns about how many bytes a record holds, and 0 for nil.
func sizeOf(r *storage.Record) int64 {
	if r == nil {
		return 0
	}
	return sizeBeside(r, &storage.Record{})
}

// textSize is sizeOf for readers, without the labels, fields and owners, which many records share.
func textSize(r *storage.Record) int64 {
	if r == nil {
		return 0
	}
	return int64(r.Len()) + recordOverhead
}

// sizeBeside is sizeOf without the parts that the record shares with another.
func sizeBeside(r, other *storage.Record) int64 {
	size := int64(r.Len()) + recordOverhead
	if !shared(r.Labels, other.Labels) {
		for _, l := range r.Labels {
			size += int64(len(l.Key)+len(l.Value)) + 2*stringOverhead
		}
	}
	if !shared(r.Fields, other.Fields) {
		size += sizeOfStrings(r.Fields)
	}
	if !shared(r.Owners, other.Owners) {
		size += sizeOfStrings(r.Owners)
	}
	return size
}

func sizeOfStrings(all []string) (size int64) {
	for _, s := range all {
		size += int64(len(s)) + stringOverhead
	}
	return size
}

// shared reports whether two slices share their memory.
func shared[E any](a, b []E) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// recordAt returns a copy of a record with this text at another revision.
func recordAt(r *storage.Record, text []byte, revision watch.Revision) *storage.Record {
	c := r.With(slices.Clone(text), r.Extracted)
	stamp(c, revision)
	return c
}

// replaceText gives another text with the same parts to a record that no other goroutine has seen.
func replaceText(r *storage.Record, text []byte) { *r = *r.With(text, r.Extracted) }

// stamp writes a revision into a record that no other goroutine has seen: in place if the number of digits is the same,
// otherwise into a copy of the JSON.
func stamp(r *storage.Record, revision watch.Revision) {
	r.Revision = revision
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(revision), 10)
	text, room := r.InMemory(), int(r.Version.End-r.Version.Start)
	if len(digits) == room {
		copy(text[r.Version.Start:], digits)
		return
	}
	replaceText(r, slices.Concat(text[:r.Version.Start], digits, text[r.Version.End:]))
	resize(r, uint32(len(digits)-room)) // wraps around when the text shrinks; the additions wrap back
}

// resize moves the spans behind the text of the resourceVersion after the text has grown.
func resize(r *storage.Record, grown uint32) {
	if r.ManagedFields.Start > r.Version.Start {
		r.ManagedFields.Start += grown
		r.ManagedFields.End += grown
	}
	r.Version.End += grown
	r.Metadata.End += grown
}

// checkParts returns an error if the store cannot write a revision where the extractor found the resourceVersion.
func checkParts(p *storage.Extracted, json []byte) error {
	size := uint64(len(json))
	m, v := p.Metadata, p.Version
	switch {
	case size > math.MaxUint32:
		return fmt.Errorf("%w: %d bytes exceed the limit of 4 GiB", storage.ErrJSON, size)
	case m.Start >= m.End || uint64(m.End) > size:
		return fmt.Errorf("%w: the object has no metadata", storage.ErrJSON)
	case v.Start <= m.Start || v.End < v.Start || v.End >= m.End || json[v.Start-1] != '"' || json[v.End] != '"':
		return fmt.Errorf("%w: metadata.resourceVersion is not a string", storage.ErrJSON)
	}
	return nil
}

// sameText reports whether the text of a record equals another one except for the resourceVersion.
func sameText(r *storage.Record, text, json []byte, version storage.Span) bool {
	return string(text[:r.Version.Start]) == string(json[:version.Start]) &&
		string(text[r.Version.End:]) == string(json[version.End:])
}

// shareParts makes parts that equal parts of the previous version use the same memory, so that the versions of an
// object in the log hold them once.
func shareParts(p, old *storage.Extracted) {
	if p.UID == old.UID {
		p.UID = old.UID
	}
	if slices.Equal(p.Labels, old.Labels) {
		p.Labels = old.Labels
	}
	if slices.Equal(p.Fields, old.Fields) {
		p.Fields = old.Fields
	}
	if slices.Equal(p.Owners, old.Owners) {
		p.Owners = old.Owners
	}
}

// parseRevision reads a resourceVersion.
func parseRevision(text []byte) (watch.Revision, error) {
	n, err := strconv.ParseUint(string(text), 10, 64)
	return watch.Revision(n), err
}
