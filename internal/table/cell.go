package table

import (
	"bytes"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// The types of a column. The type decides how a value is printed, and clients align a column by its type.
const (
	StringType  = "string"
	IntegerType = "integer"
	NumberType  = "number"
	BooleanType = "boolean"
	DateType    = "date"
)

// CreationDescription is upstream's description of the columns Created At and Age of its own kinds.
const CreationDescription = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to " +
	"be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\n" +
	"Populated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

// IsType reports whether name is a column type.
func IsType(name string) bool {
	switch name {
	case StringType, IntegerType, NumberType, BooleanType, DateType:
		return true
	}
	return false
}

// Column names a place in an object and how to print its value.
type Column struct {
	Path Path
	// Type is one of the column types.
	Type string
}

// Cell returns what the column shows of an object: a string, an int64, a float64 or a bool. It returns nil if the
// object has no value there, or a value that is not of the column's type. A string column shows values of every type,
// lists and maps as JSON. A date column shows the time since the value, as [HumanDuration] prints it. It shows
// "<invalid>" for a text that is not a time, and "<unknown>" for an empty text or the zero time.
func (c Column) Cell(object doc.Value, now time.Time) any {
	v, found := c.Path.First(object)
	if !found || v.IsNull() {
		return nil
	}
	switch c.Type {
	case StringType:
		return text(v)
	case IntegerType:
		if i, ok := v.Int(); ok {
			return i
		}
		if f, ok := v.Float(); ok && f > -1<<63 && f < 1<<63 {
			return int64(f)
		}
	case NumberType:
		if f, ok := v.Float(); ok {
			return f
		}
	case BooleanType:
		if v.Kind() == doc.Bool {
			return v.Bool()
		}
	case DateType:
		if v.Kind() == doc.String {
			return since(v.Text(), now)
		}
	}
	return nil
}

// AppendText appends the cell for a value as JSON, like Cell. value is the text that the encoder has
// written. AppendText returns false and appends nothing if the cell is empty, or needs the decoded value.
func (c Column) AppendText(dst, value []byte, now time.Time) ([]byte, bool) {
	if len(value) == 0 {
		return dst, false
	}
	switch first := value[0]; {
	case first == '"' && c.Type == StringType:
		return append(dst, value...), true
	case first == '"' && c.Type == DateType && bytes.IndexByte(value, '\\') < 0:
		return codec.AppendJSON(dst, doc.Of(since(string(value[1:len(value)-1]), now))), true
	case (first == 't' || first == 'f') && c.Type == BooleanType, c.Type == IntegerType && isShortInteger(value):
		return append(dst, value...), true
	}
	return dst, false
}

// maxShortDigits is how many decimal digits always fit into an int64.
const maxShortDigits = 18

// isShortInteger reports whether a text is an integer of so few digits that it fits into an int64. It is false for -0,
// whose cell is 0.
func isShortInteger(text []byte) bool {
	digits := bytes.TrimPrefix(text, []byte("-"))
	if len(digits) == 0 || len(digits) > maxShortDigits || digits[0] == '0' && len(text) > 1 {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func text(v doc.Value) string {
	switch v.Kind() {
	case doc.String:
		return v.Text()
	case doc.Number, doc.Bool:
		return v.Literal()
	}
	return string(codec.AppendJSON(nil, v))
}

func since(text string, now time.Time) string {
	if text == "" {
		return "<unknown>"
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<invalid>"
	}
	return Since(t, now)
}

// Since returns the cell of a date column for a time.
func Since(t, now time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return HumanDuration(now.Sub(t))
}
