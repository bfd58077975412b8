package managed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Members of an entry of managedFields.
const (
	memberManager     = "manager"
	memberOperation   = "operation"
	memberAPIVersion  = "apiVersion"
	memberTime        = "time"
	memberFieldsType  = "fieldsType"
	memberFieldsV1    = "fieldsV1"
	memberSubresource = "subresource"

	fieldsV1 = "FieldsV1"
)

var entryMembers = [...]string{memberAPIVersion, memberFieldsType, memberFieldsV1, memberManager, memberOperation,
	memberSubresource, memberTime}

// identity distinguishes the entries of one object. For each subresource, a manager has one entry for the fields that
// it applies, and one for each version in which it updates.
type identity struct {
	Manager     string `json:"manager,omitempty"`
	Operation   string `json:"operation,omitempty"`
	APIVersion  string `json:"apiVersion,omitempty"` // empty for apply
	Subresource string `json:"subresource,omitempty"`
}

// key returns the identity as the string that structured-merge-diff requires. It sorts conflicts by that string, so
// the form is upstream's.
func (i identity) key() string {
	data, _ := json.Marshal(i) // a struct of strings always marshals
	return string(data)
}

func (i identity) isUpdate() bool { return i.Operation == string(apimeta.ManagedFieldsUpdate) }

// identityOf returns the identity of an entry.
func identityOf(entry doc.Value) identity {
	id := identity{Manager: entry.Get(memberManager).Text(), Operation: entry.Get(memberOperation).Text(),
		Subresource: entry.Get(memberSubresource).Text()}
	if id.Operation != string(apimeta.ManagedFieldsApply) {
		id.APIVersion = entry.Get(memberAPIVersion).Text()
	}
	return id
}

// entries are the decoded managedFields of an object. The maps use the keys of identities.
type entries struct {
	sets  fieldpath.ManagedFields
	who   map[string]identity
	times map[string]string            // RFC 3339 in UTC; missing for an entry without a time
	trees map[*fieldpath.Set]doc.Value // the text from which each set was decoded
}

func noEntries() *entries {
	return &entries{sets: fieldpath.ManagedFields{}, who: map[string]identity{}, times: map[string]string{},
		trees: map[*fieldpath.Set]doc.Value{}}
}

// remember records an identity and returns its key.
func (e *entries) remember(i identity) string {
	key := i.key()
	e.who[key] = i
	return key
}

// decode reads managedFields. Entries with the same identity, as [Kind.KeptCount] writes them, become one. decode
// returns an error for an entry that no server would write.
func decode(list doc.Value) (*entries, error) {
	e := noEntries()
	for i, v := range list.Elements() {
		id, version := identityOf(v), v.Get(memberAPIVersion).Text()
		applied := id.Operation == string(apimeta.ManagedFieldsApply)
		switch {
		case !applied && !id.isUpdate():
			return nil, errors.New("operation must be `Apply` or `Update`")
		case version == "":
			return nil, errors.New("apiVersion must not be empty")
		case v.Get(memberFieldsType).Text() == "":
			return nil, fmt.Errorf("missing fieldsType in managed fields entry %d", i)
		case v.Get(memberFieldsType).Text() != fieldsV1:
			return nil, fmt.Errorf("invalid fieldsType %q in managed fields entry %d", v.Get(memberFieldsType).Text(), i)
		}
		if tree := v.Get(memberFieldsV1); !tree.IsAbsent() && !tree.IsNull() && tree.Kind() != doc.Map {
			return nil, fmt.Errorf("fieldsV1 in managed fields entry %d is not an object", i)
		}
		set, _, err := decodeSet(v.Get(memberFieldsV1))
		if err != nil {
			return nil, fmt.Errorf("fieldsV1 in managed fields entry %d: %w", i, err)
		}
		if set == nil {
			set = fieldpath.NewSet()
		}
		key := e.remember(id)
		if twin, ok := e.sets[key]; ok {
			set = set.Union(twin.Set())
		} else {
			e.trees[set] = v.Get(memberFieldsV1)
		}
		e.sets[key] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(version), applied)
		if t, err := time.Parse(time.RFC3339, v.Get(memberTime).Text()); err == nil {
			e.times[key] = t.UTC().Format(time.RFC3339)
		}
	}
	return e, nil
}

// node is one member of one level of a fieldsV1.
type node struct {
	element fieldpath.PathElement
	member  bool
	below   *fieldpath.Set
}

