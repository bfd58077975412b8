package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/storage"
)

// list reads a list, one object after the other. It holds the text of one object at a time, so a list may have any size,
// unless the call wants all objects in records.
type list struct {
	of       *Service
	into     service.Into
	from     *limitedReader
	text     *codec.Reader
	stopped  error // the error of an object, or of who gets it
	whole    bool  // the answer has been read to its end
	head     apimeta.TypeMeta
	metadata apimeta.ListMeta
	items    bool // the list has items
	records  []*storage.Record
	size     int // of the records, in bytes
}

// newList returns a list that puts its objects into the page of a call.
func (c *Service) newList(body io.Reader, into service.Into) *list {
	l := &list{of: c, into: into, records: into.Buffer, from: &limitedReader{from: body, what: "an object of a list", left: maxObject}}
	l.text = codec.NewReader(l.from)
	return l
}

// isStatus reports whether the answer was a Status in the place of a list.
func (l *list) isStatus() bool {
	return l.whole && l.head == apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}
}

// page reads the list.
func (l *list) page(ctx context.Context) (service.Page, error) {
	err := l.read()
	switch { // another document would pass for an empty list
	case l.stopped != nil:
		return service.Page{}, l.stopped
	case l.from.err != nil && l.from.err != io.EOF:
		return service.Page{}, ended(ctx, l.from.err)
	case err != nil:
		return service.Page{}, unreadable("a list", err)
	case l.metadata.ResourceVersion == "":
		return service.Page{}, unreadable("a list", errors.New("it has no resourceVersion"))
	case !l.items && !strings.HasSuffix(l.head.Kind, "List"): // some servers write null for an empty list
		return service.Page{}, unreadable("a list", errors.New("it has no items"))
	}
	page := service.Page{Version: l.metadata.ResourceVersion}
	page.Revision, _ = revisionOf(l.metadata.ResourceVersion) // servers before release 1.35 may have other versions
	page.Records, page.Token, page.Remaining = l.records, l.metadata.Continue, l.metadata.RemainingItemCount
	if l.metadata.ShardInfo != nil {
		page.Shard = l.metadata.ShardInfo.Selector
	}
	return page, nil
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
	switch {
	case err != nil:
	case l.into.See != nil:
		err = l.into.See(object)
	default:
		err = l.keep(object)
	}
	l.stopped, l.from.left = err, maxObject
	return err
}

// keep adds an object to the records of the page, which may be as large as an answer that the client reads as a whole.
func (l *list) keep(object []byte) error {
	if l.size += len(object); l.size > maxAnswer {
		return tooLong()
	}
	l.records = append(l.records, new(storage.Record).With(bytes.Clone(object), storage.Extracted{}))
	return nil
}

// withKind adds kind and apiVersion to an item of a list. Servers omit them in the lists of built-in kinds.
func (c *Service) withKind(item []byte) ([]byte, error) {
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
