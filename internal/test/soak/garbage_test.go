package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// lifecycleOptions returns the options of both controllers. Their retries are quick enough for a round to wait for
// them.
func lifecycleOptions() lifecycle.Options {
	return lifecycle.Options{Queue: controller.QueueOptions{MaxDelay: time.Second}}
}

// depend gives a Part one or two Gadgets of its namespace as owners, or owners that never existed, or replaces its
// owners.
func (s *soak) depend(_ string, random *rand.Rand) error {
	namespace := place(random)
	var owners []apimeta.OwnerReference
	for range 1 + random.IntN(2) {
		o := apimeta.OwnerReference{APIVersion: group + "/v1", Kind: "Gadget", Name: poolName(random.IntN(poolSize)),
			UID: "never-was-" + strconv.Itoa(random.IntN(100))}
		g, err := s.gadgets.Namespace(namespace).Get(context.Background(), o.Name)
		switch {
		case err == nil:
			blocks := random.IntN(2) == 0
			o.UID, o.BlockOwnerDeletion = g.UID, &blocks
		case !status.IsNotFound(err):
			return err
		case random.IntN(4) > 0:
			continue
		}
		if !slices.ContainsFunc(owners, func(other apimeta.OwnerReference) bool { return other.UID == o.UID }) {
			owners = append(owners, o)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	client := s.parts.Namespace(namespace)
	part := &Part{ObjectMeta: apimeta.ObjectMeta{Name: "part-" + strconv.Itoa(random.IntN(poolSize)),
		OwnerReferences: owners}}
	_, err := client.Create(context.Background(), part)
	if status.IsAlreadyExists(err) {
		_, err = client.Modify(context.Background(), part.Name,
			func(p *Part) error { p.OwnerReferences = owners; return nil })
	}
	if turnedAway(namespace, err) || status.IsNotFound(err) {
		return nil
	}
	return err
}

// ownersOf returns the keys and uids of a Part's owners.
func ownersOf(k storage.Key, v value) map[storage.Key]string {
	owners := map[storage.Key]string{}
	for o := range strings.SplitSeq(v.owners, ",") {
		if name, uid, ok := strings.Cut(o, " "); ok {
			owners[keyOf(k.Namespace, name)] = uid
		}
	}
	return owners
}

// mayGo reports whether a Part may be deleted: all its owners are gone or being deleted, or its namespace is.
func (s state) mayGo(k storage.Key, v value) bool {
	if s[namespaceKey(k.Namespace)].deleting {
		return true
	}
	for owner, uid := range ownersOf(k, v) {
		if o, ok := s[owner]; ok && o.uid == uid && !o.deleting {
			return false
		}
	}
	return v.owners != ""
}

// settle waits until the controllers have finished the work that the deletions of a round have caused: no object is
// being deleted, and none names an owner that is gone. After that there are no more writes.
func (s *soak) settle() error {
	for deadline := time.Now().Add(patience); ; {
		left, err := s.unsettled()
		if err != nil || len(left) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("all deletions must complete: after %s %d objects are unfinished, such as %s", patience, len(left),
				left[0])
		}
		s.journal.pause(context.Background(), 1)
	}
}

// unsettled first removes the finalizers that only writers can remove, and then returns the objects on which a
// controller still has to work.
func (s *soak) unsettled() (left []string, err error) {
	now := state{}
	for _, resource := range []string{"namespaces", gadgets, parts} {
		page, err := s.journal.Store.List(context.Background(), storage.Query{Within: watch.Key{Resource: resource}}, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			g, err := decode(r)
			if err != nil {
				return nil, err
			}
			if r.Deleting && slices.Contains(g.Finalizers, finalizer) {
				_, err = s.gadgets.Namespace(r.Key.Namespace).Modify(context.Background(), r.Key.Name, func(g *Gadget) error {
					g.Finalizers = slices.DeleteFunc(g.Finalizers, func(f string) bool { return f == finalizer })
					return nil
				})
				if err != nil && !status.IsNotFound(err) {
					return nil, err
				}
			}
			now[r.Key] = valueOf(g)
		}
	}
	for k, v := range now {
		unsettled := v.deleting
		for owner, uid := range ownersOf(k, v) {
			unsettled = unsettled || now[owner].uid != uid
		}
		if unsettled {
			left = append(left, fmt.Sprintf("%s %s/%s %+v", k.Resource, k.Namespace, k.Name, v))
		}
	}
	slices.Sort(left)
	return left, nil
}
