package serviceaccount

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// existing identifies an object that existed when a token was issued. A later object of the same name has another uid.
type existing struct {
	storage.Key
	uid string
}

// noun returns what the object is, for messages.
func (e existing) noun() string {
	if e.Resource == accounts {
		return "service account"
	}
	return strings.TrimSuffix(e.Resource, "s")
}

// session is a watch or a stream that was opened with a token.
type session struct {
	token string
	end   func()
}

// dependents are the sessions whose tokens depend on one object.
type dependents struct {
	sessions map[*session]struct{}
	due      *time.Timer // fires when the grace period of the object ends; nil without a grace period
}

// sessions are the open sessions of an Issuer, by the objects that their tokens depend on. Any goroutine may use it.
type sessions struct {
	mu       sync.Mutex
	of       map[existing]*dependents
	followed map[string]bool // the resources whose changes a goroutine follows
}

func newSessions() *sessions {
	return &sessions{of: map[existing]*dependents{}, followed: map[string]bool{}}
}

// add adds a session that depends on an object. It reports whether the caller must begin to follow the resource of the
// object.
func (s *sessions) add(object existing, one *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.of[object]
	if d == nil {
		d = &dependents{sessions: map[*session]struct{}{}}
		s.of[object] = d
	}
	d.sessions[one] = struct{}{}
	followed := s.followed[object.Resource]
	s.followed[object.Resource] = true
	return !followed
}

// remove removes a session.
func (s *sessions) remove(object existing, one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.of[object]
	delete(d.sessions, one)
	if len(d.sessions) > 0 {
		return
	}
	if d.due != nil {
		d.due.Stop()
	}
	delete(s.of, object)
}

// has reports whether a session depends on an object.
func (s *sessions) has(object existing) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of[object] != nil
}

// objects returns the objects of a resource that sessions depend on.
func (s *sessions) objects(resource string) []existing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Keys(s.of)), func(e existing) bool { return e.Resource != resource })
}

// end ends the sessions that depend on one of the objects, if their tokens are among those that ends accepts.
func (s *sessions) end(objects []existing, ends func(token string) bool) {
	var all []*session
	s.mu.Lock()
	for _, object := range objects {
		if d := s.of[object]; d != nil {
			all = slices.AppendSeq(all, maps.Keys(d.sessions))
		}
	}
	s.mu.Unlock()
	for _, one := range all {
		if ends(one.token) {
			one.end()
		}
	}
}

// endAfter ends the sessions that depend on an object after some time. It replaces the time of an earlier call.
func (s *sessions) endAfter(left time.Duration, object existing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.of[object]
	if d == nil {
		return
	}
	if d.due != nil {
		d.due.Stop()
	}
	d.due = time.AfterFunc(left, func() { s.end([]existing{object}, always) })
}

// unfollow says that no goroutine follows a resource any more.
func (s *sessions) unfollow(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.followed, resource)
}

func always(string) bool { return true }
