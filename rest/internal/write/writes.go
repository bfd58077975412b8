package write

import (
	"sync"

	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Writes makes the writes of an API, and holds what they share: the admission hooks, and what awaits the ends of
// deletions. Any number of goroutines may use it.
type Writes struct {
	env        *resource.Environment
	order      order
	hooks      []*admission.Hook
	seeing     sync.Map // the hooks that may see a write of a *Resource, as []*admission.Hook
	reaper     *reaper
	unattended *unattended
	sweeper    *past.Sweeper
}

// NewWrites returns the Writes of an API with these admission hooks, in the order in which they run. The API must close
// it.
func NewWrites(env *resource.Environment, hooks []admission.Hook) *Writes {
	all := &Writes{env: env, order: newOrder(), unattended: &unattended{host: env.Host}, sweeper: past.NewSweeper(env)}
	for i := range hooks {
		all.hooks = append(all.hooks, &hooks[i])
	}
	all.reaper = newReaper(all)
	return all
}

// New returns a Write to a resource. Nothing happens until the caller runs it.
func (all *Writes) New(res *resource.Resource, t resource.Target, a Asked) *Write {
	return &Write{Target: t, Asked: a, writes: all, res: res, named: t.Name != ""}
}

// Load finds the objects whose deletion began before the API served the resource, and looks after their former
// versions.
func (all *Writes) Load(res *resource.Resource) {
	all.reaper.load(res)
	all.sweeper.Load(res)
}

// Forget frees what is kept for a resource that the API has given up or replaced.
func (all *Writes) Forget(res *resource.Resource) {
	for _, version := range res.EveryVersion() {
		all.seeing.Delete(version)
	}
}

// GiveUp is Forget for a resource that the store stops serving: nothing awaits the ends of its deletions any more.
func (all *Writes) GiveUp(res *resource.Resource) {
	all.Forget(res)
	all.reaper.forgetAll(res.StoredName())
}

// Close ends what awaits the ends of deletions, and what removes former versions.
func (all *Writes) Close() {
	all.reaper.stop()
	all.unattended.stop()
	all.sweeper.Stop()
}
