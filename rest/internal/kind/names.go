package kind

import "fmt"

// CheckNames refuses kinds of one group that share a kind, a plural, a singular or a short name.
func CheckNames(kinds []*Kind) error {
	taken := map[string]string{}
	for _, k := range kinds {
		names := append([]string{k.Plural, k.Singular}, k.ShortNames...)
		for i, name := range names {
			key := k.Group + "/" + name
			if other, ok := taken[key]; ok && other != k.Kind {
				return fmt.Errorf("kind %q: kind %q of the same group already has the name %q", k.Kind, other, name)
			} else if ok && i == 0 {
				return fmt.Errorf("kind %q: declared twice", k.Kind)
			}
			taken[key] = k.Kind
		}
		key := k.Group + "/" + k.Kind
		if taken[key] != "" {
			return fmt.Errorf("kind %q: declared twice", k.Kind)
		}
		taken[key] = k.Kind
	}
	return nil
}
