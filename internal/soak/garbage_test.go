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
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// lifecycleOptions are those of both controllers: what fails is tried again while a round still waits for it.
func lifecycleOptions() lifecycle.Options {
	return lifecycle.Options{Queue: controller.QueueOptions{MaxDelay: time.Second}}
}

// depend gives a Part to one or two Gadgets of its namespace, to some that never were, or to others than before.
func (s *soak) depend(_ string, random *rand.Rand) error {
	namespace := place(random)
	var owners []apimeta.OwnerReference
	for range 1 + random.IntN(2) {
		o := apimeta.OwnerReference{APIVersion: group + "/v1", Kind: "Gadget", Name: poolName(random.IntN(poolSize)), UID: "never-was-" + strconv.Itoa(random.IntN(100))}
		g, err := s.gadgets().Namespace(namespace).Get(context.Background(), o.Name)
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
	client := rest.ClientFor[Part](s.api).Namespace(namespace)
	part := &Part{ObjectMeta: apimeta.ObjectMeta{Name: "part-" + strconv.Itoa(random.IntN(poolSize)), OwnerReferences: owners}}
	_, err := client.Create(context.Background(), part)
	if status.IsAlreadyExists(err) {
		_, err = client.Modify(context.Background(), part.Name, func(p *Part) error { p.OwnerReferences = owners; return nil })
	}
	if turnedAway(namespace, err) || status.IsNotFound(err) {
		return nil
	}
	return err
}

// ownersOf are the keys and uids of a Part's owners.
func ownersOf(k storage.Key, v value) map[storage.Key]string {
	owners := map[storage.Key]string{}
	for o := range strings.SplitSeq(v.owners, ",") {
		if name, uid, ok := strings.Cut(o, " "); ok {
			owners[keyOf(k.Namespace, name)] = uid
		}
	}
	return owners
}

// mayGo reports whether a Part may be deleted: when each of its owners is gone or on its way, or its namespace is.
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

// settle waits until what follows the deletions of a round has come to its end: no object is being deleted, and none names an owner that
// is gone. Then nobody writes any more.
func (s *soak) settle() error {
	for deadline := time.Now().Add(patience); ; {
		left, err := s.unsettled()
		if err != nil || len(left) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("what follows a deletion comes to its end: after %s there are %d objects, such as %s", patience, len(left), left[0])
		}
		s.journal.pause(context.Background(), 1)
	}
}

// unsettled are the objects for which a controller has to do something, after it has taken away what only writers can.
func (s *soak) unsettled() (left []string, err error) {
	now := state{}
	for _, resource := range []string{"namespaces", gadgets, parts} {
		page, err := s.journal.Store.List(context.Background(), storage.ListOptions{Scope: watch.Scope{Resource: resource}}, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			g, err := decode(r)
			if err != nil {
				return nil, err
			}
			if r.Deleting && slices.Contains(g.Finalizers, finalizer) {
				_, err = s.gadgets().Namespace(r.Key.Namespace).Modify(context.Background(), r.Key.Name, func(g *Gadget) error {
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