// decodeSet reads one level of a fieldsV1. The set is nil if the level is empty. member reports whether the level
// itself is a member of the set above it.
func decodeSet(v doc.Value) (set *fieldpath.Set, member bool, err error) {
	var nodes []node
	for key, value := range v.Members() {
		if key == "." {
			member = true
			continue
		}
		element, err := fieldpath.DeserializePathElement(key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			continue // written by a later version; upstream ignores it too
		} else if err != nil {
			return nil, false, err
		}
		n := node{element: element}
		if n.below, n.member, err = decodeSet(value); err != nil {
			return nil, false, err
		}
		nodes = append(nodes, n)
	}
	if len(nodes) == 0 {
		return nil, true, nil
	}
	// In sorted order each insertion is at the end of the set. In any other order a long list would take quadratic time.
	if !slices.IsSortedFunc(nodes, func(a, b node) int { return a.element.Compare(b.element) }) {
		sort.Slice(nodes, func(i, j int) bool { return nodes[i].element.Less(nodes[j].element) })
	}
	set = fieldpath.NewSet()
	for _, n := range nodes {
		if n.member {
			set.Members.Insert(n.element)
		}
		if n.below != nil {
			*set.Children.Descend(n.element) = *n.below
		}
	}
	return set, member, nil
}

// encode returns the sorted list of entries, or an absent value if there are no entries.
func (e *entries) encode() (doc.Value, error) {
	list := make([]doc.Value, 0, len(e.sets))
	for key, set := range e.sets {
		tree, unchanged := e.trees[set.Set()]
		if !unchanged {
			var err error
			if tree, err = encodeSet(set.Set(), false); err != nil {
				return doc.Value{}, err
			}
		}
		list = append(list, entry(e.who[key], string(set.APIVersion()), e.times[key], tree))
	}
	return sorted(list), nil
}

// entry is one entry of managedFields.
func entry(id identity, apiVersion, at string, tree doc.Value) doc.Value {
	members := []doc.Member{ // sorted
		{Key: memberAPIVersion, Value: doc.Of(apiVersion)},
		{Key: memberFieldsType, Value: doc.Of(fieldsV1)},
		{Key: memberFieldsV1, Value: tree},
		{Key: memberManager, Value: doc.Of(id.Manager)},
		{Key: memberOperation, Value: doc.Of(id.Operation)},
		{Key: memberSubresource, Value: text(id.Subresource)},
		{Key: memberTime, Value: text(at)},
	}
	if id.Manager == "" {
		members[3].Value = doc.Value{}
	}
	return doc.MapOf(members...)
}

// text returns a string, or an absent value if it is empty.
func text(s string) doc.Value {
	if s == "" {
		return doc.Value{}
	}
	return doc.Of(s)
}

func encodeSet(set *fieldpath.Set, member bool) (doc.Value, error) {
	members := make([]doc.Member, 0, 1+set.Members.Size())
	if member {
		members = append(members, doc.Member{Key: ".", Value: doc.MapOf()})
	}
	var failed error
	add := func(element fieldpath.PathElement, below *fieldpath.Set, isMember bool) {
		key, err := fieldpath.SerializePathElement(element)
		value := doc.MapOf()
		if below != nil && err == nil {
			value, err = encodeSet(below, isMember)
		}
		if failed == nil {
			failed = err
		}
		members = append(members, doc.Member{Key: key, Value: value})
	}
	for element := range set.Members.All() {
		if _, ok := set.Children.Get(element); !ok {
			add(element, nil, true)
		}
	}
	for element := range set.Children.All() {
		below, _ := set.Children.Get(element)
		add(element, below, set.Members.Has(element))
	}
	return doc.MapOf(members...), failed
}

// sorted sorts entries as upstream does: by operation, time, manager, version and subresource.
func sorted(list []doc.Value) doc.Value {
	if len(list) == 0 {
		return doc.Value{}
	}
	if !slices.IsSortedFunc(list, compareEntries) {
		sort.Slice(list, func(i, j int) bool { return compareEntries(list[i], list[j]) < 0 })
	}
	return doc.ListOf(list...)
}

func compareEntries(a, b doc.Value) int {
	for _, member := range []string{memberOperation, memberTime, memberManager, memberAPIVersion, memberSubresource} {
		if c := strings.Compare(a.Get(member).Text(), b.Get(member).Text()); c != 0 {
			return c
		}
	}
	return 0
}

// identitiesOf returns the identities of entries.
func identitiesOf(entries doc.Value) []identity {
	ids := make([]identity, entries.Len())
	for i, e := range entries.Elements() {
		ids[i] = identityOf(e)
	}
	return ids
}

// updates counts the entries with the operation Update.
func updates(ids []identity) int {
	n := 0
	for _, id := range ids {
		if id.isUpdate() {
			n++
		}
	}
	return n
}

// SameButTimes reports whether two lists of entries are equal apart from their times.
func SameButTimes(a, b doc.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !doc.Equal(a.At(i), b.At(i)) && !doc.Equal(a.At(i).Without(memberTime), b.At(i).Without(memberTime)) {
			return false
		}
	}
	return true
}
