package front

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// beginList reads the parameters and the accepted form of a list or a watch.
func (q *request) beginList(e media.Endpoint, verb access.Verb) (*media.Representation, *resource.ListParameters, error) {
	rep, err := q.negotiateRead(e)
	if err != nil {
		return nil, nil, err
	}
	p, err := q.listParameters()
	if err == nil && !q.res.Has(string(verb)) {
		err = status.MethodNotAllowed()
	}
	return rep, p, err
}

// list answers GET of a collection. The records go back to their pool when the answer is written.
func (q *request) list() error {
	if _, err := q.timeout(); err != nil { // a read has no time limit, but the API refuses a malformed timeout
		return err
	}
	rep, p, err := q.beginList(media.ManyObjects, access.VerbList)
	if err != nil {
		return err
	}
	namespace, err := q.namespace()
	if err != nil {
		return err
	}
	if p.Query != nil && len(p.Query.Facets) > 0 {
		return q.count(rep, namespace, p)
	}
	records := resource.BorrowRecords()
	defer resource.ReturnRecords(records)
	cached := q.cachedList(rep, namespace, p)
	p.Known = cached.known()
	selected, into := service.Parsed(p), service.Into{Buffer: *records}
	page, err := q.res.Service.List(q.caller(q.r.Context()), namespace, selected, into)
	if page.Known && !cached.answer.Fits(page.Revision) {
		p.Known = 0
		page, err = q.res.Service.List(q.caller(q.r.Context()), namespace, selected, into)
	}
	if err != nil {
		return err
	}
	if page.Known {
		return cached.send(page.Revision)
	}
	*records = page.Records
	if rep.Mismatch != nil {
		return rep.Mismatch
	}
	loan := q.lend()
	defer loan.Release()
	if err := q.showAhead(&loan, page.Records); err != nil {
		return err
	}
	if cached.claim(page.Page) {
		return cached.make(page.Page)
	}
	return q.writeList(rep, page.Page)
}

// showAhead converts the beginning of a list. It converts all objects that are converted outside of the process, so
// they take memory.
func (q *request) showAhead(loan *storage.Loan, records []*storage.Record) error {
	whole := q.res.ConvertsOutside()
	if whole {
		if err := loan.Take(int64(media.SizeOf(records))); err != nil {
			return err
		}
	}
	err := q.res.ShowAhead(q.r.Context(), records)
	if err == nil && whole {
		err = loan.Take(max(0, int64(media.SizeOf(records))-loan.Size()))
	}
	return err
}

// writeList sends a list. A large list keeps its records alive while the client reads, so the API breaks it off if the
// client is too slow and the store no longer holds the records.
func (q *request) writeList(rep *media.Representation, p resource.Page) error {
	l := media.List{Records: p.Records, Revision: p.Revision, Continue: p.Token, Remaining: p.Remaining}
	size := l.Size()
	if size <= media.ChunkSize {
		return q.writeListAs(rep, l, size)
	}
	expired := delivery.Copied
	if rep.Media != media.Protobuf && p.Selected.Of != nil && !q.res.ConvertsOutside() { // otherwise, the list is a copy
		if cursor, err := q.res.Store.Watch(q.r.Context(), p.Selected.Within, p.Revision, p.Selected.Terms...); err == nil {
			defer cursor.Close()
			expired = cursor.Err
		}
	}
	return q.hold(expired, size, func() error { return q.writeListAs(rep, l, size) })
}

// errLong ends the encoding of a list that is longer than observers want.
var errLong = errors.New("the list is longer than observers want")

// listForObservers receives a list up to a size.
type listForObservers struct {
	bytes.Buffer
	limit  int64
	isLong bool
}

func (b *listForObservers) Write(p []byte) (int, error) {
	if b.isLong = b.isLong || int64(b.Len()+len(p)) > b.limit; b.isLong {
		return 0, errLong
	}
	return b.Buffer.Write(p)
}

// observeList keeps the list for those who observe the request, as JSON in the form of the answer, unless it is larger
// than they want.
func (q *request) observeList(rep *media.Representation, l media.List) error {
	o := q.observed
	if !o.wantsAnswer() {
		return nil
	}
	asJSON := *rep
	asJSON.Media = media.JSON
	out, err := media.NewListWriter(q.res.Media, &asJSON, q.api.listRoom, q.api.messages)
	if err != nil {
		return err
	}
	defer out.Release()
	o.list = q.lend()
	room := 2 * min(o.answers, int64(l.Size()+media.ChunkSize)) // the buffer doubles when it grows
	if err := o.list.Take(room); err != nil {
		return err
	}
	l.Records = slices.Clone(l.Records) // Write drops each record that it has written
	list := listForObservers{limit: o.answers}
	err = out.Write(q.r.Context(), &list, l)
	if list.isLong { // Write takes errLong for a client that has left
		o.end.LeftOut = true
		o.list.Release()
		return nil
	}
	if err != nil {
		return err
	}
	o.list.Keep(int64(list.Cap()))
	o.answered(list.Bytes())
	return nil
}

// writeListAs sends a list record by record.
func (q *request) writeListAs(rep *media.Representation, l media.List, size int) error {
	out, err := media.NewListWriter(q.res.Media, rep, q.api.listRoom, q.api.messages)
	if err != nil {
		return err
	}
	defer out.Release()
	defer func() { q.begun(out.Sent()) }() // also after a panic
	h := q.w.Header()
	h["Content-Type"], h["Cache-Control"] = headerJSON, headerNoCache
	if rep.Media != media.JSON {
		h["Content-Type"] = []string{rep.Media}
	}
	q.sendWarnings() // a deletion of a collection has some
	if err := q.observeList(rep, l); err != nil {
		return err
	}
	if size > media.CompressAbove && q.compresses() {
		return media.Compressed(q.answerWriter(), func(w io.Writer) error { return out.Write(q.r.Context(), w, l) })
	}
	length, known, err := out.Length(q.r.Context(), l)
	if err != nil {
		return err
	}
	if known {
		h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	}
	return out.Write(q.r.Context(), q.answerWriter(), l)
}
