package rights

import "context"

// Permission is the permission of a client to watch. Its context ends with an Expired error as its cause when the
// rights of the client end.
type Permission struct {
	context.Context
	// Only and Resume are those of resource.ListParameters.
	Only   *Restriction
	Resume Resume
	// Release must be called when the watch has ended.
	Release func()
}
