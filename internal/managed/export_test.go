package managed

import "github.com/decorum-go/decorum/internal/doc"

// General is Update without its shortcuts.
func (k *Kind) General(old, obj, start doc.Value, by Writer) (doc.Value, error) {
	return k.update(withoutEntries(old), withoutEntries(obj), start, by)
}
