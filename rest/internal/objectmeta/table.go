package objectmeta

// Field describes how the server treats one field of metadata.
type Field struct {
	Name string
	// Given means that the server sets or clears the field of a new object, regardless of what the client sends.
	Given bool
	// Update determines how the server treats the value that an update sends.
	Update Update
	// Fixed means that admission hooks cannot change the field.
	Fixed bool
	// Unowned means that no field manager owns the field. Package managed lists these names too, because it may not
	// import this package.
	Unowned bool
	// InViews means that a subresource with a kind of its own shows the field of its object.
	InViews bool
}

// Update determines how the server treats the value that an update sends.
type Update int

const (
	// Taken values come from the client.
	Taken Update = iota
	// Restored values come from the stored object.
	Restored
	// Compared values come from the client if it sends one, and validation compares them with the stored ones.
	Compared
	// Dropped values are not stored. An earlier release may have stored one.
	Dropped
)

// Fields are all fields of metadata, sorted by name. To add a field, add a row here and a member of apimeta.ObjectMeta.
var Fields = [...]Field{
	{Name: Annotations},
	{Name: CreationTimestamp, Given: true, Update: Restored, Fixed: true, Unowned: true, InViews: true},
	{Name: GracePeriod, Given: true, Update: Compared, Fixed: true},
	{Name: DeletionTimestamp, Given: true, Update: Compared, Fixed: true},
	{Name: Finalizers},
	{Name: GenerateName},
	{Name: Generation, Given: true, Update: Restored, Fixed: true, Unowned: true},
	{Name: Labels},
	{Name: ManagedFields, Update: Compared, Fixed: true, Unowned: true}, // a client may reset them
	{Name: Name, Fixed: true, Unowned: true, InViews: true},
	{Name: Namespace, Given: true, Update: Restored, Fixed: true, Unowned: true, InViews: true},
	{Name: Owners},
	{Name: ResourceVersion, Given: true, Update: Restored, Fixed: true, Unowned: true, InViews: true},
	{Name: SelfLink, Given: true, Update: Dropped, Fixed: true, Unowned: true},
	{Name: UID, Given: true, Update: Compared, Fixed: true, Unowned: true, InViews: true},
}

// Names returns the names of the fields with a property, sorted.
func Names(has func(Field) bool) (names []string) {
	for _, f := range Fields {
		if has(f) {
			names = append(names, f.Name)
		}
	}
	return names
}
