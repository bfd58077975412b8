package managed

import (
	"bytes"

	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// GeneralApply is Apply without its shortcut.
func (k *Kind) GeneralApply(live, config doc.Value, by Writer, force bool) (doc.Value, error) {
	return k.apply(live, config, by, force)
}

// ApplyDirectly is the shortcut of Apply. It returns false if it gives up.
func (k *Kind) ApplyDirectly(live, config doc.Value, by Writer, force bool) (doc.Value, bool) {
	return k.applyDirectly(live, config, by, force)
}

// General is Update without its shortcuts.
func (k *Kind) General(old, obj, start doc.Value, by Writer) (doc.Value, error) {
	return k.update(withoutEntries(old), withoutEntries(obj), start, by)
}

// Core is the minimum that structured-merge-diff has to do for an update: it types both objects, compares them, and
// reads and writes the sets of two managers.
func (k *Kind) Core(old, obj map[string]any, sets ...[]byte) error {
	t := k.typed()
	before, err := t.FromUnstructured(old)
	if err != nil {
		return err
	}
	after, err := t.FromUnstructured(obj)
	if err != nil {
		return err
	}
	differs, err := before.Compare(after)
	if err != nil {
		return err
	}
	for _, text := range sets {
		set := fieldpath.NewSet()
		if err := set.FromJSON(bytes.NewReader(text)); err != nil {
			return err
		}
		if _, err := set.Difference(differs.Modified).ToJSON(); err != nil {
			return err
		}
	}
	return nil
}

// MovedOwners is the shortcut of Update for writes that move owners. It returns false if it gives up.
func (k *Kind) MovedOwners(old, obj, entries doc.Value, by Writer) (doc.Value, bool) {
	return k.movedOwners(withoutEntries(old), withoutEntries(obj), entries, by)
}
