package front

import (
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// cachedList connects a list with the cache of lists. It is nil for a list that is not cached.
type cachedList struct {
	q      *request
	rep    *media.Representation
	key    media.ListKey
	answer *media.ListAnswer // nil if the cache has none
	loan   storage.Loan      // counts the answer that this request makes
}

// cachedList looks a list up in the cache. The cache contains no pages of lists, no answers to queries and no lists of
// old revisions. A list that an observer wants is not cached either.
func (q *request) cachedList(rep *media.Representation, namespace string, p *resource.ListParameters) *cachedList {
	exact := p.ResourceVersionMatch == apimeta.MatchExact
	inPages := p.Continue != "" || p.Limit > 0 && p.ResourceVersion != "0"
	if exact || inPages || p.Query != nil || rep.Mismatch != nil || q.observed.wantsAnswer() {
		return nil
	}
	c := &cachedList{q: q, rep: rep, loan: q.lend(), key: media.ListKey{
		Of: q.res.InCache, Namespace: namespace, Labels: p.LabelSelector, Fields: p.FieldSelector, Only: q.only.Digest(),
		Gzipped: media.AcceptsGzip(q.r.Header["Accept-Encoding"]),
	}}
	if !rep.CacheKey(&c.key) {
		return nil
	}
	// The store may be ahead of its own revision here. An answer that does not fit the revision of the list would then be
	// of no use.
	if answer := q.api.lists.Get(c.key); answer != nil && answer.Fits(q.res.Store.Revision()) {
		c.answer = answer
	}
	return c
}

// known returns the state of the resource that the cached answer shows, or 0.
func (c *cachedList) known() watch.Revision {
	if c == nil || c.answer == nil {
		return 0
	}
	return c.answer.Changed
}

// claim reports whether this request makes the answer for others. A short list without a selector is not worth it, and
// a list that the budget refuses is sent as it is encoded.
func (c *cachedList) claim(p resource.Page) bool {
	if c == nil || p.Changed == 0 {
		return false
	}
	size := media.SizeOf(p.Records)
	if size <= media.ChunkSize && p.Selected.Match == nil || !c.q.api.lists.Claim(c.key, p.Changed, p.Revision, size) {
		return false
	}
	if c.loan.Take(int64(size)) != nil {
		c.q.api.lists.Put(c.key, nil)
		return false
	}
	return true
}

// make makes the whole answer, keeps it and sends it.
func (c *cachedList) make(p resource.Page) error {
	q := c.q
	defer c.loan.Release()
	c.answer = nil                                      // it shows another state
	defer func() { q.api.lists.Put(c.key, c.answer) }() // also after a panic
	out, err := media.NewListWriter(q.res.Media, c.rep, q.api.listRoom, q.api.messages)
	if err != nil {
		return err
	}
	defer out.Release()
	gzipped := c.key.Gzipped && media.SizeOf(p.Records) > media.CompressAbove
	answer, err := out.Answer(q.r.Context(), media.List{Records: p.Records, Revision: p.Revision}, gzipped)
	if err != nil {
		return err
	}
	answer.Changed = p.Changed
	c.answer = answer
	q.api.lists.Put(c.key, answer)
	return c.send(p.Revision)
}

// send sends the answer as a list at a revision.
func (c *cachedList) send(at watch.Revision) error {
	q, a := c.q, c.answer
	if a.Gzipped {
		q.setCompressed()
	}
	head, rest := a.At(q.res.Media, c.rep, at)
	write := func() error { return q.writeBody(http.StatusOK, c.rep.Media, head, rest) }
	if len(rest) <= media.ChunkSize {
		return write()
	}
	expired := func() error {
		if q.api.lists.Holds(c.key, a) {
			return nil
		}
		return delivery.Copied()
	}
	return q.hold(expired, len(rest), write)
}
