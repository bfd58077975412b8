package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// The pair is two Gadgets that count together. The baton is an object that exists in one of two namespaces; no client
// may see it in both or in neither.
const (
	pairName  = "pair"
	batonName = "baton"
)

// makePair creates the objects that groups change.
func (s *soak) makePair() error {
	for _, namespace := range namespaces {
		if _, err := s.gadgets.Namespace(namespace).Create(context.Background(), newGadget(pairName)); err != nil {
			return err
		}
	}
	_, err := s.gadgets.Namespace("a").Create(context.Background(), newGadget(batonName))
	return err
}

// together writes several objects as a group, as a host can do with the store: it increments the pair, and sometimes
// moves the baton.
func (s *soak) together(_ string, random *rand.Rand) error {
	keys := []storage.Key{keyOf("a", pairName), keyOf("b", pairName)}
	if random.IntN(2) == 0 {
		keys = append(keys, keyOf("a", batonName), keyOf("b", batonName))
	}
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	uid := fmt.Sprintf("baton-%x", random.Uint64())
	_, err := s.journal.UpdateAll(context.Background(), keys, func(current []*storage.Record) ([][]byte, error) {
		next := make([][]byte, len(keys))
		baton := slices.IndexFunc(current, func(r *storage.Record) bool { return r != nil && r.Key.Name == batonName })
		for i, r := range current {
			var err error
			switch {
			case keys[i].Name == pairName:
				next[i], err = edited(r, func(metadata, spec map[string]any) {
					spec["count"] = intOf(spec["count"]) + 1
					metadata["generation"] = intOf(metadata["generation"]) + 1
				})
			case r == nil:
				next[i], err = edited(current[baton], func(metadata, _ map[string]any) {
					metadata["namespace"], metadata["uid"] = keys[i].Namespace, uid
				})
			}
			if err != nil {
				return nil, err
			}
		}
		return next, nil
	})
	if err == nil {
		for _, namespace := range namespaces {
			s.ledger.add(namespace+"/"+pairName, 1)
		}
	}
	return err
}

func intOf(n any) int64 {
	f, _ := n.(float64) // a missing count is 0
	return int64(f)
}

// edited returns the JSON of an object after a function has changed its metadata and spec.
func edited(r *storage.Record, edit func(metadata, spec map[string]any)) ([]byte, error) {
	var object map[string]any
	if err := json.Unmarshal(storagetest.Text(r), &object); err != nil {
		return nil, err
	}
	metadata, _ := object["metadata"].(map[string]any)
	spec, _ := object["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
		object["spec"] = spec
	}
	edit(metadata, spec)
	return json.Marshal(object)
}
