package remote

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/caller"
)

// list reads a list, one object after the other. It holds the text of one object at a time, so a list may have any size.
type list struct {
	of       *Caller
	see      caller.See
	from     *limitedReader
	text     *codec.Reader
	stopped  error // the error of see
	whole    bool  // the answer has been read to its end
	head     apimeta.TypeMeta
	metadata apimeta.ListMeta
	items    bool // the list has items
}

// newList returns a list that calls see with each of its objects.
func (c *Caller) newList(body io.Reader, see caller.See) *list {
	l := &list{of: c, see: see, from: &limitedReader{from: body, what: "an object of a list", left: maxObject}}
	l.text = codec.NewReader(l.from)
	return l
}

// isStatus reports whether the answer was a Status in the place of a list.
func (l *list) isStatus() bool {
	return l.whole && l.head == apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}
}

// page reads the list.
func (l *list) page(ctx context.Context) (*caller.Page, error) {
	err := l.read()
	switch { // another document would pass for an empty list
	case l.stopped != nil:
		return nil, l.stopped
	case l.from.err != nil && l.from.err != io.EOF:
		return nil, ended(ctx, l.from.err)
	case err != nil:
		return nil, unreadable("a list", err)
	case l.metadata.ResourceVersion == "":
		return nil, unreadable("a list", errors.New("it has no resourceVersion"))
	case !l.items && !strings.HasSuffix(l.head.Kind, "List"): // some servers write null for an empty list
		return nil, unreadable("a list", errors.New("it has no items"))
	}
	return &caller.Page{ResourceVersion: l.metadata.ResourceVersion, Continue: l.metadata.Continue}, nil
}

// read reads the whole answer.
func (l *list) read() error {
	err := l.text.Members(l.member)
	if err == nil {
		err = l.text.End()
	}
	l.whole = err == nil
	return err
}

// member reads a member of the list.
func (l *list) member(name string) (err error) {
	l.from.left = maxObject
	switch name {
	case "kind":
		return l.text.Value(&l.head.Kind)
	case "apiVersion":
		return l.text.Value(&l.head.APIVersion)
	case "metadata":
		return l.text.Value(&l.metadata)
	case "items":
		l.items, err = l.text.Elements(l.item)
		return err
	}
	return l.text.Skip()
}

// item reads an object of the list.
func (l *list) item(text []byte) error {
	object, err := l.of.withKind(text)
	if err == nil {
		err = l.see(object)
	}
	l.stopped, l.from.left = err, maxObject
	return err
}

// withKind adds kind and apiVersion to an item of a list. Servers omit them in the lists of built-in kinds.
func (c *Caller) withKind(item []byte) ([]byte, error) {
	var found apimeta.TypeMeta
	if err := codec.Unmarshal(item, &found); err != nil {
		return nil, unreadable("a list of objects", err)
	}
	if found.Kind != "" && found.APIVersion != "" {
		return item, nil
	}
	v, _, err := codec.DecodeJSON(item)
	if err != nil {
		return nil, unreadable("a list of objects", err)
	}
	return codec.AppendObject(nil, c.Resource.WithKind(v)), nil
}
