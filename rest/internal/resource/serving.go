package resource

// EveryVersion yields the resources in all their versions, also in those that are stored only.
func (s Set) EveryVersion(yield func(*Resource) bool) {
	for _, stored := range s.Resources {
		for _, res := range stored.EveryVersion() {
			if !yield(res) {
				return
			}
		}
	}
}
