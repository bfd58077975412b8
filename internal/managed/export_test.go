package managed

import "github.com/decorum-go/decorum/internal/doc"

// GeneralApply is Apply without its shortcut.
func (k *Kind) GeneralApply(live, config doc.Value, by Writer, force bool) (doc.Value, error) {
	return k.apply(live, config, by, force)
}

// AppliedAgain tells whether Apply takes its shortcut.
func (k *Kind) AppliedAgain(live, config doc.Value, by Writer) bool {
	return k.appliedAgain(live, config, by)
}

// General is Update without its shortcuts.
func (k *Kind) General(old, obj, start doc.Value, by Writer) (doc.Value, error) {
	return k.update(withoutEntries(old), withoutEntries(obj), start, by)
}
