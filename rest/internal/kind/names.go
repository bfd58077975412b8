package kind

import "fmt"

// TakenError says that a kind cannot be served because the API serves another kind with one of its names.
type TakenError struct{ text string }

func (e TakenError) Error() string { return e.text }

// Taken returns a TakenError about a kind.
func Taken(kind, format string, args ...any) error {
	return TakenError{text: fmt.Sprintf("kind %q: ", kind) + fmt.Sprintf(format, args...)}
}

// Names returns the names that the kind has in its group: the plural, the singular and the short names.
func (k *Kind) Names() []string { return append([]string{k.Plural, k.Singular}, k.ShortNames...) }

// CheckNames refuses kinds of one group that share a kind, a plural, a singular or a short name. A kind may have the same name as a singular:
// clients do not use them in the same place.
func CheckNames(kinds []*Kind) error {
	taken, declared := map[string]string{}, map[string]bool{}
	for _, k := range kinds {
		for i, name := range k.Names() {
			key := k.Group + "/" + name
			if other, ok := taken[key]; ok && other != k.Kind {
				return Taken(k.Kind, "kind %q of the same group already has the name %q", other, name)
			} else if ok && i == 0 {
				return Taken(k.Kind, "declared twice")
			}
			taken[key] = k.Kind
		}
		key := k.Group + "/" + k.Kind
		if declared[key] {
			return Taken(k.Kind, "declared twice")
		}
		declared[key] = true
	}
	return nil
}
