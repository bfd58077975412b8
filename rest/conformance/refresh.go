package conformance

import (
	"maps"
	"slices"
)

// Refreshed returns the list of known failures according to this run. It keeps the
// listed cases that still fail or were not run, in their groups. It adds the
// unlisted cases that failed in new groups, one for each area, and proposes those
// tagged quirk as different on purpose. New groups have no reason or row yet;
// [ParseKnown] refuses them until a person fills these in.
func (r Report) Refreshed() Known {
	passing, pending, different := map[string]bool{}, map[string][]string{}, map[string][]string{}
	for _, x := range r.Results {
		switch {
		case x.Verdict == Stale:
			passing[x.ID()] = true
		case x.Verdict == Failed && slices.Contains(x.Tags, "quirk"):
			different[x.Area] = append(different[x.Area], x.ID())
		case x.Verdict == Failed:
			pending[x.Area] = append(pending[x.Area], x.ID())
		}
	}
	remaining := func(ids []string) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return passing[id] })
	}
	k := Known{head: r.Known.head}
	for _, p := range r.Known.Pending {
		if p.Cases = remaining(p.Cases); len(p.Cases) > 0 {
			k.Pending = append(k.Pending, p)
		}
	}
	for _, area := range slices.Sorted(maps.Keys(pending)) {
		k.Pending = append(k.Pending, Pending{Cases: pending[area]})
	}
	for _, d := range r.Known.Different {
		if d.Cases = remaining(d.Cases); len(d.Cases) > 0 {
			k.Different = append(k.Different, d)
		}
	}
	for _, area := range slices.Sorted(maps.Keys(different)) {
		k.Different = append(k.Different, Different{Cases: different[area]})
	}
	return k
}
