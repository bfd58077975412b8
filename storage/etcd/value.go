package etcd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/watch"
)

var errValue = errors.New("the value does not have the form of an object")

// header is the first line of the value of an object.
type header struct {
	form    int
	written int64
	index   int
	version int // the position of the resourceVersion in the JSON, which has an empty one
	sealed  bool
	keyID   string
	creator string
}

// The names of the optional fields of the header.
const (
	keyField     = "key="
	creatorField = "by="
)

func (h *header) append(into []byte) []byte {
	for i, n := range []int64{int64(h.form), h.written, int64(h.index), int64(h.version)} {
		if i > 0 {
			into = append(into, ' ')
		}
		into = strconv.AppendInt(into, n, 10)
	}
	if h.sealed {
		into = append(append(into, ' '), keyField+url.QueryEscape(h.keyID)...)
	}
	if h.creator != "" {
		into = append(append(into, ' '), creatorField+url.QueryEscape(h.creator)...)
	}
	return append(into, '\n')
}

// parseHeader returns the header of a value and the text after it.
func parseHeader(value []byte) (h header, text []byte, err error) {
	line, text, ok := bytes.Cut(value, []byte{'\n'})
	fields := strings.Split(string(line), " ")
	if !ok || len(fields) < 4 {
		return h, nil, errValue
	}
	var numbers [4]int64
	for i := range numbers {
		if numbers[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil || numbers[i] < 0 {
			return h, nil, errValue
		}
	}
	h = header{form: int(numbers[0]), written: numbers[1], index: int(numbers[2]), version: int(numbers[3])}
	for _, field := range fields[4:] {
		if err := h.parseField(field); err != nil {
			return h, nil, err
		}
	}
	return h, text, nil
}

// parseField reads an optional field of the header.
func (h *header) parseField(field string) (err error) {
	if id, ok := strings.CutPrefix(field, keyField); ok && !h.sealed {
		h.sealed = true
		h.keyID, err = url.QueryUnescape(id)
	} else if creator, ok := strings.CutPrefix(field, creatorField); ok && h.creator == "" {
		h.creator, err = url.QueryUnescape(creator)
	} else {
		err = errValue
	}
	if err != nil {
		return errValue
	}
	return nil
}

// encode returns the value of an object.
func (a *authority) encode(ctx context.Context, form, index int, r *storage.Record) ([]byte, error) {
	object, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	h := header{form: form, written: int64(r.Written), index: index, version: int(r.Version.Start), creator: r.Creator}
	if a.opts.Transformer == nil {
		value := h.append(make([]byte, 0, 64+len(object)))
		value = append(value, object[:r.Version.Start]...)
		return append(value, object[r.Version.End:]...), nil
	}
	text := make([]byte, 0, len(object))
	text = append(append(text, object[:r.Version.Start]...), object[r.Version.End:]...)
	sealed, keyID, err := seal.Seal(a.opts.Transformer, text, sealContext(r.Key))
	if err != nil {
		return nil, fmt.Errorf("the object %s %s/%s cannot be sealed: %w", r.Key.Resource, r.Key.Namespace, r.Key.Name, err)
	}
	h.sealed, h.keyID = true, keyID
	return append(h.append(nil), sealed...), nil
}

func sealContext(key storage.Key) []byte {
	return []byte(strings.Join([]string{key.Resource, key.Namespace, key.Name}, "\x00"))
}

// decode returns the stored record of a value that etcd wrote at a revision.
func (a *authority) decode(key storage.Key, value []byte, revision int64) (s engine.Stored, err error) {
	s.Key = key
	h, text, err := parseHeader(value)
	if err != nil {
		return s, err
	}
	s.Revision, s.Written, s.Creator = a.revision(revision, h.index), storage.Moment(h.written), h.creator
	known := false
	if s.Form, known = a.Forms.Form(key.Resource, h.form); !known {
		return s, &unknownForm{key.Resource, h.form}
	}
	if h.sealed {
		if text, err = seal.Open(a.opts.Transformer, h.keyID, bytes.Clone(text), sealContext(key)); err != nil {
			return s, err
		}
	}
	if h.version > len(text) {
		return s, errValue
	}
	var buffer [20]byte
	digits := strconv.AppendUint(buffer[:0], uint64(s.Revision), 10)
	s.JSON = make([]byte, 0, len(text)+len(digits))
	s.JSON = append(append(append(s.JSON, text[:h.version]...), digits...), text[h.version:]...)
	return s, nil
}

// unknownForm says that the number of a form is not known yet.
type unknownForm struct {
	resource string
	number   int
}

func (u *unknownForm) Error() string {
	return fmt.Sprintf("form %d of %q is not known", u.number, u.resource)
}

// marker is the value that each commit writes.
type marker struct {
	id    string
	at    time.Time
	count int // the number of changes
}

func (m *marker) String() string { return fmt.Sprintf("%s %d %d", m.id, m.at.UnixMicro(), m.count) }

func parseMarker(value []byte) (m marker, err error) {
	fields := strings.Fields(string(value))
	if len(fields) < 3 {
		return m, fmt.Errorf("the last commit cannot be read: %w", errValue)
	}
	at, err := strconv.ParseInt(fields[1], 10, 64)
	if err == nil {
		m.count, err = strconv.Atoi(fields[2])
	}
	if err != nil {
		return m, fmt.Errorf("the last commit cannot be read: %w", err)
	}
	m.id, m.at = fields[0], time.UnixMicro(at)
	return m, nil
}

// meta describes a store.
type meta struct {
	Format string         `json:"format"`
	ID     string         `json:"id"`
	Base   watch.Revision `json:"base"`
}

func parseMeta(value []byte) (m meta, err error) {
	if err := json.Unmarshal(value, &m); err != nil || m.Format != layout {
		return m, fmt.Errorf("%w: %q", ErrFormat, value)
	}
	return m, nil
}
