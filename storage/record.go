package storage

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/watch"
)

// Record is one committed version of one object. It is immutable, including its JSON, and readers may keep it. The text
// of the object is not an exported field, because a store need not hold all texts in memory. [Record.JSON] returns the
// text.
//
// The fields that a list reads come first, so that the processor fetches less memory.
type Record struct {
	Key      Key
	Revision watch.Revision
	text     []byte
	Extracted
	// Written is when the store committed the record, by the store's clock. No-ops, upgrades and deletions do not
	// change it; the record of a deletion shows the last state. All records of one commit have the same time. Because
	// clocks may jump, a later record may have an earlier time.
	Written Moment
	// Creator names the user who created the object, if the store had a [Ledger] at that time. Later writes keep it.
	// Records from before the store was opened do not have it.
	Creator string
}

// Moment is a time in microseconds since 1970. Records keep times in this form, because a time.Time is three times as
// large and contains a pointer.
type Moment int64

// MomentOf returns a time as a Moment, without its location and without fractions of a microsecond.
func MomentOf(t time.Time) Moment { return Moment(t.UnixMicro()) }

// Time returns the moment as a time in the local location.
func (m Moment) Time() time.Time { return time.UnixMicro(int64(m)) }

// Extracted holds the parts of an object that selection needs, so that selection
// need not decode the object.
type Extracted struct {
	// Metadata is the span of the metadata object in the JSON, including its braces.
	Metadata Span
	// ManagedFields is the span of the member metadata.managedFields, including one adjacent comma. Without the span,
	// the JSON is the object without its managedFields. The span is empty if the object has none.
	ManagedFields Span
	// Version is the span of the text of metadata.resourceVersion, without its quotes.
	Version Span
	// UID is metadata.uid.
	UID string
	// Labels are metadata.labels.
	Labels apimeta.Labels
	// Fields are the values of the resource's selectable fields, in the order in which its extractor lists them.
	Fields []string
	// Owners are the uids of metadata.ownerReferences.
	Owners []string
	// Deleting reports whether metadata.deletionTimestamp is set.
	Deleting bool
}

// Span selects a part of a record's JSON: JSON[Start:End].
type Span struct{ Start, End uint32 }

const (
	// recordOverhead is about how many bytes a record needs in addition to its JSON, labels, fields and owners: the
	// struct, its name and uid, and its places in the tree and in the map.
	recordOverhead = 372
	// stringOverhead is how many bytes a string of the parts needs in addition to its text.
	stringOverhead = 24
)

// size returns about how many bytes a record holds, and 0 for nil.
func (r *Record) size() int64 {
	if r == nil {
		return 0
	}
	return r.sizeBeside(&Record{})
}

// textSize is size for readers, without the labels, fields and owners, which many records share.
func (r *Record) textSize() int64 {
	if r == nil {
		return 0
	}
	return int64(len(r.text)) + recordOverhead
}

// sizeBeside is size without the parts that the record shares with another.
func (r *Record) sizeBeside(other *Record) int64 {
	size := int64(len(r.text)) + recordOverhead
	if !shared(r.Labels, other.Labels) {
		for _, l := range r.Labels {
			size += int64(len(l.Key)+len(l.Value)) + 2*stringOverhead
		}
	}
	if !shared(r.Fields, other.Fields) {
		size += sizeOf(r.Fields)
	}
	if !shared(r.Owners, other.Owners) {
		size += sizeOf(r.Owners)
	}
	return size
}

func sizeOf(all []string) (size int64) {
	for _, s := range all {
		size += int64(len(s)) + stringOverhead
	}
	return size
}

// shared reports whether two slices share their memory.
func shared[E any](a, b []E) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// JSON returns the canonical text of the object, with Revision as its metadata.resourceVersion. The store owns it;
// callers must not change it. Today's stores hold all texts in memory. A store that has to read the text from durable
// storage returns the context's error if the context ends first, and [ErrUnavailable] if it cannot read the text.
func (r *Record) JSON(context.Context) ([]byte, error) { return r.text, nil }

