package storage

import (
	"bytes"
	"context"
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
	body
	Extracted
	// Written is when the store committed the record, by the store's clock. No-ops, upgrades and deletions do not
	// change it; the record of a deletion shows the last state. All records of one commit have the same time. Because
	// clocks may jump, a later record may have an earlier time.
	Written Moment
	// Creator names the user who created the object, if the store had a [Ledger] at that time. Later writes keep it.
	// Records from before the store was opened do not have it.
	Creator string
}

// body is the text of a record, or a source that reads the text.
type body struct {
	text   []byte
	source TextSource
}

// TextSource reads the texts of records that a store does not hold in memory. Only a store needs it.
type TextSource interface {
	// Text returns the text of a record that [Record.Unloaded] has made for this source.
	Text(ctx context.Context, r *Record) ([]byte, error)
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
	size     uint32 // bytes of the JSON; With sets it
}

// Span selects a part of a record's JSON: JSON[Start:End].
type Span struct{ Start, End uint32 }

// JSON returns the canonical text of the object, with Revision as its metadata.resourceVersion. The store owns it;
// callers must not change it. They may keep it, unless the context comes from [InOrder]. If the store does not hold the text in memory, JSON reads it from durable storage. It
// returns the context's error if the context ends first, 410 Expired if the store no longer has the text of this
// revision, and the store's error if it cannot read the text.
func (r *Record) JSON(ctx context.Context) ([]byte, error) {
	if r.source != nil {
		return r.source.Text(ctx, r)
	}
	return r.text, nil
}

// Len returns the number of bytes of the JSON. It never reads the text.
func (r *Record) Len() int { return int(r.size) }

// InMemory returns the text that [Record.JSON] returns, if the record holds it, and otherwise nil. Callers must not
// change it. Only a store needs InMemory, where it cannot wait.
func (r *Record) InMemory() []byte { return r.text }

// Value returns the record's value in an index. An empty field counts as no value, because the extractor stores "" for
// a missing field.
func (r *Record) Value(in watch.Index) (value string, ok bool) {
	if in.Label != "" {
		return r.Labels.Lookup(in.Label)
	}
	if in.Field < len(r.Fields) {
		return r.Fields[in.Field], r.Fields[in.Field] != ""
	}
	return "", false
}

// With returns a copy of the record with another text and its parts, such as the text of the object in another version.
func (r *Record) With(text []byte, parts Extracted) *Record {
	c := *r
	c.body, c.Extracted = body{text: text}, parts
	c.size = uint32(len(text))
	return &c
}

// Unloaded returns a copy of the record without its text, which a source reads.
func (r *Record) Unloaded(source TextSource) *Record {
	c := *r
	c.body = body{source: source}
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
	dst = append(dst, text[:r.Version.Start]...)
	dst = strconv.AppendUint(dst, uint64(revision), 10)
	return append(dst, text[r.Version.End:]...), nil
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
		string(stored[:r.Version.Start]) == string(text[:r.Version.Start]) &&
		string(stored[r.Version.End:]) == string(text[end:]), nil
}
