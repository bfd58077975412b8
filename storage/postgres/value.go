package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/watch"
)

var errValue = errors.New("the row does not have the form of an object")

// value is an object in the columns of a table.
type value struct {
	form, position int
	written        int64
	creator, keyID string
	body           []byte // nil if the object does not exist
}

// columns are the columns of a value, in the order of fields.
const columns = "form, position, written, creator, key_id, body"

// fields returns the places into which a row with the columns is scanned.
func (v *value) fields() []any {
	return []any{&v.form, &v.position, &v.written, &v.creator, &v.keyID, &v.body}
}

// encode returns the value of an object.
func (a *authority) encode(ctx context.Context, key storage.Key, form int, r *storage.Record) (v value, err error) {
	json, err := r.JSON(ctx)
	if err != nil {
		return v, err
	}
	v = value{form: form, position: int(r.Version.Start), written: int64(r.Written), creator: r.Creator}
	v.body = make([]byte, 0, len(json))
	v.body = append(append(v.body, json[:r.Version.Start]...), json[r.Version.End:]...)
	if a.opts.Transformer == nil {
		return v, nil
	}
	if v.body, v.keyID, err = seal.Seal(a.opts.Transformer, v.body, sealContext(key)); err != nil {
		return v, fmt.Errorf("the object %s %s/%s cannot be sealed: %w", key.Resource, key.Namespace, key.Name, err)
	}
	return v, nil
}

func sealContext(key storage.Key) []byte {
	return []byte(strings.Join([]string{key.Resource, key.Namespace, key.Name}, "\x00"))
}

// decode returns the stored record of a value. If the form is not known yet, decode asks for it.
func (a *authority) decode(ctx context.Context, key storage.Key, revision watch.Revision, v *value) engine.Stored {
	s := engine.Stored{Key: key, Revision: revision, Written: storage.Moment(v.written), Creator: v.creator}
	known := false
	if s.Form, known = a.Forms.Form(key.Resource, v.form); !known {
		if s.Unreadable = a.Forms.Refresh(ctx, key.Resource); s.Unreadable != nil {
			return s
		}
		if s.Form, known = a.Forms.Form(key.Resource, v.form); !known {
			s.Unreadable = fmt.Errorf("form %d of %q is not known", v.form, key.Resource)
			return s
		}
	}
	s.JSON, s.Unreadable = a.text(key, revision, v)
	return s
}

// text returns the JSON of a value at a revision. If the revision is 0, the resourceVersion is empty.
func (a *authority) text(key storage.Key, revision watch.Revision, v *value) (_ []byte, err error) {
	text := v.body
	if v.keyID != "" {
		if text, err = seal.Open(a.opts.Transformer, v.keyID, text, sealContext(key)); err != nil {
			return nil, err
		}
	}
	if v.position < 0 || v.position > len(text) {
		return nil, errValue
	}
	var buffer [20]byte
	digits := buffer[:0]
	if revision > 0 {
		digits = strconv.AppendUint(digits, uint64(revision), 10)
	}
	json := make([]byte, 0, len(text)+len(digits))
	return append(append(append(json, text[:v.position]...), digits...), text[v.position:]...), nil
}

// scanObject reads a row with namespace, name, revision and the columns of a value.
func (a *authority) scanObject(ctx context.Context, rows pgx.Rows, resource string) (s engine.Stored, err error) {
	key := storage.Key{Resource: resource}
	var revision watch.Revision
	var v value
	if err := rows.Scan(append([]any{&key.Namespace, &key.Name, &revision}, v.fields()...)...); err != nil {
		return s, err
	}
	return a.decode(ctx, key, revision, &v), nil
}