// Len returns the number of bytes of the JSON. It never reads the text.
func (r *Record) Len() int { return len(r.text) }

// With returns a copy of the record with another text and its parts, such as the text of the object in another version.
func (r *Record) With(text []byte, parts Extracted) *Record {
	c := *r
	c.text, c.Extracted = text, parts
	return &c
}

// AppendAt appends the record's JSON to dst, with another revision as its resourceVersion. A DELETED event shows the
// last state at the revision of the deletion, or of the change after which the object no longer matched the selector.
// If it cannot read the JSON, it returns dst and the error.
func (r *Record) AppendAt(ctx context.Context, dst []byte, revision watch.Revision) ([]byte, error) {
	text, err := r.JSON(ctx)
	if err != nil {
		return dst, err
	}
	return appendAt(dst, text, r.Version, revision), nil
}

// appendAt appends a text with another revision as its resourceVersion.
func appendAt(dst, text []byte, version Span, revision watch.Revision) []byte {
	dst = append(dst, text[:version.Start]...)
	dst = strconv.AppendUint(dst, uint64(revision), 10)
	return append(dst, text[version.End:]...)
}

// at returns a copy of the record at another revision.
func (r *Record) at(revision watch.Revision) *Record {
	c := *r
	c.text = slices.Clone(r.text)
	c.stamp(revision)
	return &c
}

// stamp writes a revision into a record that no other goroutine has seen: in place if the number of digits is the same,
// otherwise into a copy of the JSON.
func (r *Record) stamp(revision watch.Revision) {
	r.Revision = revision
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(revision), 10)
	room := int(r.Version.End - r.Version.Start)
	if len(digits) == room {
		copy(r.text[r.Version.Start:], digits)
		return
	}
	r.text = appendAt(make([]byte, 0, len(r.text)-room+len(digits)), r.text, r.Version, revision)
	r.resize(uint32(len(digits) - room)) // wraps around when the text shrinks; the additions wrap back
}

// resize moves the spans behind the text of the resourceVersion after the text has grown.
func (r *Record) resize(grown uint32) {
	if r.ManagedFields.Start > r.Version.Start {
		r.ManagedFields.Start += grown
		r.ManagedFields.End += grown
	}
	r.Version.End += grown
	r.Metadata.End += grown
}

// check returns an error if the store cannot write a revision where the extractor found the resourceVersion.
func (p *Extracted) check(json []byte) error {
	size := uint64(len(json))
	m, v := p.Metadata, p.Version
	switch {
	case size > math.MaxUint32:
		return fmt.Errorf("%w: %d bytes exceed the limit of 4 GiB", ErrJSON, size)
	case m.Start >= m.End || uint64(m.End) > size:
		return fmt.Errorf("%w: the object has no metadata", ErrJSON)
	case v.Start <= m.Start || v.End < v.Start || v.End >= m.End || json[v.Start-1] != '"' || json[v.End] != '"':
		return fmt.Errorf("%w: metadata.resourceVersion is not a string", ErrJSON)
	}
	return nil
}

// same reports whether another text equals the record's except for the resourceVersion.
func (r *Record) same(json []byte, version Span) bool {
	return string(r.text[:r.Version.Start]) == string(json[:version.Start]) &&
		string(r.text[r.Version.End:]) == string(json[version.End:])
}

// Holds reports whether the JSON of the record equals a text, apart from the resourceVersion. It does if the store kept
// the text of a write unchanged. The error comes from [Record.JSON].
func (r *Record) Holds(ctx context.Context, text []byte) (bool, error) {
	stored, err := r.JSON(ctx)
	if err != nil {
		return false, err
	}
	end := len(text) - (len(stored) - int(r.Version.End))
	return int(r.Version.Start) <= end && bytes.IndexByte(text[r.Version.Start:end], '"') < 0 &&
		r.same(text, Span{r.Version.Start, uint32(end)}), nil
}

// share makes parts that equal parts of the previous version use the same memory, so that the versions of an object in
// the log hold them once.
func (p *Extracted) share(old *Extracted) {
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
