package crd

import (
	"context"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/watch"
)

// establishedWithin is how long a definition waits at most until all live replicas serve its kind.
const establishedWithin = 5 * time.Second

// progress is how far this replica has applied the changes of definitions, and what waits for the others. It belongs to
// run.
type progress struct {
	applied      watch.Revision        // the last change
	blocked      map[string]blocked    // definitions whose last change is not in effect here
	installing   map[string]installing // definitions whose kinds the others do not serve yet
	peersChanged <-chan struct{}       // closed when the state of the others has changed; nil if nothing waits for it
	denied       map[string]int64      // the generation of each uid that this replica has reported as not served
}

type blocked struct {
	revision watch.Revision
	until    time.Time
}

type installing struct {
	revision watch.Revision
	deadline time.Time
}

func newProgress() progress {
	return progress{blocked: map[string]blocked{}, installing: map[string]installing{}, denied: map[string]int64{}}
}

func revisionOf(version string) watch.Revision {
	revision, _ := strconv.ParseUint(version, 10, 64) // the API wrote it
	return watch.Revision(revision)
}

// block notes that a change of a definition is not in effect here. Others wait for a kind that cannot be served only as
// long as for any kind.
func (p *progress) block(d *definition, change watch.Revision) {
	if _, ok := p.blocked[d.Name]; !ok {
		p.blocked[d.Name] = blocked{revision: change, until: time.Now().Add(establishedWithin)}
	}
}

// reportProgress tells the other replicas what is in effect here.
func (k *kinds) reportProgress() {
	through := k.applied
	for _, b := range k.blocked {
		if time.Now().Before(b.until) {
			through = min(through, b.revision-1)
		}
	}
	k.peers.Report(through)
}

// awaitsPeers reports whether a definition has to wait until other replicas serve its kind. It makes run apply the
// definition again when that may have changed.
func (k *kinds) awaitsPeers(ctx context.Context, d *definition) bool {
	if d.Is(apiextensions.Established) {
		delete(k.installing, d.UID)
		return false
	}
	w, ok := k.installing[d.UID]
	if !ok {
		if err := k.peers.Refresh(ctx); err != nil && ctx.Err() == nil {
			k.options.Logger.Error("crd: the replica cannot read how far the others are", "error", err)
		}
		w = installing{revision: revisionOf(d.ResourceVersion), deadline: time.Now().Add(establishedWithin)}
	}
	behind, changed := k.peers.Behind(w.revision)
	if !behind || !time.Now().Before(w.deadline) {
		delete(k.installing, d.UID)
		return false
	}
	k.installing[d.UID], k.peersChanged = w, changed
	return true
}

// mayDeny reports whether this replica may report that an established kind is not served: not if others serve it, and
// only once, because they may report the opposite.
func (k *kinds) mayDeny(d *definition) bool {
	if !d.Is(apiextensions.Established) {
		return true
	}
	others, _ := k.peers.Behind(^watch.Revision(0))
	if others || k.denied[d.UID] == d.Generation {
		return false
	}
	k.denied[d.UID] = d.Generation
	return true
}

// mayReportOlder reports whether this replica may report that it serves an older generation: only once if another
// replica has reported the opposite, because the two would go on for ever.
func (k *kinds) mayReportOlder(d *definition) bool {
	if establishedReason(d) != reasonOlder && k.denied[d.UID] == d.Generation {
		return false
	}
	k.denied[d.UID] = d.Generation
	return true
}

// leave forgets a definition that is gone.
func (p *progress) leave(d *definition) {
	delete(p.blocked, d.Name)
	delete(p.installing, d.UID)
	delete(p.denied, d.UID)
}
