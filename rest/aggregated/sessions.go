package aggregated

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// recheckEvery is how often the plug-in asks again about open watches and streams.
const recheckEvery = time.Minute

// openSessions are the watches and streams that are open.
type openSessions struct {
	mu  sync.Mutex
	all map[*session]struct{}
}

// session is a watch or a stream. request has the credentials with which it was opened.
type session struct {
	request *http.Request
	user    access.User
	end     func()
}

func (o *openSessions) add(s *session) (remove func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[*session]struct{}{}
	}
	o.all[s] = struct{}{}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.all, s)
	}
}

func (o *openSessions) list() (all []*session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range o.all {
		all = append(all, s)
	}
	return all
}

// recheck ends open watches and streams whose credentials or rights have ended: each minute, and when the cluster
// trusts other authorities.
func (c *Cluster) recheck(ctx context.Context, api *rest.API) {
	ticker := time.NewTicker(recheckEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-c.changed:
		case <-ctx.Done():
			return
		}
		c.recheckSenders(ctx)
		api.RightsChanged()
	}
}

// recheckSenders ends the sessions whose credentials no longer prove the same user. If the cluster does not answer, a
// session stays open until the review of its rights, which follows, ends it.
func (c *Cluster) recheckSenders(ctx context.Context) {
	renewed := map[key]bool{}
	once := func(ctx context.Context, k key, ask func(context.Context) (answer[tokenAnswer], error)) (tokenAnswer, error) {
		if renewed[k] {
			return c.reviews.tokens.get(ctx, k, ask)
		}
		renewed[k] = true
		return c.reviews.tokens.renew(ctx, k, ask)
	}
	for _, s := range c.open.list() {
		who, err := c.sender(s.request.WithContext(ctx), once)
		if ctx.Err() != nil {
			return
		}
		if told, ok := errors.AsType[*status.Error](err); ok && status.CodeOf(told) >= http.StatusTooManyRequests {
			continue
		}
		if err != nil || who == nil || !reflect.DeepEqual(who.User, s.user) {
			s.end()
		}
	}
}
