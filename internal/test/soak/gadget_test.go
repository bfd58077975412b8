package soak

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// Gadget is the kind that the soak writes. A label and a field decide which selectors see it.
type Gadget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               GadgetSpec   `json:"spec,omitempty"`
	Status             GadgetStatus `json:"status,omitzero"`
}

// GadgetSpec contains counters: writers that read first increment Count, writers that do not read increment Marks.
type GadgetSpec struct {
	Color string           `json:"color,omitempty"`
	Count int64            `json:"count,omitempty"`
	Marks map[string]int64 `json:"marks,omitempty"`
}

// GadgetStatus counts the writes to the status.
type GadgetStatus struct {
	Seen int64 `json:"seen,omitempty"`
}

// GadgetBeta is a Gadget as older clients know it. Two of its fields have other names.
type GadgetBeta struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               GadgetBetaSpec `json:"spec,omitempty"`
	Status             GadgetStatus   `json:"status,omitzero"`
}

// GadgetBetaSpec is a GadgetSpec as older clients know it.
type GadgetBetaSpec struct {
	Paint string           `json:"paint,omitempty"`
	Total int64            `json:"total,omitempty"`
	Marks map[string]int64 `json:"marks,omitempty"`
}

func toStored(in *GadgetBeta, out *Gadget) error {
	out.Spec = GadgetSpec{Color: in.Spec.Paint, Count: in.Spec.Total, Marks: in.Spec.Marks}
	out.Status = in.Status
	return nil
}

func fromStored(in *Gadget, out *GadgetBeta) error {
	out.Spec = GadgetBetaSpec{Paint: in.Spec.Color, Total: in.Spec.Count, Marks: in.Spec.Marks}
	out.Status = in.Status
	return nil
}

// asGadget converts an older Gadget, without the code under test.
func asGadget(in *GadgetBeta) *Gadget {
	out := &Gadget{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta, Status: in.Status}
	out.Spec.Color, out.Spec.Count, out.Spec.Marks = in.Spec.Paint, in.Spec.Total, in.Spec.Marks
	return out
}

// Noise uses up revisions that no watcher of Gadgets sees.
type Noise Gadget

// Part is a kind whose objects are owned by Gadgets and collected with them.
type Part Gadget

// Idle is the type of many kinds without objects.
type Idle Gadget

const (
	group      = "soak.example.com"
	collection = "/apis/" + group + "/v1/"
	gadgets    = "gadgets." + group
	parts      = "parts." + group
	noises     = "noises." + group
	idleKinds  = 20

	sideLabel = "side"
	poolLabel = "pool"
	finalizer = group + "/hold"
)

func gadgetDefinition() rest.Definition {
	return rest.Resource[Gadget]{Group: group, Version: "v1", Plural: "gadgets", SelectableFields: []string{"spec.color"},
		IndexedLabels: []string{sideLabel},
		Versions: []rest.VersionOf[Gadget]{
			rest.Converted(rest.Resource[GadgetBeta]{Version: older, SelectableFields: []string{"spec.paint"}}, toStored,
				fromStored),
		}}
}

func noiseDefinition() rest.Definition {
	return rest.Resource[Noise]{Group: group, Version: "v1", Plural: "noises", Scope: rest.ScopeCluster}
}

func definitions() []rest.Definition {
	all := []rest.Definition{
		rest.NamespacesOf[Namespace](),
		gadgetDefinition(),
		noiseDefinition(),
		rest.Resource[Part]{Group: group, Version: "v1", Plural: "parts"},
	}
	for i := range idleKinds {
		all = append(all, rest.Resource[Idle]{Group: group, Version: "v1", Names: rest.Names{Kind: fmt.Sprint("Idle", i)},
			Plural: fmt.Sprint("idles", i)})
	}
	return all
}

// path returns the URL path of a collection of Gadgets, or of one Gadget.
func path(namespace, name string) string {
	p := collection + "gadgets"
	if namespace != "" {
		p = collection + "namespaces/" + namespace + "/gadgets"
	}
	if name != "" {
		p += "/" + name
	}
	return p
}

func keyOf(namespace, name string) storage.Key {
	return storage.Key{Resource: gadgets, Namespace: namespace, Name: name}
}

func revisionOf(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64) // the result 0 is never a revision, so every comparison fails
	return n
}

// value is the part of an object that the checks compare.
type value struct {
	uid                string
	revision           uint64
	generation         int64
	side               string
	deleting           bool
	color              string
	count, marks, seen int64
	owners             string // the owners of a Part, each as "name uid"
}

func valueOf(g *Gadget) value {
	v := value{uid: g.UID, revision: revisionOf(g.ResourceVersion), generation: g.Generation, side: g.Labels[sideLabel],
		deleting: g.DeletionTimestamp != nil, color: g.Spec.Color, count: g.Spec.Count, seen: g.Status.Seen}
	for _, n := range g.Spec.Marks {
		v.marks += n
	}
	var owners []string
	for _, o := range g.OwnerReferences {
		owners = append(owners, o.Name+" "+o.UID)
	}
	slices.Sort(owners)
	v.owners = strings.Join(owners, ",")
	return v
}

// metadata returns the value as clients that request only metadata see it.
func (v value) metadata() value {
	return value{uid: v.uid, revision: v.revision, generation: v.generation, side: v.side, deleting: v.deleting}
}

// at returns the value with another revision, as a DELETED event shows it.
func (v value) at(revision uint64) value {
	v.revision = revision
	return v
}

// item is one object of a list or a watch.
type item struct {
	key   storage.Key
	value value
}

func itemOf(g *Gadget) item { return item{keyOf(g.Namespace, g.Name), valueOf(g)} }
