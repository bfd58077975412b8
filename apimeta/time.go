package apimeta

import (
	"encoding/json"
	"errors"
	"time"
)

const rfc3339Micro = "2006-01-02T15:04:05.000000Z07:00"

// Time is an instant that goes over the wire as RFC 3339 in UTC with whole
// seconds, "2006-01-02T15:04:05Z"; a fraction in the input is cut. The zero Time
// is written as null (API conventions, "Primitive types": times are RFC 3339).
type Time struct {
	time.Time
}

// NewTime returns t in UTC, cut to whole seconds, so that the value equals what
// a round trip over the wire would give.
func NewTime(t time.Time) Time { return Time{cut(t, time.Second)} }

// Now returns the current time in whole seconds.
func Now() Time { return NewTime(time.Now()) }

// IsZero reports whether t is nil or the zero Time, so that
// meta.DeletionTimestamp.IsZero() asks whether an object is alive.
func (t *Time) IsZero() bool { return t == nil || t.Time.IsZero() }

// Equal reports whether both are the same instant. Two nil pointers are equal.
func (t *Time) Equal(u *Time) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// Before reports whether t is earlier than u. It is false if either is nil.
func (t *Time) Before(u *Time) bool { return t != nil && u != nil && t.Time.Before(u.Time) }

// MarshalJSON writes the wire form. It fails for a year that RFC 3339 cannot
// express.
func (t Time) MarshalJSON() ([]byte, error) { return marshalTime(t.Time, time.RFC3339) }

// UnmarshalJSON reads the wire form. The error for a malformed string is a
// [*time.ParseError], and its text is the one that upstream servers answer.
func (t *Time) UnmarshalJSON(data []byte) error {
	parsed, err := unmarshalTime(data, time.RFC3339)
	if err != nil {
		return err
	}
	*t = NewTime(parsed)
	return nil
}

// MarshalText writes the wire form without quotes, and nothing for the zero Time.
func (t Time) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// AppendText implements [encoding.TextAppender]. It appends the text that [Time.MarshalText] returns.
func (t Time) AppendText(b []byte) ([]byte, error) { return appendTime(b, t.Time, time.RFC3339) }

// UnmarshalText implements [encoding.TextUnmarshaler]. It reads the text that [Time.MarshalText] writes.
func (t *Time) UnmarshalText(data []byte) error {
	parsed, err := parseTime(string(data), time.RFC3339)
	if err != nil {
		return err
	}
	*t = NewTime(parsed)
	return nil
}

// OpenAPISchemaType describes Time as a string to schema generators.
func (Time) OpenAPISchemaType() []string { return []string{"string"} }

// OpenAPISchemaFormat returns date-time. Schemas that are derived from Go types contain it.
func (Time) OpenAPISchemaFormat() string { return "date-time" }

// MicroTime is an instant with exactly six fractional digits on the wire,
// "2006-01-02T15:04:05.000000Z", in input and output. The zero MicroTime is
// written as null.
type MicroTime struct {
	time.Time
}

// NewMicroTime returns t in UTC, cut to whole microseconds.
func NewMicroTime(t time.Time) MicroTime { return MicroTime{cut(t, time.Microsecond)} }

// NowMicro returns the current time in whole microseconds.
func NowMicro() MicroTime { return NewMicroTime(time.Now()) }

// IsZero reports whether t is nil or the zero MicroTime.
func (t *MicroTime) IsZero() bool { return t == nil || t.Time.IsZero() }

// Equal reports whether both are the same instant. Two nil pointers are equal.
func (t *MicroTime) Equal(u *MicroTime) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// Before reports whether t is earlier than u. It is false if either is nil.
func (t *MicroTime) Before(u *MicroTime) bool {
	return t != nil && u != nil && t.Time.Before(u.Time)
}

// MarshalJSON writes the wire form. It fails for a year that RFC 3339 cannot
// express.
func (t MicroTime) MarshalJSON() ([]byte, error) { return marshalTime(t.Time, rfc3339Micro) }

// UnmarshalJSON reads the wire form. Fewer or more than six fractional digits
// are an error, a [*time.ParseError].
func (t *MicroTime) UnmarshalJSON(data []byte) error {
	parsed, err := unmarshalTime(data, rfc3339Micro)
	if err != nil {
		return err
	}
	*t = NewMicroTime(parsed)
	return nil
}

// MarshalText writes the wire form without quotes, and nothing for the zero
// MicroTime.
func (t MicroTime) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// AppendText implements [encoding.TextAppender]. It appends the text that [MicroTime.MarshalText] returns.
func (t MicroTime) AppendText(b []byte) ([]byte, error) { return appendTime(b, t.Time, rfc3339Micro) }

// UnmarshalText implements [encoding.TextUnmarshaler]. It reads the text that [MicroTime.MarshalText] writes.
func (t *MicroTime) UnmarshalText(data []byte) error {
	parsed, err := parseTime(string(data), rfc3339Micro)
	if err != nil {
		return err
	}
	*t = NewMicroTime(parsed)
	return nil
}

// OpenAPISchemaType describes MicroTime as a string to schema generators.
func (MicroTime) OpenAPISchemaType() []string { return []string{"string"} }

// OpenAPISchemaFormat returns date-time. Schemas that are derived from Go types contain it.
func (MicroTime) OpenAPISchemaFormat() string { return "date-time" }

// cut returns the zero struct for a zero time in any location.
func cut(t time.Time, unit time.Duration) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(unit)
}

func marshalTime(t time.Time, layout string) ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	b, err := appendTime(append(make([]byte, 0, len(layout)+2), '"'), t, layout)
	return append(b, '"'), err
}

func appendTime(b []byte, t time.Time, layout string) ([]byte, error) {
	if t.IsZero() {
		return b, nil
	}
	t = t.UTC()
	if year := t.Year(); year < 0 || year > 9999 {
		return nil, errors.New("apimeta: year outside of 0 to 9999 in a time")
	}
	return t.AppendFormat(b, layout), nil
}

func unmarshalTime(data []byte, layout string) (time.Time, error) {
	if string(data) == "null" {
		return time.Time{}, nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return time.Time{}, err
	}
	return time.Parse(layout, s)
}

func parseTime(s, layout string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(layout, s)
}
